//! One field of an array of tuples, as a stream.

use super::Stream;
use super::entries::{Entries, entries};
use crate::array::tuple::Field;
use crate::machine::prefetch;

/// Stream of the items `K` of tuples: one of the arrays that are packed into the array of tuples.
#[derive(Debug)]
pub struct Column<'a, E, const K: usize>(&'a [E]);

impl<'a, E: Field<K>, const K: usize> Column<'a, E, K> {
    pub(crate) fn new(entries: &'a [E]) -> Self {
        Column(entries)
    }

    /// Iterates over all items, in order.
    pub fn iter(self) -> Entries<Self> {
        entries(self.0.len(), self)
    }
}

impl<E, const K: usize> Clone for Column<'_, E, K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E, const K: usize> Copy for Column<'_, E, K> {}

impl<E: Field<K>, const K: usize> core::ops::Index<usize> for Column<'_, E, K> {
    type Output = E::Item;
    #[inline]
    fn index(&self, position: usize) -> &E::Item {
        self.0[position].item()
    }
}

impl<E: Field<K, Item: PartialEq>, const K: usize> PartialEq for Column<'_, E, K> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

// SAFETY: `get` reads within the slice.
unsafe impl<E: Field<K>, const K: usize> Stream for Column<'_, E, K> {
    type Item = E::Item;
    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline]
    unsafe fn get(&self, position: usize) -> E::Item {
        // SAFETY: the caller keeps `position` below the length.
        *unsafe { self.0.get_unchecked(position) }.item()
    }
    #[inline(always)]
    fn prefetch(&self, first: usize, count: usize) {
        prefetch::ahead(self.0, first, count);
    }
    #[inline(always)]
    fn prefetch_at(&self, position: usize) {
        prefetch::few(self.0, position);
    }
}
