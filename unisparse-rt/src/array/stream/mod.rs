//! Streams: the parallel arrays that a loop over the entries of a level reads, checked once for all.
//!
//! All unchecked reads of kernel loops are in this module. A stream's `get` is only reached through
//! [`Segments`], [`entries()`] or [`within`], which prove once that every position is inside every array.

mod column;
mod dot;
mod entries;
mod indirect;

use core::cell::Cell;

pub use column::Column;
pub(crate) use entries::Segments;
pub use entries::{entries, within};
pub(crate) use indirect::{Gather, Scatter, ScatterFrom};

use crate::element::{Index, Scalar, Stored};
use crate::machine::prefetch;

/// Several arrays of one length, read by a common position.
///
/// # Safety
/// `len()` is always the same, and `get(position)` is sound for every `position < len()`.
pub unsafe trait Stream: Copy {
    /// The type of the items, one for each position.
    type Item;
    /// Returns the number of positions.
    fn len(&self) -> usize;
    /// Returns the item at `position`.
    ///
    /// # Safety
    /// `position < self.len()`.
    unsafe fn get(&self, position: usize) -> Self::Item;
    /// Like [`get`](Stream::get), for a position that is not visited yet: prefetches nothing after it.
    ///
    /// # Safety
    /// `position < self.len()`.
    #[inline(always)]
    unsafe fn look(&self, position: usize) -> Self::Item {
        // SAFETY: the caller keeps `position` below the length.
        unsafe { self.get(position) }
    }
    /// Returns the items, if they lie in an array.
    #[inline(always)]
    fn as_slice(&self) -> Option<&[Self::Item]> {
        None
    }
    /// Returns the number of bytes that `count` positions take in memory.
    #[inline]
    fn bytes(&self, count: usize) -> usize {
        count.saturating_mul(size_of::<Self::Item>())
    }
    /// Prefetches what follows the `count` positions from `first` on, some distance ahead. Any positions are allowed.
    #[inline(always)]
    fn prefetch(&self, first: usize, count: usize) {
        let _ = (first, count);
    }
    /// Prefetches the items at `position` and right after it. Any position is allowed.
    #[inline(always)]
    fn prefetch_at(&self, position: usize) {
        let _ = position;
    }
}

/// The scalar that the items of a stream read as, and the type of its sums.
type Value<A> = <<A as Stream>::Item as Stored>::Value;
type Sum<A> = <Value<A> as Scalar>::Sum;

// SAFETY: `get` reads within the slice.
unsafe impl<T: Copy> Stream for &[T] {
    type Item = T;
    #[inline]
    fn len(&self) -> usize {
        <[T]>::len(self)
    }
    #[inline]
    unsafe fn get(&self, position: usize) -> T {
        // SAFETY: the caller keeps `position` below the length.
        unsafe { *self.get_unchecked(position) }
    }
    #[inline(always)]
    fn as_slice(&self) -> Option<&[T]> {
        Some(self)
    }
    #[inline(always)]
    fn prefetch(&self, first: usize, count: usize) {
        prefetch::ahead(self, first, count);
    }
    #[inline(always)]
    fn prefetch_at(&self, position: usize) {
        prefetch::few(self, position);
    }
}

/// Stream of the positions themselves.
#[derive(Debug, Clone, Copy)]
pub struct Positions;

// SAFETY: `get` reads nothing.
unsafe impl Stream for Positions {
    type Item = usize;
    #[inline]
    fn len(&self) -> usize {
        usize::MAX
    }
    #[inline]
    fn bytes(&self, _: usize) -> usize {
        0
    }
    #[inline]
    unsafe fn get(&self, position: usize) -> usize {
        position
    }
}

/// Stream without the positions before one.
#[derive(Debug, Clone, Copy)]
pub struct Tail<S> {
    stream: S,
    first: usize,
}

impl<S: Stream> Tail<S> {
    /// Creates a stream of the items at the positions from `first` on.
    #[inline]
    #[must_use]
    pub fn new(stream: S, first: usize) -> Self {
        Tail { stream, first }
    }
}

// SAFETY: `get` reads at `first + position < first + (stream.len() - first) = stream.len()`; if `first` is beyond the length,
// there is no position.
unsafe impl<S: Stream> Stream for Tail<S> {
    type Item = S::Item;
    #[inline]
    fn len(&self) -> usize {
        self.stream.len().saturating_sub(self.first)
    }
    #[inline]
    fn bytes(&self, count: usize) -> usize {
        self.stream.bytes(count)
    }
    #[inline]
    unsafe fn get(&self, position: usize) -> Self::Item {
        // SAFETY: the caller keeps `position` below the length.
        unsafe { self.stream.get(self.first + position) }
    }
    #[inline(always)]
    unsafe fn look(&self, position: usize) -> Self::Item {
        // SAFETY: the caller keeps `position` below the length.
        unsafe { self.stream.look(self.first + position) }
    }
    #[inline(always)]
    fn prefetch(&self, first: usize, count: usize) {
        self.stream.prefetch(self.first.wrapping_add(first), count);
    }
    #[inline(always)]
    fn prefetch_at(&self, position: usize) {
        self.stream.prefetch_at(self.first.wrapping_add(position));
    }
}

/// Stream of blocks with equally many values, which are prefetched some distance ahead.
#[derive(Debug)]
pub struct Blocks<'a, T> {
    values: &'a [T],
    size: usize,
}

impl<'a, T> Blocks<'a, T> {
    /// Creates a stream of these values in blocks of `size` values.
    ///
    /// # Panics
    /// If `size` is zero.
    #[inline]
    #[must_use]
    pub fn new(values: &'a [T], size: usize) -> Self {
        assert!(size != 0);
        Blocks { values, size }
    }
}

impl<T> Clone for Blocks<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Blocks<'_, T> {}

// SAFETY: `get` reads nothing, and returns the values from `position * size` on, which are all inside as
// `(position + 1) * size <= (values.len() / size) * size <= values.len()`.
unsafe impl<'a, T> Stream for Blocks<'a, T> {
    type Item = &'a [T];
    #[inline]
    fn len(&self) -> usize {
        self.values.len() / self.size
    }
    #[inline]
    fn bytes(&self, count: usize) -> usize {
        count.saturating_mul(self.size).saturating_mul(size_of::<T>())
    }
    #[inline(always)]
    unsafe fn get(&self, position: usize) -> &'a [T] {
        // Prefetch the start of a long block alone: hardware prefetchers fetch what follows.
        const MOST: usize = 1 << 10;
        prefetch::ahead(self.values, position * self.size, self.size.min(MOST));
        // SAFETY: the caller keeps `position` below the number of blocks.
        unsafe { self.look(position) }
    }
    #[inline(always)]
    unsafe fn look(&self, position: usize) -> &'a [T] {
        // SAFETY: the caller keeps `position` below the number of blocks.
        unsafe { core::slice::from_raw_parts(self.values.as_ptr().add(position * self.size), self.size) }
    }
}

macro_rules! coordinate_stream {
    ($(#[$doc:meta])* $name:ident, $item:ty, $convert:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name<S>(S);

        impl<S: Stream<Item: Index>> $name<S> {
            pub(crate) fn new(indices: S) -> Self {
                $name(indices)
            }
        }

        // SAFETY: `get` reads at the same position of a stream of the same length.
        unsafe impl<S: Stream<Item: Index>> Stream for $name<S> {
            type Item = $item;
            #[inline]
            fn len(&self) -> usize {
                self.0.len()
            }
            #[inline]
            fn bytes(&self, count: usize) -> usize {
                self.0.bytes(count)
            }
            #[inline]
            unsafe fn get(&self, position: usize) -> $item {
                // SAFETY: the caller keeps `position` below the length.
                unsafe { self.0.get(position) }.$convert()
            }
            #[inline(always)]
            fn prefetch(&self, first: usize, count: usize) {
                self.0.prefetch(first, count);
            }
            #[inline(always)]
            fn prefetch_at(&self, position: usize) {
                self.0.prefetch_at(position);
            }
        }
    };
}

coordinate_stream!(
    /// The coordinates of an `idx` array whose domain starts at zero or above.
    Coordinates, usize, to_usize
);
coordinate_stream!(
    /// The coordinates of an `idx` array whose domain may start below zero.
    Offsets, isize, to_isize
);

macro_rules! tuple_stream {
    ($($stream:ident $at:tt),*) => {
        // SAFETY: a position below the shortest length is below each length.
        unsafe impl<$($stream: Stream),*> Stream for ($($stream,)*) {
            type Item = ($($stream::Item,)*);
            #[inline]
            fn len(&self) -> usize {
                let mut len = usize::MAX;
                $(len = len.min(self.$at.len());)*
                len
            }
            #[inline]
            fn bytes(&self, count: usize) -> usize {
                let mut bytes = 0usize;
                $(bytes = bytes.saturating_add(self.$at.bytes(count));)*
                bytes
            }
            #[inline]
            unsafe fn get(&self, position: usize) -> Self::Item {
                // SAFETY: the caller keeps `position` below the shortest length.
                unsafe { ($(self.$at.get(position),)*) }
            }
            #[inline(always)]
            unsafe fn look(&self, position: usize) -> Self::Item {
                // SAFETY: the caller keeps `position` below the shortest length.
                unsafe { ($(self.$at.look(position),)*) }
            }
            #[inline(always)]
            fn prefetch(&self, first: usize, count: usize) {
                $(self.$at.prefetch(first, count);)*
            }
            #[inline(always)]
            fn prefetch_at(&self, position: usize) {
                $(self.$at.prefetch_at(position);)*
            }
        }
    };
}

tuple_stream!(A 0);
tuple_stream!(A 0, B 1);
tuple_stream!(A 0, B 1, C 2);
tuple_stream!(A 0, B 1, C 2, D 3);
tuple_stream!(A 0, B 1, C 2, D 3, E 4);
tuple_stream!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple_stream!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_stream!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple_stream!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple_stream!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);

// SAFETY: a position below the shortest length is below each length.
unsafe impl<S: Stream, const N: usize> Stream for [S; N] {
    type Item = [S::Item; N];
    #[inline]
    fn len(&self) -> usize {
        self.iter().map(Stream::len).min().unwrap_or(usize::MAX)
    }
    #[inline]
    unsafe fn get(&self, position: usize) -> Self::Item {
        // SAFETY: the caller keeps `position` below the shortest length.
        core::array::from_fn(|at| unsafe { self[at].get(position) })
    }
    #[inline(always)]
    unsafe fn look(&self, position: usize) -> Self::Item {
        // SAFETY: the caller keeps `position` below the shortest length.
        core::array::from_fn(|at| unsafe { self[at].look(position) })
    }
    #[inline(always)]
    fn prefetch(&self, first: usize, count: usize) {
        self.iter().for_each(|stream| stream.prefetch(first, count));
    }
    #[inline(always)]
    fn prefetch_at(&self, position: usize) {
        self.iter().for_each(|stream| stream.prefetch_at(position));
    }
}

/// Returns the output of a kernel as cells, so that scattered sums can be written while it is read.
#[must_use]
pub fn cells<T>(output: &mut [T]) -> &[Cell<T>] {
    Cell::from_mut(output).as_slice_of_cells()
}
