//! Elements put into parts whole lines of cache at a time.
//!
//! Where parts are many, or begin a power of two apart, the store of each element misses the near caches, and the line it
//! brings in is thrown out before the next element of its part comes. Here a few elements of each part are held back
//! until they fill lines, which are written past the caches.

use super::counts::Piece;
use super::layout::Key;
use crate::shared::{Cells, settle};
use crate::{Stored, pages};

/// So many elements of each part are held back: their keys fill a line.
const HELD: usize = 16;
/// Fewer elements than that stay in a cache anyway.
const WORTHWHILE: usize = 1 << 17;

/// Whether elements with such values are written past the caches: else, those held back are only one more copy.
fn streams<T: Stored>() -> bool {
    cfg!(target_arch = "x86_64") && Cells::<T>::is_atomic()
}

/// Bits of the number of a part, at most: what is held of all stays in a second cache. Without that each part is a stream of
/// writes, and a core follows a few hundred.
pub(super) fn part_bits<T: Stored>() -> u32 {
    if streams::<T>() { 11 } else { 8 }
}

/// Elements of one part, each where its place is from the last border of `HELD` on.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Held<L, T> {
    locals: [L; HELD],
    values: [T; HELD],
}

/// Puts the elements of a piece where they belong.
pub(super) struct Combined<'a, L, T> {
    piece: Piece<'a>,
    held: Vec<Held<L, T>>,
    /// The first place of each part that is not written yet.
    written: Vec<u32>,
    locals: Cells<'a, L>,
    values: Cells<'a, T>,
}

impl<'a, L: Key, T: Stored> Combined<'a, L, T> {
    /// Whether that is worth it for so many elements in so many parts.
    pub(super) fn is_worthwhile(elements: usize, parts: usize) -> bool {
        streams::<T>() && elements >= WORTHWHILE && (2..=1 << part_bits::<T>()).contains(&parts)
    }

    /// Nothing put yet. No two pieces have the same place.
    pub(super) fn new(piece: Piece<'a>, (locals, values): (Cells<'a, L>, Cells<'a, T>)) -> Self {
        let nothing = Held {
            locals: [L::ZERO; HELD],
            values: [T::FILL; HELD],
        };
        Combined {
            held: pages::filled(nothing, piece.places().len()),
            written: piece.places().to_vec(),
            piece,
            locals,
            values,
        }
    }

    /// Puts the next element of a part.
    ///
    /// # Panics
    /// If the source gives other elements than were counted, and so more than the piece has places.
    #[inline(always)]
    pub(super) fn put(&mut self, part: usize, local: L, value: T) {
        let place = self.piece.take(part);
        let (held, at) = (&mut self.held[part], place % HELD);
        (held.locals[at], held.values[at]) = (local, value);
        if at == HELD - 1 {
            self.write(part, place + 1);
        }
    }

    /// Writes what is held of a part, up to the place `end`. Out of the loop, whose registers are for what each element needs.
    #[inline(never)]
    fn write(&mut self, part: usize, end: usize) {
        let start = self.written[part] as usize;
        let held = &self.held[part];
        // SAFETY: `take` gave these places to this piece alone, and nobody reads before this is dropped.
        unsafe {
            if end - start == HELD {
                // Of a length that is known, all lanes are written without a loop.
                self.locals.stream(start, &held.locals);
                self.values.stream(start, &held.values);
            } else {
                let range = start % HELD..start % HELD + (end - start);
                self.locals.stream(start, &held.locals[range.clone()]);
                self.values.stream(start, &held.values[range]);
            }
        }
        self.written[part] = end as u32;
    }

    /// Writes the rest.
    pub(super) fn finish(mut self) {
        for part in 0..self.written.len() {
            let end = self.piece.places()[part] as usize;
            self.write(part, end);
        }
    }
}

impl<L, T> Drop for Combined<'_, L, T> {
    /// Also where a source panics: what was streamed is settled before anyone has the arrays.
    fn drop(&mut self) {
        settle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::counts::Places;
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
            let cells = (Cells::new(&mut locals), Cells::new(&mut values));
            Places::new(lists.iter().map(count).collect()).fill(false, |list, piece| {
                let mut combined = Combined::new(piece, cells);
                for (at, &part) in lists[list].iter().enumerate() {
                    combined.put(part, number(list, at), f64::from(number(list, at)));
                }
                combined.finish();
            });
            prop_assert_eq!(&locals, &expected.iter().map(|&(_, number)| number).collect::<Vec<_>>());
            prop_assert!(locals.iter().map(|&number| f64::from(number)).eq(values));
        }
    }
}
