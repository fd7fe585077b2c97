//! Search for coordinates in one fiber of a level, cheapest if each coordinate is shortly after the one before.

use core::ops::Range;

use super::keys::{Coordinate, FiberArray, Keys, bisect, gallop};
use crate::array::stream::Column;
use crate::array::{Field, Indices, Packed, PackedRows};
use crate::element::Index;

/// Search cursor in the entries of one fiber.
///
/// Coordinates may be searched for in any order. A search takes `O(log gap)` for a coordinate `gap` entries after the last
/// one, so `O(1)` each in a loop over all coordinates, and `O(log entries)` for a coordinate before the last one.
#[derive(Debug, Clone, Copy)]
pub struct Finder<S> {
    keys: S,
    /// Position of the first entry.
    start: usize,
    /// All keys below this index are less than or equal to the coordinate searched for last.
    at: usize,
}

impl<S: Keys> Finder<S> {
    fn new(keys: S, start: usize) -> Self {
        Finder { keys, start, at: 0 }
    }

    /// Returns the position of a coordinate, among distinct entries.
    #[inline]
    pub fn find(&mut self, coordinate: usize) -> Option<usize> {
        self.position(coordinate)
    }

    /// Like [`find`](Finder::find), for a level whose domain may start below zero.
    #[inline]
    pub fn find_signed(&mut self, coordinate: isize) -> Option<usize> {
        self.position(coordinate)
    }

    /// Returns the positions of a coordinate, at least one, among entries that may repeat.
    #[inline]
    pub fn run(&mut self, coordinate: usize) -> Option<Range<usize>> {
        self.positions(coordinate)
    }

    /// Like [`run`](Finder::run), for a level whose domain may start below zero.
    #[inline]
    pub fn run_signed(&mut self, coordinate: isize) -> Option<Range<usize>> {
        self.positions(coordinate)
    }

    /// Moves to the first entry that is not less than the coordinate, and returns whether it is equal.
    #[inline]
    fn seek<C: Coordinate>(&mut self, coordinate: C) -> bool {
        let before = |key: C| key < coordinate;
        let is_after = |last: &usize| !self.keys.get(*last).is_some_and(before);
        self.at = match self.at.checked_sub(1).filter(is_after) {
            Some(last) => bisect(self.keys, 0..last, before),
            None => gallop(self.keys, self.at, before),
        };
        self.keys.get(self.at) == Some(coordinate)
    }

    #[inline]
    fn position<C: Coordinate>(&mut self, coordinate: C) -> Option<usize> {
        // Most searches are for the next entry.
        let found = self.keys.get(self.at) == Some(coordinate) || self.seek(coordinate);
        self.at += usize::from(found);
        found.then(|| self.start + self.at - 1)
    }

    #[inline]
    fn positions<C: Coordinate>(&mut self, coordinate: C) -> Option<Range<usize>> {
        if !self.seek(coordinate) {
            return None;
        }
        let first = self.at;
        self.at = gallop(self.keys, first, |key: C| key <= coordinate);
        Some(self.start + first..self.start + self.at)
    }
}

impl<I: Index> Indices<I> {
    /// Returns a search cursor for the entries at these positions, which must not decrease.
    ///
    /// # Panics
    /// If the range is not inside the array.
    #[inline]
    #[must_use]
    pub fn finder(&self, range: Range<usize>) -> Finder<&[I]> {
        Finder::new(self.fiber(range.clone()), range.start)
    }
}

impl<const K: usize, R: PackedRows<Entry: Field<K, Item: Index>>> Packed<K, R> {
    /// Returns a search cursor for the entries at these positions, which must not decrease.
    ///
    /// # Panics
    /// If the range is not inside the array.
    #[inline]
    #[must_use]
    pub fn finder(&self, range: Range<usize>) -> Finder<Column<'_, R::Entry, K>> {
        Finder::new(self.fiber(range.clone()), range.start)
    }
}

/// Returns the positions of the keys from the greatest of `lows` to below the least of `highs`; empty if there are none.
fn between(keys: impl Keys, start: usize, lows: &[isize], highs: &[isize]) -> Range<usize> {
    let (low, high) = (lows.iter().max(), highs.iter().min());
    let first = low.map_or(0, |&low| bisect(keys, 0..keys.len(), |key: isize| key < low));
    let end = high.map_or(keys.len(), |&high| {
        bisect(keys, first..keys.len(), |key: isize| key < high)
    });
    start + first..start + end
}

impl<I: Index> Indices<I> {
    /// Returns the positions in `range` of the entries from the greatest of `lows` to below the least of `highs`.
    ///
    /// The entries at `range` must not decrease. `O(log entries)`.
    ///
    /// # Panics
    /// If the range is not inside the array.
    #[must_use]
    pub fn between(&self, range: Range<usize>, lows: &[isize], highs: &[isize]) -> Range<usize> {
        between(self.fiber(range.clone()), range.start, lows, highs)
    }
}

impl<const K: usize, R: PackedRows<Entry: Field<K, Item: Index>>> Packed<K, R> {
    /// Returns the positions in `range` of the entries from the greatest of `lows` to below the least of `highs`.
    ///
    /// The entries at `range` must not decrease. `O(log entries)`.
    ///
    /// # Panics
    /// If the range is not inside the array.
    #[must_use]
    pub fn between(&self, range: Range<usize>, lows: &[isize], highs: &[isize]) -> Range<usize> {
        between(self.fiber(range.clone()), range.start, lows, highs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Domain;
    use proptest::prelude::*;

    const DOMAIN: Domain = Domain { lo: -40, size: 200 };

    fn naive(entries: &[i16], range: &Range<usize>, coordinate: isize) -> Option<Range<usize>> {
        let equal = |&at: &usize| isize::from(entries[at]) == coordinate;
        let first = range.clone().find(equal)?;
        Some(first..first + range.clone().filter(equal).count())
    }

    #[test]
    fn entries_between_bounds() {
        let indices = Indices::try_new("row", vec![-40i16, 3, 3, 7, 9, 100], DOMAIN).unwrap();
        assert_eq!(indices.between(1..5, &[0, 3], &[9, 60]), 1..4);
        assert_eq!(indices.between(0..6, &[-50], &[-40]), 0..0);
        assert_eq!(indices.between(1..5, &[], &[]), 1..5);
        assert!(indices.between(1..5, &[8], &[4]).is_empty());
    }

    proptest! {
        #[test]
        fn runs_are_found_in_any_order(
            mut entries in prop::collection::vec(-40..60i16, 0..60),
            cut in any::<[prop::sample::Index; 2]>(),
            questions in prop::collection::vec(-45..70isize, 0..60),
        ) {
            entries.sort_unstable();
            let mut cut = cut.map(|at| at.index(entries.len() + 1));
            cut.sort_unstable();
            let range = cut[0]..cut[1];
            let idx = Indices::try_new("level", entries.clone(), DOMAIN).unwrap();
            let tuples = entries.iter().map(|&entry| (entry, true)).collect::<Vec<_>>();
            let packed = Packed::<0, _>::try_new("level", tuples, DOMAIN).unwrap();
            let (mut finder, mut in_tuples) = (idx.finder(range.clone()), packed.finder(range.clone()));
            for question in questions {
                let expected = naive(&entries, &range, question);
                prop_assert_eq!(finder.run_signed(question), expected.clone());
                prop_assert_eq!(in_tuples.run_signed(question), expected.clone());
                prop_assert_eq!(finder.find_signed(question), expected.map(|run| run.start));
            }
        }

        #[test]
        fn entries_are_found_in_any_order(
            entries in prop::collection::btree_set(0..90u8, 0..60),
            questions in prop::collection::vec(0..300usize, 0..60),
        ) {
            let entries: Vec<u8> = entries.into_iter().collect();
            let idx = Indices::try_new("level", entries.clone(), DOMAIN).unwrap();
            let mut finder = idx.finder(0..entries.len());
            let position = |coordinate: usize| entries.iter().position(|&entry| usize::from(entry) == coordinate);
            for question in questions.into_iter().chain(0..100) {
                prop_assert_eq!(finder.find(question), position(question));
                prop_assert_eq!(finder.run(question), position(question).map(|at| at..at + 1));
            }
        }
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_fiber_past_the_end_is_refused() {
        let idx = Indices::try_new("level", vec![0u32, 1], DOMAIN).unwrap();
        let _ = idx.finder(1..3);
    }
}
