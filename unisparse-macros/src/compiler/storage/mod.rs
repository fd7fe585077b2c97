//! How each level is stored (the paper's §5.1): `infer` derives it from the mutations alone.

mod check;
mod fields;
mod infer;
mod pack;

use std::fmt;

pub(crate) use check::check;
pub(crate) use fields::{Field, FieldKind, fields, parent_name, pointers_name};

use crate::compiler::encoding::{Format, IndexType};

/// A format and its storage, which is inferred once.
pub(crate) struct Stored {
    pub(crate) format: Format,
    /// The storage of a tensor. The arrays below a cut are in the parts.
    pub(crate) whole: Storage,
    pub(crate) cut: Option<Cut>,
}

/// Where `partition` cuts a format.
pub(crate) struct Cut {
    /// There is a part for each position of this level.
    pub(crate) level: usize,
    /// The storage of one part: the levels down to the cut are given.
    pub(crate) part: Storage,
}

/// The storage of a tensor, or of one part of it, level by level.
#[derive(Clone)]
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
#[derive(Clone)]
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

/// Arrays of one length that are held as one array of tuples.
#[derive(Clone)]
pub(crate) struct Run {
    /// The levels whose `idx` arrays these are, from the root down: the first names the array.
    pub(crate) levels: Vec<usize>,
    /// Whether the values come last.
    pub(crate) values: bool,
    /// The level whose positions the tuples stand at; none for the root.
    holder: Option<usize>,
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

impl Stored {
    /// The storage of a tensor that is assembled before it is cut: nothing is packed yet.
    pub(crate) fn uncut(&self) -> Storage {
        Storage {
            runs: Vec::new(),
            ..self.whole.clone()
        }
    }

    /// The storage of every array: down to the cut that of the whole, below it that of a part.
    pub(crate) fn joined(&self) -> Storage {
        let mut joined = self.whole.clone();
        if let Some(Cut { level, part }) = &self.cut {
            joined.levels.truncate(level + 1);
            joined.levels.extend_from_slice(&part.levels[level + 1..]);
            joined.runs.extend_from_slice(&part.runs);
            joined.end = part.end;
        }
        joined
    }

    /// The format and what loops run over: a tensor, or one part of it after another.
    pub(crate) fn into_loops(self) -> (Format, Storage) {
        let storage = self.cut.map_or(self.whole, |cut| cut.part);
        (self.format, storage)
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

impl Run {
    /// How many arrays it holds.
    fn width(&self) -> usize {
        self.levels.len() + usize::from(self.values)
    }

    /// The level whose `ptr` array cuts the tuples into lists.
    pub(crate) fn pointed(&self, storage: &Storage) -> Option<usize> {
        let holder = self.holder?;
        let first = (0..=holder).find(|&level| storage.starts_chain(level) && storage.chain_end(level) == holder);
        let first = first.unwrap_or(holder);
        match storage.levels[first].kind {
            Kind::Indexed { pointer, .. } | Kind::Counted { pointer } => pointer.map(|_| first),
            _ => None,
        }
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
