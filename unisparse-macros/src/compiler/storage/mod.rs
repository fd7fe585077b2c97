//! The storage of each level (the paper's §5.1). `infer` derives it from the validated format alone.

mod check;
mod fields;
mod infer;
mod invariant;
mod pack;

use std::fmt;

pub(crate) use check::check;
pub(crate) use fields::{Field, FieldKind, fields, parent_name, pointers_name};
pub(crate) use pack::is_per_value;

use crate::compiler::encoding::{Format, IndexType};

/// A format and its inferred storage.
pub(crate) struct Stored {
    pub(crate) format: Format,
    /// The storage of a whole tensor. The arrays of levels below a cut are in the parts.
    pub(crate) whole: Storage,
    pub(crate) cut: Option<Cut>,
}

/// The place where `partition` cuts a format.
pub(crate) struct Cut {
    /// The level that has one part per position.
    pub(crate) level: usize,
    /// The storage of one part. The levels down to the cut have the kind [`Kind::Given`].
    pub(crate) part: Storage,
}

/// The storage of a tensor, or of one part of it, level by level.
#[derive(Clone)]
pub(crate) struct Storage {
    pub(crate) levels: Vec<LevelStorage>,
    /// Whether some positions of the values can be holes.
    pub(crate) holes: bool,
    /// End of the range of levels whose arrays are stored here. Below a cut, the arrays of the levels and the values
    /// are in the parts.
    pub(crate) end: usize,
    /// The arrays that `pack` interleaves.
    pub(crate) tuple_arrays: Vec<TupleArray>,
}

/// The storage of one level.
#[derive(Clone)]
pub(crate) struct LevelStorage {
    pub(crate) kind: Kind,
    /// The level whose positions are the parents; `None` if the parent is the root.
    pub(crate) parent: Option<usize>,
    /// The levels above over which an aligned level is invariant, and which its array leaves out: it has one entry for each
    /// position of the other free levels above. Ascending.
    pub(crate) invariant_over: Vec<usize>,
    /// A sentence that explains the choice of `kind`.
    pub(crate) why: String,
}

/// The representation of a level's coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Nothing is stored, because the levels above determine the coordinate.
    Fixed,
    /// In the storage of one part of a partitioned tensor: the part is below one node of this level, whose coordinate the part has
    /// as a number.
    Given,
    /// The level has every coordinate below every parent and stores its `size`.
    Dense,
    /// The level has every coordinate from zero to a count, stored as `ptr`, or as `size` at the root.
    Counted {
        /// The type of the `ptr` array, if there is one.
        pointer: Option<IndexType>,
    },
    /// The level stores one `idx` entry per position of its parent, or fewer if it is invariant over some levels above.
    Aligned { index: IndexType },
    /// The level stores `idx`, and `ptr` if `pointer` is set.
    Indexed {
        index: IndexType,
        /// The type of the `ptr` array, if there is one.
        pointer: Option<IndexType>,
        /// Whether the level has one entry per child, as the row indices of a coordinate list.
        copied: bool,
        /// Whether every coordinate has an entry.
        full: bool,
    },
}

/// Arrays of equal length that are stored as one array of tuples.
#[derive(Clone)]
pub(crate) struct TupleArray {
    /// The levels whose `idx` arrays these are, from the root down. The first one names the array.
    pub(crate) levels: Vec<usize>,
    /// Whether the values are the last field of the tuples.
    pub(crate) values: bool,
    /// The level that has one tuple per position; `None` for the root.
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
    /// Returns the storage of a tensor before it is cut into parts, when nothing is packed yet.
    pub(crate) fn uncut(&self) -> Storage {
        Storage {
            tuple_arrays: Vec::new(),
            ..self.whole.clone()
        }
    }

    /// Returns the storage that has the values: that of a part, if there are parts.
    pub(crate) fn of_values(&self) -> &Storage {
        self.cut.as_ref().map_or(&self.whole, |cut| &cut.part)
    }

    /// Returns the storage of all arrays: from the whole tensor down to the cut, and from a part below it.
    pub(crate) fn joined(&self) -> Storage {
        let mut joined = self.whole.clone();
        if let Some(Cut { level, part }) = &self.cut {
            joined.levels.truncate(level + 1);
            joined.levels.extend_from_slice(&part.levels[level + 1..]);
            joined.tuple_arrays.extend_from_slice(&part.tuple_arrays);
            joined.end = part.end;
        }
        joined
    }

    /// Returns the format, and the storage over which loops run: a part's if the format is partitioned, else the
    /// tensor's.
    pub(crate) fn into_loops(self) -> (Format, Storage) {
        let storage = self.cut.map_or(self.whole, |cut| cut.part);
        (self.format, storage)
    }
}

impl Storage {
    /// Whether the values are fields of tuples, and not an array of their own.
    pub(crate) fn packs_values(&self) -> bool {
        self.tuple_arrays.iter().any(|tuples| tuples.values)
    }

    /// Whether a level has an `idx` array of 64 bits.
    pub(crate) fn is_wide(&self) -> bool {
        self.levels.iter().any(|level| match level.kind {
            Kind::Aligned { index } | Kind::Indexed { index, .. } => index.bits == 64,
            _ => false,
        })
    }

    /// Returns the last level of the chain that starts at `first`: the levels whose `idx` arrays have one entry for each
    /// position of the last one, as `row` and `col` of a coordinate list.
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

    /// Whether the level stores fewer entries than its parent has positions, because it is invariant over levels above.
    pub(crate) fn is_invariant(&self, level: usize) -> bool {
        !self.levels[level].invariant_over.is_empty()
    }

    /// Returns, for an invariant level, the levels whose coordinates determine the place in its array below a position above the first
    /// level that it leaves out: those between that level and itself that have coordinates of their own and are not left out.
    pub(crate) fn below_invariant(&self, level: usize) -> impl Iterator<Item = usize> + '_ {
        let over = &self.levels[level].invariant_over;
        let first = over.first().copied().unwrap_or(level);
        let places = |kind: Kind| !matches!(kind, Kind::Fixed | Kind::Given | Kind::Aligned { .. });
        (first..level).filter(move |above| places(self.levels[*above].kind) && !over.contains(above))
    }

    /// Returns the invariant levels whose arrays leave out this level, and no level above it.
    pub(crate) fn invariant_from(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        let from = move |level: &usize| self.levels[*level].invariant_over.first() == Some(&first);
        (first + 1..self.levels.len()).filter(from)
    }

    /// Whether a coordinate of the level belongs to an entry: the level is indexed, or aligned below a level that is indexed or is
    /// counted with a `ptr`.
    pub(crate) fn is_of_entry(&self, level: usize) -> bool {
        let holder = self.levels[level].parent.map(|holder| self.levels[holder].kind);
        match self.levels[level].kind {
            Kind::Indexed { .. } => true,
            Kind::Aligned { .. } => {
                matches!(holder, Some(Kind::Indexed { .. } | Kind::Counted { pointer: Some(_) }))
            }
            _ => false,
        }
    }

    /// Whether a loop over entries reads the level, because its `idx` array has one entry per iteration.
    pub(crate) fn is_streamed(&self, level: usize) -> bool {
        self.is_of_entry(level) && !self.is_invariant(level)
    }

    /// Returns the last level that a loop over the entries from `first` on reads.
    fn loop_end(&self, first: usize) -> usize {
        let last = self.chain_end(first);
        let below = (last + 1..self.levels.len())
            .take_while(|&level| matches!(self.levels[level].kind, Kind::Fixed | Kind::Aligned { .. }));
        below.last().unwrap_or(last)
    }

    /// Returns the levels whose coordinates a loop over the entries from `first` on reads.
    pub(crate) fn streamed(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        (first..=self.loop_end(first)).filter(|&level| self.is_streamed(level))
    }

    /// Whether the size is a stored number, because neither an array nor the shape determines it.
    pub(crate) fn is_sized(&self, format: &Format, level: usize) -> bool {
        match self.levels[level].kind {
            Kind::Dense => format.levels[level].measured,
            Kind::Counted { pointer } => pointer.is_none(),
            Kind::Indexed { full, .. } => full && format.levels[level].measured,
            Kind::Fixed | Kind::Given | Kind::Aligned { .. } => false,
        }
    }

    /// Returns the levels whose coordinates are given.
    pub(crate) fn given(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.levels.len()).filter(|&level| self.levels[level].kind == Kind::Given)
    }

    /// Whether a chain of entries starts at this level.
    pub(crate) fn starts_chain(&self, level: usize) -> bool {
        let starts = |parent: usize| !self.levels[parent].kind.is_copied();
        self.levels[level].kind.is_indexed() && self.levels[level].parent.is_none_or(starts)
    }
}

impl TupleArray {
    /// Returns the number of arrays.
    fn width(&self) -> usize {
        self.levels.len() + usize::from(self.values)
    }

    /// Returns the level whose `ptr` array divides the tuples into segments.
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
