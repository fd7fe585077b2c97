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
    /// Appends the entries as a device has them in memory: little-endian, one after another.
    #[cfg(any(feature = "cuda", feature = "hls"))]
    fn append_bytes(&self, into: &mut Vec<u8>);
    /// Counts the entries, shifted right by `shift` bits.
    ///
    /// # Panics
    /// If there is no count for an entry.
    fn count_each(&self, shift: u32, counts: &mut [u32]) {
        (0..self.len()).for_each(|position| counts[self.at(position) as usize >> shift] += 1);
    }
}

/// Counts the entries of an array, shifted right by `shift` bits.
///
/// # Panics
/// If there is no count for an entry.
pub(crate) fn count_each<I: Index>(entries: &[I], shift: u32, counts: &mut [u32]) {
    // Eight at a time: a loop of one takes up to twice as long, by where its few instructions are placed.
    let chunks = entries.chunks_exact(8);
    let rest = chunks.remainder();
    for chunk in chunks {
        let chunk: &[I; 8] = chunk.try_into().expect("a chunk has eight items");
        chunk.iter().for_each(|entry| counts[entry.to_usize() >> shift] += 1);
    }
    rest.iter().for_each(|entry| counts[entry.to_usize() >> shift] += 1);
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
            #[cfg(any(feature = "cuda", feature = "hls"))]
            fn append_bytes(&self, into: &mut Vec<u8>) {
                append_bytes(self.iter().copied(), into);
            }
            fn count_each(&self, shift: u32, counts: &mut [u32]) {
                count_each(self, shift, counts);
            }
        }
    )*};
}

index_array!(Indices, Pointers);

/// Appends the low bytes of each entry, as many as its type has.
#[cfg(any(feature = "cuda", feature = "hls"))]
pub(super) fn append_bytes<I: Index>(entries: impl ExactSizeIterator<Item = I>, into: &mut Vec<u8>) {
    into.reserve(entries.len() * size_of::<I>());
    entries.for_each(|entry| into.extend_from_slice(&entry.to_i64().to_le_bytes()[..size_of::<I>()]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_counted_by_their_high_bits() {
        let entries: Vec<u16> = (0..43).map(|at| at * 7 % 31).collect();
        for shift in [0, 1, 3, 5] {
            let (mut counts, mut expected) = ([0; 31], [0; 31]);
            count_each(&entries, shift, &mut counts);
            entries
                .iter()
                .for_each(|&entry| expected[usize::from(entry >> shift)] += 1);
            assert_eq!(counts, expected);
        }
    }
}
