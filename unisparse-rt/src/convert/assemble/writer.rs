//! The scatter of a parallel counting sort, one element at a time (`write_combining` scatters whole cache lines).

use super::histogram::PieceOffsets;
use super::keys::{Local, bucket, low_bits};
use crate::element::Stored;
use crate::machine::prefetch::SHORTLY_AFTER;
use crate::machine::scatter::ScatterSlice;

/// Writer of the elements of a piece to their places.
pub(crate) struct Writer<'a, T, L> {
    pub(super) piece: PieceOffsets<'a>,
    pub(super) shift: u32,
    pub(super) locals: ScatterSlice<'a, L>,
    pub(super) values: ScatterSlice<'a, T>,
}

impl<T: Stored, L: Local> Writer<'_, T, L> {
    /// Returns whether pieces may write to the same place: all writes are atomic.
    pub(super) fn may_meet() -> bool {
        ScatterSlice::<L>::is_atomic() && ScatterSlice::<T>::is_atomic()
    }

    /// Returns the same writer, borrowed.
    pub(super) fn reborrow(&mut self) -> Writer<'_, T, L> {
        Writer {
            piece: self.piece.reborrow(),
            ..*self
        }
    }

    /// Writes an element to the next place of its bucket.
    #[inline(always)]
    pub(super) fn write(&mut self, word: u64, value: T) {
        self.put(bucket(word, self.shift), word & low_bits(self.shift), value);
    }

    /// Writes an element to the next place of a bucket, with these bits of its word.
    #[inline(always)]
    pub(super) fn put(&mut self, bucket: usize, local: u64, value: T) {
        let place = if Self::may_meet() {
            self.piece.next(bucket)
        } else {
            self.piece.take(bucket)
        };
        // SAFETY: the writes are atomic, or the place is this element's alone.
        unsafe {
            self.locals
                .set_both::<SHORTLY_AFTER, _>(&self.values, place, (L::of_word(local), value));
        }
    }
}
