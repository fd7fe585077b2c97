//! Coordinates that searches and merges compare, in whatever array a format stores them.

use core::ops::Range;

use crate::array::stream::{Column, Stream};
use crate::array::{Field, Indices, Packed, PackedRows, first_where};
use crate::element::Index;

/// Types that coordinates are compared in: `usize`, or `isize` where a domain may start below zero.
pub trait Coordinate: Copy + Ord {
    /// Sentinel after all coordinates, which have at most 62 bits.
    const END: Self;
    /// Converts an entry of an `idx` array.
    fn of<I: Index>(entry: I) -> Self;
}

impl Coordinate for usize {
    const END: Self = usize::MAX;
    #[inline]
    fn of<I: Index>(entry: I) -> usize {
        entry.to_usize()
    }
}

impl Coordinate for isize {
    const END: Self = isize::MAX;
    #[inline]
    fn of<I: Index>(entry: I) -> isize {
        entry.to_isize()
    }
}

/// Nondecreasing entries of an `idx` array: one fiber of a level, as a slice or as items of tuples.
pub trait Keys: Copy {
    /// Returns the number of entries.
    fn len(self) -> usize;
    /// Returns the entry at a position, if there is one.
    fn get<C: Coordinate>(self, position: usize) -> Option<C>;
}

impl<I: Index> Keys for &[I] {
    #[inline]
    fn len(self) -> usize {
        <[I]>::len(self)
    }
    #[inline]
    fn get<C: Coordinate>(self, position: usize) -> Option<C> {
        <[I]>::get(self, position).map(|&entry| C::of(entry))
    }
}

impl<E: Field<K, Item: Index>, const K: usize> Keys for Column<'_, E, K> {
    #[inline]
    fn len(self) -> usize {
        Stream::len(&self)
    }
    #[inline]
    fn get<C: Coordinate>(self, position: usize) -> Option<C> {
        (position < Stream::len(&self)).then(|| C::of(self[position]))
    }
}

/// An `idx` array that contains fibers.
pub(super) trait FiberArray<'a> {
    type Keys: Keys;
    /// Returns the entries of one fiber.
    ///
    /// # Panics
    /// If the range is not inside the array.
    fn fiber(&'a self, range: Range<usize>) -> Self::Keys;
}

impl<'a, I: Index> FiberArray<'a> for Indices<I> {
    type Keys = &'a [I];
    #[inline]
    fn fiber(&'a self, range: Range<usize>) -> &'a [I] {
        &self[range]
    }
}

impl<'a, const K: usize, R: PackedRows<Entry: Field<K, Item: Index>> + 'a> FiberArray<'a> for Packed<K, R> {
    type Keys = Column<'a, R::Entry, K>;
    #[inline]
    fn fiber(&'a self, range: Range<usize>) -> Column<'a, R::Entry, K> {
        Column::new(&self[range])
    }
}

/// Returns the first position from `from` up whose entry is not `before` a target. `O(log gap)`.
#[inline]
pub(super) fn gallop<C: Coordinate>(keys: impl Keys, from: usize, before: impl Fn(C) -> bool) -> usize {
    // All entries below `low` are before the target. The probes are 0, 1, 3, 7, .. past `from`.
    let mut low = from;
    loop {
        let probe = from + (2 * (low - from)).saturating_sub(1);
        match keys.get(probe) {
            Some(key) if before(key) => low = probe + 1,
            _ => return bisect(keys, low..probe.min(keys.len()), before),
        }
    }
}

/// Returns the first position of the range whose entry is not `before` a target, or its end.
#[inline]
pub(super) fn bisect<C: Coordinate>(keys: impl Keys, range: Range<usize>, before: impl Fn(C) -> bool) -> usize {
    first_where(range, |at| !keys.get(at).is_some_and(&before))
}
