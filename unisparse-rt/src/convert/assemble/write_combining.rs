//! Write combining: a scatter into parts by whole cache lines.
//!
//! Where there are many parts, or where they begin a power of two apart, each store misses L1 and L2, and the line
//! it loads is evicted before the next element of its part comes. Here a few elements of each part are buffered until
//! they fill lines, which are written with non-temporal stores.

use super::histogram::PieceOffsets;
use super::keys::{Key, bucket, low_bits};
use crate::element::Stored;
use crate::machine::pages;
use crate::machine::scatter::{ScatterSlice, store_fence};

/// Number of elements buffered for each part: that many 32-bit keys fill a cache line.
const HELD: usize = 16;
/// Minimum number of elements for write combining into parts: fewer stay in a cache anyway.
const WORTHWHILE: usize = 1 << 17;
/// Minimum number for write combining into bins.
///
/// A counting sort of 1.3 * 10^5 to 1.3 * 10^6 elements into 512 to 2048 bins takes up to three times as long with it.
const INTO_BINS: usize = 1 << 21;

/// Returns whether values of type `T` are written with non-temporal stores; without these, buffering only adds a copy.
fn streams<T: Stored>() -> bool {
    cfg!(target_arch = "x86_64") && ScatterSlice::<T>::is_atomic()
}

/// Returns the usual and the maximum number of bits of a part number.
///
/// With write combining, the buffers of all parts take half of L2, or at most all of it. Without, each part is a stream of
/// writes, and a core follows a few hundred.
pub(super) fn part_bits<T: Stored>() -> (u32, u32) {
    if streams::<T>() { (11, 12) } else { (8, 8) }
}

/// Write-combining buffer of one part, indexed by place modulo `HELD`.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Held<L, T> {
    locals: [L; HELD],
    values: [T; HELD],
}

/// Write combiner: scatters the elements of a piece.
pub(super) struct WriteCombiner<'a, L, T> {
    piece: PieceOffsets<'a>,
    held: Vec<Held<L, T>>,
    /// First place of each part that is not written yet.
    written: Vec<u32>,
    locals: ScatterSlice<'a, L>,
    values: ScatterSlice<'a, T>,
}

impl<'a, L: Key, T: Stored> WriteCombiner<'a, L, T> {
    /// Returns whether write combining is worth it for this many elements and parts, which may be bins.
    pub(super) fn is_worthwhile(elements: usize, parts: usize, are_bins: bool) -> bool {
        let least = if are_bins { INTO_BINS } else { WORTHWHILE };
        streams::<T>() && elements >= least && (2..=1 << part_bits::<T>().1).contains(&parts)
    }

    /// Creates empty buffers for `piece`. No two pieces have the same place.
    pub(super) fn new(piece: PieceOffsets<'a>, (locals, values): (ScatterSlice<'a, L>, ScatterSlice<'a, T>)) -> Self {
        let nothing = Held {
            locals: [L::ZERO; HELD],
            values: [T::FILL; HELD],
        };
        WriteCombiner {
            held: pages::filled(nothing, piece.places().len()),
            written: piece.places().to_vec(),
            piece,
            locals,
            values,
        }
    }

    /// Appends elements, each to the part whose number is its word without the lowest `shift` bits, with these bits.
    ///
    /// # Panics
    /// If the source gives other elements than were counted, so that the piece has no place left.
    pub(super) fn append(&mut self, words: &[u64], values: &[T], shift: u32) {
        // Local copies, which the loop keeps in registers.
        let (mut piece, held, written) = (self.piece.reborrow(), &mut self.held[..], &mut self.written[..]);
        let arrays = (self.locals, self.values);
        for (&word, &value) in words.iter().zip(values) {
            let part = bucket(word, shift);
            let place = piece.take(part);
            let (held, at) = (&mut held[part], place % HELD);
            (held.locals[at], held.values[at]) = (L::of_word(word & low_bits(shift)), value);
            if at == HELD - 1 {
                write(held, &mut written[part], place + 1, arrays);
            }
        }
    }

    /// Writes the elements that are still buffered.
    pub(super) fn finish(mut self) {
        let arrays = (self.locals, self.values);
        let parts = self.held.iter().zip(&mut self.written).zip(self.piece.places());
        for ((held, written), &end) in parts {
            write(held, written, end as usize, arrays);
        }
    }
}

/// Writes the buffered elements of a part, from the first place that is not written yet up to the place `end`.
///
/// Not inlined, so that the loop around it keeps its registers for the work on each element.
#[inline(never)]
fn write<L: Key, T: Stored>(
    held: &Held<L, T>,
    written: &mut u32,
    end: usize,
    (locals, values): (ScatterSlice<'_, L>, ScatterSlice<'_, T>),
) {
    let start = *written as usize;
    // SAFETY: `take` gave these places to this piece alone, and nobody reads them before the combiner is dropped.
    unsafe {
        if end - start == HELD {
            // The length is constant here, so all lanes are written without a loop.
            locals.stream(start, &held.locals);
            values.stream(start, &held.values);
        } else {
            let range = start % HELD..start % HELD + (end - start);
            locals.stream(start, &held.locals[range.clone()]);
            values.stream(start, &held.values[range]);
        }
    }
    *written = end as u32;
}

impl<L, T> Drop for WriteCombiner<'_, L, T> {
    /// Fences the streamed stores before anyone reads the arrays, also where a source panics.
    fn drop(&mut self) {
        store_fence();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::assemble::histogram::ScatterOffsets;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn elements_keep_their_order_in_parts(
            lists in proptest::collection::vec(proptest::collection::vec(0usize..9, 0..300), 1..4),
        ) {
            let count = |list: &Vec<usize>| {
                let mut counts = vec![0u32; 9];
                list.iter().for_each(|&part| counts[part] += 1);
                counts
            };
            let number = |list: usize, at: usize| (1000 * list + at) as u32;
            let mut expected: Vec<(usize, u32)> = Vec::new();
            for (list, parts) in lists.iter().enumerate() {
                expected.extend(parts.iter().enumerate().map(|(at, &part)| (part, number(list, at))));
            }
            expected.sort_by_key(|&(part, _)| part);
            let (mut locals, mut values) = (vec![0u32; expected.len()], vec![0.0; expected.len()]);
            let cells = (ScatterSlice::new(&mut locals), ScatterSlice::new(&mut values));
            ScatterOffsets::new(lists.iter().map(count).collect()).fill(false, |list, piece| {
                let mut combined = WriteCombiner::new(piece, cells);
                for (at, &part) in lists[list].iter().enumerate() {
                    let (word, value) = ((part as u64) << 32 | u64::from(number(list, at)), f64::from(number(list, at)));
                    combined.append(&[word], &[value], 32);
                }
                combined.finish();
            });
            prop_assert_eq!(&locals, &expected.iter().map(|&(_, number)| number).collect::<Vec<_>>());
            prop_assert!(locals.iter().map(|&number| f64::from(number)).eq(values));
        }
    }
}
