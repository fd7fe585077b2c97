//! The arrays of a format, with their sizes.

use super::bytes::Bytes;
use super::expression::{Expression, Unknown};
use super::format::Format;
use super::operator::State;
use crate::format::{Array, Kind};

/// An array that a step reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayAccess {
    /// Its name: `row_ptr`, `values`.
    pub array: String,
    /// The number of bytes of the array that are read or written.
    pub bytes: Bytes,
}

/// The arrays of a format, with their sizes.
pub(super) struct Arrays<'a> {
    pub(super) format: &'a Format,
    state: &'a State,
}

impl<'a> Arrays<'a> {
    pub(super) fn new(format: &'a Format, state: &'a State) -> Self {
        Arrays { format, state }
    }

    pub(super) fn name(&self, level: usize) -> &'static str {
        self.format.encoding.levels[level].name
    }

    /// Returns the number of positions of a level.
    pub(super) fn positions(&self, level: Option<usize>) -> Bytes {
        let Some(level) = level else { return Bytes::number(1) };
        let above = || self.positions(level.checked_sub(1));
        let levels = self.format.storage.levels;
        let Some(stored) = levels.get(level) else {
            return Bytes::default();
        };
        match stored.kind {
            Kind::Fixed | Kind::Given | Kind::Aligned => above(),
            Kind::Dense | Kind::Counted { pointed: false } => above().times(&self.size(level)),
            Kind::Counted { pointed: true } => Bytes::symbol(format!("|{}|", self.name(level))),
            // One node per child: as many as positions below.
            Kind::Indexed { copied: true, .. } => {
                let below = (level + 1..levels.len()).find(|&below| !levels[below].kind.is_determined());
                below.map_or_else(nnz, |below| self.positions(Some(below)))
            }
            Kind::Indexed { full, .. } => {
                if !full && levels[level + 1..].iter().all(|below| below.kind.is_determined()) {
                    nnz()
                } else {
                    Bytes::symbol(format!("|{}|", self.name(level)))
                }
            }
        }
    }

    /// Returns the number of coordinates of a level below each position above it.
    pub(super) fn size(&self, level: usize) -> Bytes {
        let expression = &self.state.levels[level].expression;
        let dim = |expression: &Expression| match expression.as_unknown() {
            Some(Unknown::Dim(dim)) => self.format.encoding.dims.get(*dim).copied(),
            _ => None,
        };
        if let Some(name) = dim(expression) {
            return Bytes::symbol(name.to_owned());
        }
        if let Some(Unknown::Quotient(inner, divisor)) = expression.as_unknown() {
            if let Some(name) = dim(inner) {
                return Bytes::symbol(format!("ceil({name} / {divisor})"));
            }
        }
        match expression.remainder_of() {
            Some(divisor) => Bytes::number(divisor.unsigned_abs()),
            None => Bytes::symbol(format!("|{}|", self.name(level))),
        }
    }

    pub(super) fn array(array: Array, entries: &Bytes) -> ArrayAccess {
        ArrayAccess {
            array: array.name.to_owned(),
            bytes: entries.times(&Bytes::number(array.width as u128)),
        }
    }

    pub(super) fn idx(&self, level: usize) -> Option<ArrayAccess> {
        let stored = self.format.storage.levels.get(level)?;
        Some(Self::array(stored.idx?, &self.entries(level)))
    }

    /// Returns the number of entries of the `idx` array of a level.
    fn entries(&self, level: usize) -> Bytes {
        let levels = self.format.storage.levels;
        let over = levels[level].invariant_over;
        let Some(&first) = over.first() else {
            return self.positions(Some(level));
        };
        let below = (first..level).filter(|below| !levels[*below].kind.is_determined() && !over.contains(below));
        below.fold(self.positions(first.checked_sub(1)), |count, below| {
            count.times(&self.size(below))
        })
    }

    pub(super) fn ptr(&self, level: usize) -> Option<ArrayAccess> {
        let array = self.format.storage.levels.get(level)?.ptr?;
        let parents = self.positions(level.checked_sub(1)).plus(&Bytes::number(1));
        Some(Self::array(array, &parents))
    }

    /// Returns the `ptr` array that the positions of a level index.
    pub(super) fn ptr_of(&self, level: usize) -> Option<ArrayAccess> {
        let name = format!("{}_ptr", self.name(level));
        let below = (level + 1)..self.format.storage.levels.len();
        below
            .filter_map(|below| self.ptr(below))
            .find(|array| array.array == name)
    }

    pub(super) fn values(&self) -> ArrayAccess {
        let positions = self.positions(self.format.storage.levels.len().checked_sub(1));
        ArrayAccess {
            array: "values".to_owned(),
            bytes: positions.times(&Bytes::number(self.format.storage.value_width as u128)),
        }
    }

    /// Returns the `idx` array of a level and the pointers below it.
    pub(super) fn of(&self, level: usize) -> Vec<ArrayAccess> {
        self.idx(level).into_iter().chain(self.ptr_of(level)).collect()
    }

    /// Returns the bytes of all arrays.
    pub(super) fn all(&self) -> Bytes {
        let levels = 0..self.format.storage.levels.len();
        let arrays = levels.flat_map(|level| self.ptr(level).into_iter().chain(self.idx(level)));
        arrays
            .chain([self.values()])
            .fold(Bytes::default(), |all, array| all.plus(&array.bytes))
    }
}

pub(super) fn nnz() -> Bytes {
    Bytes::symbol("nnz".to_owned())
}
