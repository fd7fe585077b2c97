//! How each level is stored (the paper's §5.1), from the mutations alone.

use std::fmt;

use crate::compiler::encoding::{Format, IndexType, Status};
use crate::compiler::packing::{Run, runs};

/// The inferred storage of a format, level by level.
pub(crate) struct Storage {
    pub(crate) levels: Vec<LevelStorage>,
    /// Whether some positions of the values can be holes.
    pub(crate) holes: bool,
    /// The end of the levels whose arrays are here: those below the cut of a format are in its parts, as the values are.
    pub(crate) end: usize,
    /// The arrays that are packed into one.
    pub(crate) runs: Vec<Run>,
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
    /// One coordinate, known from outside: a part hangs from a node of this level or of one below.
    Given,
    /// `size`: every coordinate below every parent.
    Dense,
    /// Every coordinate from zero to a count: `ptr`, or `size` at the root.
    Counted {
        /// The type of its `ptr`, if it has one.
        pointer: Option<IndexType>,
    },
    /// `idx`: one for each position of its parent.
    Aligned { index: IndexType },
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
        let mut whole = Self::below(format, 0, "the root");
        if let Some(cut) = format.partition {
            whole.levels[cut].why += "; one part for each position";
        }
        whole
    }

    /// The storage of one part of a format that is cut at level `cut`.
    pub(crate) fn of_part(format: &Format, cut: usize) -> Self {
        let part = Self::below(format, cut + 1, "the root of a part");
        // What is a hole in the whole is one in its part.
        let holes = Self::new(format).holes;
        Storage { holes, ..part }
    }

    /// The storage of a tensor that is put together before it is cut: nothing is packed yet.
    pub(crate) fn uncut(format: &Format) -> Self {
        Storage {
            runs: Vec::new(),
            ..Self::new(format)
        }
    }

    /// What loops run over: a tensor, or one part of it after another.
    pub(crate) fn of_loops(format: &Format) -> Self {
        match format.partition {
            None => Self::new(format),
            Some(cut) => Self::of_part(format, cut),
        }
    }

    /// How a reader sees all of a format: as it is, but below the cut as each part has it.
    pub(crate) fn to_read(format: &Format) -> Self {
        let mut whole = Self::new(format);
        if let Some(cut) = format.partition {
            let part = Self::of_part(format, cut);
            whole.levels.truncate(cut + 1);
            whole.levels.extend(part.levels.into_iter().skip(cut + 1));
            whole.runs.extend(part.runs);
            whole.end = part.end;
        }
        whole
    }

    /// The storage of the levels from `first` on, those above given.
    fn below(format: &Format, first: usize, root: &str) -> Self {
        let all = &format.levels;
        let free: Vec<usize> = (first..all.len())
            .filter(|&level| all[level].status == Status::Free)
            .collect();
        // A level that others fix has one child for each of its own; merging it merges the level that holds it.
        let merged = |level: usize| {
            let held = (level + 1..all.len()).take_while(|&below| all[below].status != Status::Free);
            std::iter::once(level).chain(held).any(|level| all[level].merged)
        };
        let mut indexed = vec![false; all.len()];
        let mut copied = vec![false; all.len()];
        for (at, &level) in free.iter().enumerate().rev() {
            let child_is_indexed = free.get(at + 1).is_some_and(|&child| indexed[child]);
            copied[level] = child_is_indexed && !merged(level);
            indexed[level] = all[level].trimmed || all[level].padded || copied[level];
        }
        let mut levels = Vec::new();
        for (level, encoding) in all.iter().enumerate() {
            let parent = free.iter().copied().take_while(|&above| above < level).last();
            let parent_name = parent.map_or(root, |parent| all[parent].name.as_str());
            let pointed = parent.is_some_and(|parent| !copied[parent]);
            let alone = !copied[level] && parent.is_none_or(|parent| !copied[parent]);
            let pointer = pointed.then_some(format.pointer);
            let (kind, why) = match encoding.status {
                Status::Fixed => (Kind::Fixed, "fixed by the levels above: nothing is stored".to_owned()),
                _ if level < first => (Kind::Given, "given: the part hangs from a node of it".to_owned()),
                Status::Aligned => {
                    let why = format!("fixed through a query: one entry for each position of `{parent_name}`");
                    (Kind::Aligned { index: encoding.index }, why)
                }
                Status::Free if !indexed[level] => {
                    (Kind::Dense, "not trimmed: every coordinate, no index array".to_owned())
                }
                Status::Free if alone && encoding.padded => {
                    let why = format!("padded: every coordinate up to the greatest below `{parent_name}`");
                    (Kind::Counted { pointer }, why)
                }
                Status::Free if alone && encoding.trimmed && encoding.counting => {
                    let why = format!("trimmed, and counts from zero below `{parent_name}`: only the count is stored");
                    (Kind::Counted { pointer }, why)
                }
                Status::Free => {
                    let kind = Kind::Indexed {
                        index: encoding.index,
                        pointer,
                        copied: copied[level],
                        full: !encoding.trimmed,
                    };
                    let what = if encoding.trimmed {
                        "trimmed"
                    } else {
                        "neither trimmed nor merged above a trimmed level"
                    };
                    let how = match (parent, pointed) {
                        (None, _) => format!("at {root}"),
                        (Some(_), true) => format!("below `{parent_name}`, one node with many children"),
                        (Some(_), false) => format!("below `{parent_name}`, one entry for each of its own"),
                    };
                    (kind, format!("{what}, {how}"))
                }
            };
            levels.push(LevelStorage { kind, parent, why });
        }
        // Positions without an element: below a level that holds every coordinate, or up to a greatest one.
        let padding = |&level: &usize| match levels[level].kind {
            Kind::Dense => true,
            Kind::Counted { .. } => all[level].padded,
            _ => false,
        };
        let holes = free.last().is_none_or(padding) || levels.iter().any(|level| level.kind.is_full());
        let mut storage = Storage {
            levels,
            holes,
            end: format.partition.filter(|_| first == 0).map_or(all.len(), |cut| cut + 1),
            runs: Vec::new(),
        };
        storage.runs = format
            .packs
            .iter()
            .flat_map(|&pack| runs(format, &storage, pack))
            .collect();
        for run in &storage.runs {
            for &level in &run.levels {
                let values = if run.values { " with the values" } else { "" };
                storage.levels[level].why += &format!("; packed into `{}_entries`{values}", all[run.levels[0]].name);
            }
        }
        storage
    }

    /// The last level of the chain of entries that starts at `first`.
    pub(crate) fn chain_end(&self, first: usize) -> usize {
        let mut last = first;
        for level in first..self.levels.len() {
            match self.levels[level].kind {
                Kind::Fixed | Kind::Given | Kind::Aligned { .. } => {}
                Kind::Indexed { copied, .. } => {
                    last = level;
                    if !copied {
                        return last;
                    }
                }
                Kind::Dense | Kind::Counted { .. } => return last,
            }
        }
        last
    }

    /// Whether the level has an `idx` array of one entry for each of the entries of a chain.
    pub(crate) fn is_in_step(&self, level: usize) -> bool {
        let holder = self.levels[level].parent;
        match self.levels[level].kind {
            Kind::Indexed { .. } => true,
            Kind::Aligned { .. } => holder.is_some_and(|holder| self.levels[holder].kind.is_indexed()),
            _ => false,
        }
    }

    /// Whether a pass over entries reads the level: its `idx` is as long as what is passed over.
    pub(crate) fn is_streamed(&self, level: usize) -> bool {
        let holder = self.levels[level].parent.map(|holder| self.levels[holder].kind);
        let counted = matches!(holder, Some(Kind::Counted { pointer: Some(_) }));
        self.is_in_step(level) || (counted && matches!(self.levels[level].kind, Kind::Aligned { .. }))
    }

    /// The last level that a pass over the entries from `first` reads.
    fn pass_end(&self, first: usize) -> usize {
        let last = self.chain_end(first);
        let below = (last + 1..self.levels.len())
            .take_while(|&level| matches!(self.levels[level].kind, Kind::Fixed | Kind::Aligned { .. }));
        below.last().unwrap_or(last)
    }

    /// The levels whose coordinates a pass over the entries from `first` reads.
    pub(crate) fn streamed(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        (first..=self.pass_end(first)).filter(|&level| self.is_streamed(level))
    }

    /// Whether its size is a number of its own: neither an array nor the shape tells it.
    pub(crate) fn is_sized(&self, format: &Format, level: usize) -> bool {
        match self.levels[level].kind {
            Kind::Dense => format.levels[level].measured,
            Kind::Counted { pointer } => pointer.is_none(),
            Kind::Indexed { full, .. } => full && format.levels[level].measured,
            Kind::Fixed | Kind::Given | Kind::Aligned { .. } => false,
        }
    }

    /// The levels whose coordinates are given.
    pub(crate) fn given(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.levels.len()).filter(|&level| self.levels[level].kind == Kind::Given)
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
            Kind::Fixed | Kind::Given => write!(f, "nothing"),
            Kind::Dense | Kind::Counted { pointer: None } => write!(f, "size"),
            Kind::Counted { pointer: Some(pointer) } => write!(f, "ptr {}", pointer.name()),
            Kind::Aligned { index } => write!(f, "idx {}", index.name()),
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
    use super::{Kind, Storage};
    use crate::compiler::brute::declared;

    /// The storage of each level: `copied` and `full` are marked with `*` and `+`.
    fn kinds(text: &str) -> (Vec<String>, bool) {
        let storage = declared(&format!("format F{text}")).storage;
        let kind = |kind: Kind| {
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
    fn levels_of_queries() {
        let queries = "where {
            len = sum(value != 0 => 1, _ => 0).group_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
            rank = reorder(len, descending).group_by(i / 4).traverse_by(i);
            bank = schedule(len, 2).traverse_by(rank);
            place = slot(3).group_by(i % 2).key(i).traverse_by(j, i);
        }";
        let check = |levels: &str, primitives: &str, expected: &[&str], holes| {
            check(
                &format!(" = |i, j| ({levels}) {queries} {{ {primitives} }}"),
                expected,
                holes,
            );
        };
        // Numbers count from zero at the root and below what their group fixes, not elsewhere.
        check("slot, i, j", "merge(slot); trim(slot);", &["size", "size", "idx"], true);
        check("i, slot, j", "merge(i); trim(slot);", &["size", "ptr", "idx"], false);
        check(
            "k: j % 2, slot, i, j",
            "merge(k, slot); trim(slot);",
            &["size", "ptr, idx", "size", "idx"],
            true,
        );
        // Where the level above is copied, each number stands beside it.
        check("i, slot, j", "trim(i..=slot);", &["idx*", "idx", "idx"], false);
        let sell = "w: i / 4, c: rank / 2, slot, l: rank % 2, i, j";
        check(
            sell,
            "merge(w, c, slot); trim(slot);",
            &["size", "size", "ptr", "size", "idx", "idx"],
            true,
        );
        // A bucket is a function of the row, not the other way round.
        check(
            "bank, i, j",
            "merge(bank, i); trim(i..=j);",
            &["size", "ptr, idx", "ptr, idx"],
            false,
        );
        check(
            "i, bank, j",
            "merge(i); trim(j);",
            &["size", "idx u8", "ptr, idx"],
            false,
        );
        check(
            "rank, w: i / 4, i, j",
            "trim(rank..=j);",
            &["idx*", "idx*", "idx", "idx"],
            false,
        );
        // A place in a group tells the element.
        check(
            "h: i % 2, place, i, j",
            "merge(h); pad(place);",
            &["size", "ptr", "idx", "idx"],
            true,
        );
        check(
            "place, h: i % 2, i, j",
            "merge(place); pad(place);",
            &["size", "size", "idx", "idx"],
            true,
        );
        check(
            "d: rank - i, i, j",
            "merge(d, i); trim(d..=j);",
            &["idx i32", "ptr, idx", "ptr, idx"],
            false,
        );
        check(
            "a: 2 * rank, b: rank + 1, i, j",
            "trim(a..=j);",
            &["idx*", "nothing", "idx*", "idx"],
            false,
        );
    }

    #[test]
    fn parts_start_at_a_root_of_their_own() {
        let check = |text: &str, whole: &[&str], part: &[&str]| {
            let format = declared(&format!("format F = {text}")).format;
            let cut = format.partition.expect("a cut");
            for (storage, expected) in [(Storage::new(&format), whole), (Storage::of_part(&format, cut), part)] {
                let kinds = storage.levels.iter().map(|level| match level.kind {
                    Kind::Given => "given".to_owned(),
                    kind => kind.to_string().replace(" u32", ""),
                });
                assert_eq!(kinds.collect::<Vec<_>>(), expected, "{text}");
            }
        };
        // The list below each node is the part's whole array; the lists below that keep their pointers.
        check(
            "|i, j, k| (i, j, k) { merge(i, j); trim(i..=k); partition(i); }",
            &["idx", "ptr, idx", "ptr, idx"],
            &["given", "idx", "ptr, idx"],
        );
        check(
            "|i, j, k| (i, j, k) { merge(i, j); trim(i..=k); partition(j); }",
            &["idx", "ptr, idx", "ptr, idx"],
            &["given", "given", "idx"],
        );
        check(
            "|i, j| (b: i % 2, l: i / 2, j) { merge(b, l); trim(j); partition(b); }",
            &["size", "size", "ptr, idx"],
            &["given", "size", "ptr, idx"],
        );
        // A count below each node is the part's size.
        let slot = "where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); }";
        check(
            &format!("|i, j| (i, slot, j) {slot} {{ merge(i); trim(slot); partition(i); }}"),
            &["size", "ptr", "idx"],
            &["given", "size", "idx"],
        );
        // Levels that are fixed stay so; what a query fixes is given, or one entry.
        let rank = "where { len = sum(_ => 1).group_by(i); rank = reorder(len, ascending).traverse_by(i); }";
        check(
            &format!("|i, j| (rank, i, k: 2 * i, j) {rank} {{ merge(rank); trim(j); partition(rank); }}"),
            &["size", "idx", "nothing", "ptr, idx"],
            &["given", "idx", "nothing", "idx"],
        );
        check(
            &format!("|i, j| (rank, i, k: 2 * i, j) {rank} {{ merge(rank); trim(j); partition(k); }}"),
            &["size", "idx", "nothing", "ptr, idx"],
            &["given", "given", "nothing", "idx"],
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
