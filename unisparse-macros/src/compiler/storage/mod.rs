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

    pub(crate) fn is_pointed(self) -> bool {
        let (Kind::Counted { pointer } | Kind::Indexed { pointer, .. }) = self else {
            return false;
        };
        pointer.is_some()
    }
}

impl Storage {
    /// Whether a level has an `idx` of 64 bits.
    pub(crate) fn is_wide(&self) -> bool {
        self.levels.iter().any(|level| match level.kind {
            Kind::Aligned { index } | Kind::Indexed { index, .. } => index.bits == 64,
            _ => false,
        })
    }

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
            let parent_name = parent.map_or_else(|| root.to_owned(), |parent| format!("`{}`", all[parent].name));
            let pointed = parent.is_some_and(|parent| !copied[parent]);
            let alone = !copied[level] && parent.is_none_or(|parent| !copied[parent]);
            let pointer = pointed.then_some(format.pointer);
            let (kind, why) = match encoding.status {
                Status::Fixed => (Kind::Fixed, "fixed by the levels above: nothing is stored".to_owned()),
                _ if level < first => (Kind::Given, "given: the part hangs from a node of it".to_owned()),
                Status::Aligned => {
                    let why = format!("fixed through a query: one entry for each position of {parent_name}");
                    (Kind::Aligned { index: encoding.index }, why)
                }
                Status::Free if !indexed[level] => {
                    (Kind::Dense, "not trimmed: every coordinate, no index array".to_owned())
                }
                Status::Free if alone && encoding.padded => {
                    let why = format!("padded: every coordinate up to the greatest below {parent_name}");
                    (Kind::Counted { pointer }, why)
                }
                Status::Free if alone && encoding.trimmed && encoding.counting => {
                    let why = format!("trimmed, and counts from zero below {parent_name}: only the count is stored");
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
                        (Some(_), true) => format!("below {parent_name}, one node with many children"),
                        (Some(_), false) => format!("below {parent_name}, one entry for each of its own"),
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
mod tests;
