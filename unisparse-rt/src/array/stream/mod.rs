//! Streams: the parallel arrays that a loop over the entries of a level reads, checked once for all.
//!
//! All unchecked reads of kernel loops are in this module. A stream's `get` is only reached through
//! [`Segments`], [`entries()`] or [`within`], which prove once that every position is inside every array.

mod entries;

use core::cell::Cell;

pub(crate) use entries::{Entries, Segments};
pub use entries::{entries, within};

use super::packed::Field;
use crate::element::Index;
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
    /// Prefetches what follows the `count` positions from `first` on, some distance ahead. Any positions are allowed.
    #[inline(always)]
    fn prefetch(&self, first: usize, count: usize) {
        let _ = (first, count);
    }
    /// Prefetches the items at `position` and right after it. Any position is allowed.
    #[inline(always)]
    fn ask(&self, position: usize) {
        let _ = position;
    }
}

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
    fn prefetch(&self, first: usize, count: usize) {
        prefetch::ahead(self, first, count);
    }
    #[inline(always)]
    fn ask(&self, position: usize) {
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
    unsafe fn get(&self, position: usize) -> usize {
        position
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
            unsafe fn get(&self, position: usize) -> $item {
                // SAFETY: the caller keeps `position` below the length.
                unsafe { self.0.get(position) }.$convert()
            }
            #[inline(always)]
            fn prefetch(&self, first: usize, count: usize) {
                self.0.prefetch(first, count);
            }
            #[inline(always)]
            fn ask(&self, position: usize) {
                self.0.ask(position);
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
            fn ask(&self, position: usize) {
                $(self.$at.ask(position);)*
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
    fn ask(&self, position: usize) {
        self.iter().for_each(|stream| stream.ask(position));
    }
}

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
    fn ask(&self, position: usize) {
        prefetch::few(self.0, position);
    }
}

/// Returns the output of a kernel as cells, so that scattered sums can be written while it is read.
#[must_use]
pub fn cells<T>(output: &mut [T]) -> &[Cell<T>] {
    Cell::from_mut(output).as_slice_of_cells()
}
