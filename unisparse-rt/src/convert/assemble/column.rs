//! An `idx` array that is filled in any order; it records the first coordinate that does not fit its integers.

use crate::array::{Domain, Indices};
use crate::element::Index;
use crate::error::Error;
use crate::machine::scatter::ScatterSlice;

/// An `idx` array whose entries are set in any order.
pub struct Column<I> {
    pub(super) name: &'static str,
    pub(super) domain: Domain,
    pub(super) indices: Vec<I>,
}

/// Position and coordinate of an entry that does not fit its type.
pub(super) type Misfit = Option<(usize, i64)>;

impl<I: Index> Column<I> {
    /// Returns the entries, to be set.
    pub(super) fn cells(&mut self) -> ScatterSlice<'_, I> {
        ScatterSlice::new(&mut self.indices)
    }

    /// Returns the array, if every entry fits.
    pub(super) fn finish(self, misfit: Misfit, declared: Domain) -> Result<Indices<I>, Error> {
        match misfit {
            Some((position, coordinate)) => Err(Indices::<I>::overflow(self.name, position, coordinate, self.domain)),
            None => Indices::try_new(self.name, self.indices, declared),
        }
    }
}

/// Calls `set` with the coordinate as an entry if it fits, or else records it in `misfit`.
#[inline(always)]
pub(super) fn fit<I: Index>(misfit: &mut Misfit, position: usize, coordinate: i64, set: impl FnOnce(I)) {
    match I::try_from_i64(coordinate) {
        Some(index) => set(index),
        None => record(misfit, position, coordinate),
    }
}

#[cold]
pub(super) fn record(misfit: &mut Misfit, position: usize, coordinate: i64) {
    misfit.get_or_insert((position, coordinate));
}
