//! Integer arrays with their entry type erased.

use super::indices::Indices;
use super::pointers::Pointers;
use crate::element::Index;

/// An integer array with its entry type erased.
pub trait IndexArray {
    /// Returns the length.
    fn len(&self) -> usize;
    /// Returns the entry at `position`.
    fn at(&self, position: usize) -> i64;
    /// Returns the name of the entry's type.
    fn type_name(&self) -> &'static str;
    /// Adds one to the count at each entry.
    ///
    /// # Panics
    /// If there is no count at an entry.
    fn count_each(&self, counts: &mut [u32]) {
        (0..self.len()).for_each(|position| counts[self.at(position) as usize] += 1);
    }
}

macro_rules! index_array {
    ($($array:ident),*) => {$(
        impl<I: Index> IndexArray for $array<I> {
            fn len(&self) -> usize {
                <[I]>::len(self)
            }
            fn at(&self, position: usize) -> i64 {
                self[position].to_i64()
            }
            fn type_name(&self) -> &'static str {
                I::NAME
            }
            fn count_each(&self, counts: &mut [u32]) {
                self.iter().for_each(|entry| counts[entry.to_usize()] += 1);
            }
        }
    )*};
}

index_array!(Indices, Pointers);
