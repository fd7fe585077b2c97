//! An `idx` array that is filled in any order.

use super::domain::Domain;
use super::indices::Indices;
use crate::element::Index;
use crate::error::Error;
use crate::machine::pages;
use crate::machine::scatter::ScatterSlice;

/// An `idx` array whose entries are set in any order. Entries that are not set hold the lowest coordinate.
pub struct Filled<I> {
    name: &'static str,
    /// The domain of the coordinates that are set, and that of the array.
    domain: Domain,
    declared: Domain,
    entries: Vec<I>,
}

/// Position and coordinate of an entry that does not fit its type.
pub(crate) type Misfit = Option<(usize, i64)>;

impl<I: Index> Filled<I> {
    /// Creates the array called `name`, of this many entries, of which about `set` will be set, to coordinates within `domain`.
    ///
    /// # Errors
    /// `Overflow` if the lowest coordinate does not fit `I`.
    pub(crate) fn new(
        name: &'static str,
        (entries, set): (usize, usize),
        domain: Domain,
        declared: Domain,
    ) -> Result<Self, Error> {
        let mut array = Filled {
            name,
            domain,
            declared,
            entries: Vec::new(),
        };
        if entries > 0 {
            let lowest = I::try_from_i64(domain.lo);
            let lowest = lowest.ok_or_else(|| Indices::<I>::overflow(name, 0, domain.lo, domain))?;
            array.entries = pages::filled_in_part(lowest, entries, set);
        }
        Ok(array)
    }

    /// Returns the entries, to be set to coordinates that [`fit`].
    pub(crate) fn cells(&mut self) -> ScatterSlice<'_, I> {
        ScatterSlice::new(&mut self.entries)
    }

    /// Sets an entry if the coordinate fits, or else records it in `misfit`.
    #[inline]
    pub(crate) fn set(&mut self, misfit: &mut Misfit, position: usize, coordinate: i64) {
        fit(misfit, position, coordinate, |index| self.entries[position] = index);
    }

    /// Returns the array. Its entries are checked unless all that were set are known to be `inside` the domain of the coordinates.
    ///
    /// # Errors
    /// `Overflow` for an entry that did not fit its type, `OutOfBounds` for one outside the domain of the array.
    pub(crate) fn finish(self, misfit: Misfit, inside: bool) -> Result<Indices<I>, Error> {
        let Filled {
            name,
            domain,
            declared,
            entries,
        } = self;
        match misfit {
            None => Indices::try_known(name, entries, inside.then_some(domain), declared),
            Some((position, coordinate)) => Err(Indices::<I>::overflow(name, position, coordinate, domain)),
        }
    }
}

/// Calls `set` with the coordinate as an entry if it fits, or else records it in `misfit`.
#[inline(always)]
pub(crate) fn fit<I: Index>(misfit: &mut Misfit, position: usize, coordinate: i64, set: impl FnOnce(I)) {
    match I::try_from_i64(coordinate) {
        Some(index) => set(index),
        None => record(misfit, position, coordinate),
    }
}

#[cold]
pub(crate) fn record(misfit: &mut Misfit, position: usize, coordinate: i64) {
    misfit.get_or_insert((position, coordinate));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    const DOMAIN: Domain = Domain { lo: -2, size: 5 };

    /// Sets all entries but the last; the coordinates are within `domain`, those of the array within [`DOMAIN`].
    fn set<I: Index>(coordinates: &[i64], domain: Domain, inside: bool) -> Result<Indices<I>, Error> {
        let count = (coordinates.len() + 1, coordinates.len());
        let mut array = Filled::<I>::new("level", count, domain, DOMAIN)?;
        let mut misfit = None;
        for (position, &coordinate) in coordinates.iter().enumerate() {
            array.set(&mut misfit, position, coordinate);
        }
        array.finish(misfit, inside)
    }

    #[test]
    fn entries_fit_and_are_inside_the_domain() {
        let wide = Domain { lo: -2, size: 500 };
        for inside in [false, true] {
            let array = set::<i8>(&[2, -2, 0], DOMAIN, inside).unwrap();
            assert_eq!((&array[..], array.domain()), (&[2, -2, 0, -2][..], DOMAIN));
            assert_eq!(
                set::<i8>(&[0, 128], wide, inside).unwrap_err().kind(),
                ErrorKind::Overflow
            );
            // The lowest coordinate does not fit.
            assert_eq!(set::<u8>(&[0], DOMAIN, inside).unwrap_err().kind(), ErrorKind::Overflow);
            // Coordinates inside a domain that is too wide for the array are checked.
            let error = set::<i32>(&[0, 3], wide, inside).unwrap_err();
            assert_eq!((error.kind(), error.position()), (ErrorKind::OutOfBounds, Some(1)));
        }
        let error = set::<i32>(&[0, 3], DOMAIN, false).unwrap_err();
        assert_eq!((error.kind(), error.position()), (ErrorKind::OutOfBounds, Some(1)));
        // An entry that is not set.
        let below = Domain { lo: -9, size: 20 };
        assert_eq!(
            set::<i32>(&[1], below, true).unwrap_err().kind(),
            ErrorKind::OutOfBounds
        );
    }

    #[test]
    fn a_domain_may_have_no_coordinates() {
        let none = Domain { lo: 0, size: 0 };
        let array = Filled::<u32>::new("level", (0, 0), none, none).unwrap();
        assert!(array.finish(None, true).unwrap().is_empty());
    }
}
