//! Streams through the coordinates of an `idx` array: gather and scatter.

use core::cell::Cell;

use super::Stream;
use crate::element::Index;

macro_rules! indirect_stream {
    ($(#[$doc:meta])* $name:ident, [$($data:tt)*], $item:ty, [$($bound:tt)*], |$element:ident| $read:expr) => {
        $(#[$doc])*
        pub struct $name<'a, S, T> {
            indices: S,
            data: &'a [$($data)*],
        }

        impl<'a, S: Stream<Item: Index>, T> $name<'a, S, T> {
            /// # Safety
            /// Every index, as `usize`, must be below `data.len()`, each time it is read.
            pub(crate) unsafe fn new(indices: S, data: &'a [$($data)*]) -> Self {
                $name { indices, data }
            }
        }

        impl<S: Copy, T> Clone for $name<'_, S, T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<S: Copy, T> Copy for $name<'_, S, T> {}

        // SAFETY: positions are below the number of indices, and every index is below the length of the data.
        unsafe impl<'a, S: Stream<Item: Index>, T: $($bound)*> Stream for $name<'a, S, T> {
            type Item = $item;
            #[inline]
            fn len(&self) -> usize {
                self.indices.len()
            }
            #[inline]
            fn bytes(&self, count: usize) -> usize {
                self.indices.bytes(count)
            }
            #[inline]
            unsafe fn get(&self, position: usize) -> $item {
                // SAFETY: the caller keeps `position` below the length.
                let index = unsafe { self.indices.get(position) }.to_usize();
                // This is checked at each read, as loops create a stream for each of many short ranges.
                debug_assert!(index < self.data.len());
                // SAFETY: `new` was promised that every index is below the length of the data.
                let $element = unsafe { self.data.get_unchecked(index) };
                $read
            }
            #[inline(always)]
            fn prefetch(&self, first: usize, count: usize) {
                self.indices.prefetch(first, count);
            }
        }
    };
}

indirect_stream!(
    /// `data[index]` for each index.
    Gather, [T], T, [Copy], |element| *element
);
indirect_stream!(
    /// The cell `data[index]` for each index: what a scattered sum is written to.
    Scatter, [Cell<T>], &'a Cell<T>, [], |cell| cell
);

impl<'a, S, T> Gather<'a, S, T> {
    /// Returns the stream of the indices.
    #[inline(always)]
    pub(super) fn indices(&self) -> &S {
        &self.indices
    }

    /// Returns the array of which elements are selected.
    #[inline(always)]
    pub(super) fn data(&self) -> &'a [T] {
        self.data
    }
}

/// Stream of the cells `data[index - first]`, where `data` is the part of an output from `first` on.
///
/// The item is `None` for an index outside the part.
pub struct ScatterFrom<'a, S, T> {
    indices: S,
    data: &'a [Cell<T>],
    first: usize,
}

impl<'a, S: Stream<Item: Index>, T> ScatterFrom<'a, S, T> {
    pub(crate) fn new(indices: S, data: &'a [Cell<T>], first: usize) -> Self {
        ScatterFrom { indices, data, first }
    }
}

impl<S: Copy, T> Clone for ScatterFrom<'_, S, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Copy, T> Copy for ScatterFrom<'_, S, T> {}

// SAFETY: positions are below the number of indices, and the index is checked.
unsafe impl<'a, S: Stream<Item: Index>, T> Stream for ScatterFrom<'a, S, T> {
    type Item = Option<&'a Cell<T>>;
    #[inline]
    fn len(&self) -> usize {
        self.indices.len()
    }
    #[inline]
    fn bytes(&self, count: usize) -> usize {
        self.indices.bytes(count)
    }
    #[inline]
    unsafe fn get(&self, position: usize) -> Option<&'a Cell<T>> {
        // SAFETY: the caller keeps `position` below the length.
        let index = unsafe { self.indices.get(position) }.to_usize();
        self.data.get(index.wrapping_sub(self.first))
    }
    #[inline(always)]
    fn prefetch(&self, first: usize, count: usize) {
        self.indices.prefetch(first, count);
    }
}
