//! Copies a range of an array to an array of its own, for partitioned tensors.

use core::ops::Range;

use crate::machine::pages;

/// An array of the whole, of which each part has a range.
pub trait Slice: Sized {
    /// Copies a range to a new array.
    #[must_use]
    fn slice(&self, range: Range<usize>) -> Self;
    /// Keeps the first `count` entries in place.
    #[must_use]
    fn keep_first(self, count: usize) -> Self;
}

impl<T: Clone> Slice for Vec<T> {
    fn slice(&self, range: Range<usize>) -> Self {
        pages::copied(&self[range])
    }
    fn keep_first(mut self, count: usize) -> Self {
        if count < self.len() {
            self.truncate(count);
            self.shrink_to_fit();
        }
        self
    }
}
