//! Fibers of a level as cursors of a merge: with distinct coordinates, or with runs of equal ones.

use core::marker::PhantomData;
use core::ops::Range;

use super::MergeCursor;
use crate::array::stream::Column;
use crate::array::{Field, Indices, Packed, PackedRows};
use crate::element::Index;
use crate::kernel::keys::{Coordinate, FiberArray, Keys, gallop};

/// Entries of one fiber, and the first that is left.
///
/// Positions are those in the whole array: a loop over several fibers then holds one number for each.
#[derive(Debug, Clone, Copy)]
struct Fiber<S, C> {
    /// Entries of the array up to the last of the fiber.
    keys: S,
    at: usize,
    coordinate: PhantomData<C>,
}

impl<S: Keys, C: Coordinate> Fiber<S, C> {
    #[inline]
    fn new<'a>(array: &'a impl FiberArray<'a, Keys = S>, range: Range<usize>) -> Self {
        assert!(range.start <= range.end);
        Fiber {
            keys: array.fiber(0..range.end),
            at: range.start,
            coordinate: PhantomData,
        }
    }

    #[inline]
    fn len(&self) -> usize {
        self.keys.len() - self.at
    }

    #[inline]
    fn peek(&self) -> Option<C> {
        self.keys.get(self.at)
    }

    #[inline]
    fn seek(&mut self, coordinate: C) {
        self.at = gallop(self.keys, self.at, |key: C| key < coordinate);
    }
}

/// Cursor of a fiber whose entries are distinct. Its items are positions.
#[derive(Debug, Clone, Copy)]
pub struct Ascending<S, C>(Fiber<S, C>);

impl<S: Keys, C: Coordinate> MergeCursor for Ascending<S, C> {
    type Coordinate = C;
    type Item = usize;

    #[inline]
    fn remaining(&self) -> usize {
        self.0.len()
    }
    #[inline]
    fn peek(&mut self) -> Option<C> {
        self.0.peek()
    }
    #[inline]
    fn pop(&mut self) -> usize {
        let position = self.0.at;
        self.0.at += 1;
        position
    }
    #[inline]
    fn pop_if(&mut self, here: bool) -> Option<usize> {
        // No branch: whether a cursor has the next coordinate is unpredictable.
        let position = self.0.at;
        self.0.at += usize::from(here);
        here.then_some(position)
    }
    #[inline]
    fn pass(&mut self, past: bool) {
        self.0.at += usize::from(past);
    }
    #[inline]
    fn seek(&mut self, coordinate: C) {
        self.0.seek(coordinate);
    }
}

/// Cursor of a fiber in which consecutive entries may be equal. Its items are the positions of a coordinate.
#[derive(Debug, Clone, Copy)]
pub struct Runs<S, C>(Fiber<S, C>);

impl<S: Keys, C: Coordinate> MergeCursor for Runs<S, C> {
    type Coordinate = C;
    type Item = Range<usize>;

    #[inline]
    fn remaining(&self) -> usize {
        self.0.len()
    }
    #[inline]
    fn peek(&mut self) -> Option<C> {
        self.0.peek()
    }
    #[inline]
    fn pop(&mut self) -> Range<usize> {
        let first = self.0.at;
        if let Some(next) = self.0.peek() {
            self.0.at = gallop(self.0.keys, self.0.at + 1, |key: C| key <= next);
        }
        first..self.0.at
    }
    #[inline]
    fn pass(&mut self, past: bool) {
        self.0.at += usize::from(past);
    }
    #[inline]
    fn seek(&mut self, coordinate: C) {
        self.0.seek(coordinate);
    }
}

macro_rules! cursors {
    ([$($generics:tt)*] $array:ty, $keys:ty) => {
        impl<$($generics)*> $array {
            /// Returns a cursor of the entries at these positions, which must ascend strictly.
            ///
            /// # Panics
            /// If the range is not inside the array.
            #[inline]
            #[must_use]
            pub fn ascending(&self, range: Range<usize>) -> Ascending<$keys, usize> {
                Ascending(Fiber::new(self, range))
            }

            /// Like [`ascending`](Self::ascending), for a level whose domain may start below zero.
            ///
            /// # Panics
            /// If the range is not inside the array.
            #[inline]
            #[must_use]
            pub fn ascending_signed(&self, range: Range<usize>) -> Ascending<$keys, isize> {
                Ascending(Fiber::new(self, range))
            }

            /// Returns a cursor of the entries at these positions, which must not decrease.
            ///
            /// # Panics
            /// If the range is not inside the array.
            #[inline]
            #[must_use]
            pub fn runs(&self, range: Range<usize>) -> Runs<$keys, usize> {
                Runs(Fiber::new(self, range))
            }

            /// Like [`runs`](Self::runs), for a level whose domain may start below zero.
            ///
            /// # Panics
            /// If the range is not inside the array.
            #[inline]
            #[must_use]
            pub fn runs_signed(&self, range: Range<usize>) -> Runs<$keys, isize> {
                Runs(Fiber::new(self, range))
            }
        }
    };
}

cursors!([I: Index] Indices<I>, &[I]);
cursors!([const K: usize, R: PackedRows<Entry: Field<K, Item: Index>>] Packed<K, R>, Column<'_, R::Entry, K>);
