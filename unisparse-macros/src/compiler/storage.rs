//! How each level is stored (the paper's §5.1), from the mutations alone.

use std::fmt;

use crate::compiler::encoding::{Format, IndexType};

/// The inferred storage of a format, level by level.
pub(crate) struct Storage {
    pub(crate) levels: Vec<LevelStorage>,
    /// Whether some positions of the values can be holes.
    pub(crate) holes: bool,
}

/// The storage of one level.
pub(crate) struct LevelStorage {
    pub(crate) kind: Kind,
    /// The level whose positions are this one's parents; none at the root.
    pub(crate) parent: Option<usize>,
    /// The rule that applied.
    pub(crate) why: String,
}

/// How the coordinates of a level are held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Nothing is stored: the levels above fix it.
    Fixed,
    /// `size`: every coordinate below every parent.
    Dense,
    /// `idx`, and `ptr` if pointed.
    Indexed {
        index: IndexType,
        /// The type of its `ptr`, if it has one.
        pointer: Option<IndexType>,
        /// One entry for each child.
        copied: bool,
        /// Every coordinate has an entry.
        full: bool,
    },
}

impl Kind {
    pub(crate) fn is_indexed(self) -> bool {
        matches!(self, Kind::Indexed { .. })
    }

    pub(crate) fn is_copied(self) -> bool {
        matches!(self, Kind::Indexed { copied: true, .. })
    }

    pub(crate) fn is_full(self) -> bool {
        matches!(self, Kind::Indexed { full: true, .. })
    }
}

impl Storage {
    /// Infers the storage of every level.
    pub(crate) fn new(format: &Format) -> Self {
        let fixed = &format.inverse.fixed;
        let stored: Vec<usize> = (0..fixed.len()).filter(|&level| !fixed[level]).collect();
        // A fixed level has one child for each of its own; merging it merges the level that holds it.
        let merged = |level: usize| {
            let below = (level + 1..fixed.len()).take_while(|&below| fixed[below]);
            std::iter::once(level)
                .chain(below)
                .any(|level| format.levels[level].merged)
        };
        let mut indexed = vec![false; fixed.len()];
        let mut copied = vec![false; fixed.len()];
        for (at, &level) in stored.iter().enumerate().rev() {
            let child_is_indexed = stored.get(at + 1).is_some_and(|&child| indexed[child]);
            copied[level] = child_is_indexed && !merged(level);
            indexed[level] = format.levels[level].trimmed || copied[level];
        }
        let mut levels = Vec::new();
        for level in 0..fixed.len() {
            let parent = stored.iter().copied().take_while(|&above| above < level).last();
            let trimmed = format.levels[level].trimmed;
            let parent_name = parent.map_or("the root", |parent| format.levels[parent].name.as_str());
            let (kind, why) = if fixed[level] {
                (Kind::Fixed, "fixed by the levels above: nothing is stored".to_owned())
            } else if !indexed[level] {
                (Kind::Dense, "not trimmed: every coordinate, no index array".to_owned())
            } else {
                let pointed = parent.is_some_and(|parent| !copied[parent]);
                let kind = Kind::Indexed {
                    index: format.levels[level].index,
                    pointer: pointed.then_some(format.pointer),
                    copied: copied[level],
                    full: !trimmed,
                };
                let what = if trimmed {
                    "trimmed"
                } else {
                    "neither trimmed nor merged above a trimmed level"
                };
                let how = match (parent, pointed) {
                    (None, _) => "at the root".to_owned(),
                    (Some(_), true) => format!("below `{parent_name}`, one node with many children"),
                    (Some(_), false) => format!("below `{parent_name}`, one entry for each of its own"),
                };
                (kind, format!("{what}, {how}"))
            };
            levels.push(LevelStorage { kind, parent, why });
        }
        let last_is_dense = stored.last().is_none_or(|&level| !indexed[level]);
        let holes = last_is_dense || levels.iter().any(|level| level.kind.is_full());
        Storage { levels, holes }
    }

    /// The last level of the chain of entries that starts at `first`.
    pub(crate) fn chain_end(&self, first: usize) -> usize {
        let mut last = first;
        for level in first..self.levels.len() {
            match self.levels[level].kind {
                Kind::Fixed => {}
                Kind::Indexed { copied, .. } => {
                    last = level;
                    if !copied {
                        return last;
                    }
                }
                Kind::Dense => return last,
            }
        }
        last
    }

    /// Whether a chain of entries starts at this level.
    pub(crate) fn starts_chain(&self, level: usize) -> bool {
        let starts = |parent: usize| !self.levels[parent].kind.is_copied();
        self.levels[level].kind.is_indexed() && self.levels[level].parent.is_none_or(starts)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Fixed => write!(f, "nothing"),
            Kind::Dense => write!(f, "size"),
            Kind::Indexed {
                index, pointer: None, ..
            } => write!(f, "idx {}", index.name()),
            Kind::Indexed {
                index,
                pointer: Some(pointer),
                ..
            } => {
                write!(f, "ptr {}, idx {}", pointer.name(), index.name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler::brute::declared;

    /// The storage of each level: `copied` and `full` are marked with `*` and `+`.
    fn kinds(text: &str) -> (Vec<String>, bool) {
        let storage = declared(&format!("format F{text}")).storage;
        let kind = |kind: super::Kind| {
            let copied = if kind.is_copied() { "*" } else { "" };
            format!(
                "{}{copied}{}",
                kind.to_string().replace(" u32", ""),
                if kind.is_full() { "+" } else { "" }
            )
        };
        (
            storage.levels.iter().map(|level| kind(level.kind)).collect(),
            storage.holes,
        )
    }

    fn check(text: &str, expected: &[&str], holes: bool) {
        assert_eq!(
            kinds(text),
            (expected.iter().map(ToString::to_string).collect(), holes),
            "{text}"
        );
    }

    #[test]
    fn every_rule_of_the_design() {
        // Not trimmed: `size` only.
        check(" = |i, j| (i, j) {}", &["size", "size"], true);
        // Trimmed at the root, below a dense parent, below a merged one, below one that is not.
        check(" = |i, j| (i, j) { merge(0); trim(1); }", &["size", "ptr, idx"], false);
        check(
            " = |i, j| (i, j) { merge(0); trim(0..=1); }",
            &["idx", "ptr, idx"],
            false,
        );
        check(" = |i, j| (i, j) { trim(0..=1); }", &["idx*", "idx"], false);
        check(" = |i, j| (i, j) { trim(0); }", &["idx", "size"], true);
        // The paper's format A: neither trimmed nor merged above a trimmed level.
        check(" = |i, j| (i, j) { trim(1); }", &["idx*+", "idx"], true);
        check(" = |i, j, k| (i, j, k) { trim(2); }", &["idx*+", "idx*+", "idx"], true);
        check(
            " = |i, j, k| (i, j, k) { merge(0); trim(2); }",
            &["size", "ptr, idx*+", "idx"],
            true,
        );
        check(
            " = |i, j, k| (i, j, k) { merge(1); trim(2); }",
            &["size", "size", "ptr, idx"],
            false,
        );
        // Two ranges of trims.
        check(
            " = |i, j, k| (i, j, k) { merge(0); trim(0); trim(2); }",
            &["idx", "ptr, idx*+", "idx"],
            true,
        );
        check(
            " = |i, j, k| (i, j, k) { trim(0); trim(2); }",
            &["idx*", "idx*+", "idx"],
            true,
        );
    }

    #[test]
    fn fixed_levels_store_nothing_and_pass_a_merge_on() {
        check(
            " = |i, j| (d: j - i, i, j) { merge(d); trim(d); }",
            &["idx i32", "size", "nothing"],
            true,
        );
        check(
            " = |i, j| (i, k: 2 * i, j) { merge(k); trim(j); }",
            &["size", "nothing", "ptr, idx"],
            false,
        );
        check(
            " = |i, j| (i, k: 2 * i, j) { trim(j); }",
            &["idx*+", "nothing", "idx"],
            true,
        );
        check(
            " = |i, j| (one: 1, i, j) { merge(i); trim(j); }",
            &["nothing", "size", "ptr, idx"],
            false,
        );
    }

    #[test]
    fn chains_are_the_levels_stored_in_step() {
        let storage = declared("format F = |i, j, k| (i, l: -i, j, k) { merge(j); trim(i..=k); }").storage;
        let starts: Vec<bool> = (0..4).map(|level| storage.starts_chain(level)).collect();
        assert_eq!(starts, [true, false, false, true]);
        assert_eq!((storage.chain_end(0), storage.chain_end(3)), (2, 3));
        assert_eq!(
            storage.levels.iter().map(|level| level.parent).collect::<Vec<_>>(),
            [None, Some(0), Some(0), Some(2)]
        );
    }
}
