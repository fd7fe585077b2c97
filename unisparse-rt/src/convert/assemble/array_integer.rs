//! The `ptr` and `idx` arrays of levels, where they depend on the type of their integers and on nothing else: the most frequent
//! types are compiled in this crate, and not again in every crate that converts.

use super::levels::Levels;
use crate::array::{Filled, Indices, Misfit, Pointers};
use crate::element::Index;
use crate::error::Error;

/// An integer type of `ptr` and `idx` arrays. Its functions are the generic ones of `Levels` and `Filled`.
#[doc(hidden)]
#[allow(missing_docs, clippy::missing_errors_doc)]
pub trait ArrayInteger: Index {
    fn counted(levels: &mut Levels, level: usize) -> Result<Pointers<Self>, Error>;
    fn pointers_of_counts(levels: &mut Levels, level: usize, counts: Vec<usize>) -> Result<Pointers<Self>, Error>;
    fn entries(levels: &mut Levels, first: usize, last: usize) -> Result<Pointers<Self>, Error>;
    fn indices(levels: &mut Levels, level: usize) -> Result<Indices<Self>, Error>;
    fn aligned(levels: &mut Levels, level: usize) -> Result<Indices<Self>, Error>;
    fn invariant(levels: &mut Levels, level: usize) -> Result<Indices<Self>, Error>;
    fn filled(levels: &mut Levels, level: usize, entries: u128) -> Result<Filled<Self>, Error>;
    fn finish(array: Filled<Self>, misfit: Misfit, inside: bool) -> Result<Indices<Self>, Error>;
}

impl Levels {
    /// Builds the entries of the levels `first..=last` below the level built last, and returns their pointers.
    ///
    /// # Errors
    /// `Limit` if the pointers would exceed it, `Overflow` if one does not fit `P`.
    pub fn entries<P: ArrayInteger>(&mut self, first: usize, last: usize) -> Result<Pointers<P>, Error> {
        P::entries(self, first, last)
    }

    /// Returns the `idx` array of `level`, which was among the levels built last.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn indices<I: ArrayInteger>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        I::indices(self, level)
    }
}

macro_rules! array_integer {
    (#[$inline:meta] $($integer:ident)*) => {$(
        impl ArrayInteger for $integer {
            #[$inline]
            fn counted(levels: &mut Levels, level: usize) -> Result<Pointers<Self>, Error> {
                levels.counted(level)
            }
            #[$inline]
            fn pointers_of_counts(levels: &mut Levels, level: usize, counts: Vec<usize>) -> Result<Pointers<Self>, Error> {
                levels.pointers_of_counts(level, counts)
            }
            #[$inline]
            fn entries(levels: &mut Levels, first: usize, last: usize) -> Result<Pointers<Self>, Error> {
                levels.chain_pointers(first, last)
            }
            #[$inline]
            fn indices(levels: &mut Levels, level: usize) -> Result<Indices<Self>, Error> {
                levels.entry_indices(level)
            }
            #[$inline]
            fn aligned(levels: &mut Levels, level: usize) -> Result<Indices<Self>, Error> {
                levels.aligned(level)
            }
            #[$inline]
            fn invariant(levels: &mut Levels, level: usize) -> Result<Indices<Self>, Error> {
                levels.invariant(level)
            }
            #[$inline]
            fn filled(levels: &mut Levels, level: usize, entries: u128) -> Result<Filled<Self>, Error> {
                levels.filled(level, entries)
            }
            #[$inline]
            fn finish(array: Filled<Self>, misfit: Misfit, inside: bool) -> Result<Indices<Self>, Error> {
                array.finish(misfit, inside)
            }
        }
    )*};
}

// The integers of stock formats.
array_integer!(#[inline(never)] u32 i32);
// Compiled in the crates that use them.
array_integer!(#[inline] u8 u16 u64 usize i8 i16 i64 isize);
