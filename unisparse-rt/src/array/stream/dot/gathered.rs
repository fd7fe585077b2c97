//! Prefetching the elements of a dense vector that a product gathers.

use core::ops::Range;

use super::super::entries::Segments;
use super::super::{Gather, Stream, Value};
use crate::element::{Index, Stored};
use crate::machine::prefetch;

impl<P: Index, A: Stream<Item: Stored>, S: Stream<Item: Index>> Segments<'_, P, (A, Gather<'_, S, Value<A>>)> {
    /// Returns whether it pays to prefetch the elements of the dense vector that the entries at these positions select: the vector is large,
    /// and these elements are scattered.
    #[inline(always)]
    pub(super) fn gathers_far(&self, positions: Range<usize>) -> bool {
        let (gather, size) = (&self.stream().1, size_of::<Value<A>>());
        prefetch::IS_USED
            && size_of_val(gather.data()) > prefetch::FAR_GATHER
            && are_scattered(gather.indices(), positions, size)
    }

    /// Prefetches the elements that later entries select: as many as the range has, [`prefetch::GATHERED_AHEAD`] positions after it.
    ///
    /// [`ahead`](super::super::entries::Entries::ahead) does so for one entry in each step of a loop, but a step is four entries here.
    /// While a processor waits for memory, it looks ahead at about 50 entries, and often at fewer, as it predicts where rows end.
    #[inline(always)]
    pub(super) fn prefetch_gathered(&self, Range { start, end }: Range<usize>) {
        let gather = &self.stream().1;
        let indices = gather.indices();
        let end = indices.len().min(end.wrapping_add(prefetch::GATHERED_AHEAD));
        for at in start.wrapping_add(prefetch::GATHERED_AHEAD)..end {
            // SAFETY: the position is below the number of indices.
            prefetch::read(gather.data(), unsafe { indices.look(at) }.to_usize());
        }
    }
}

/// Returns the positions between the first of these starts and the last.
#[inline(always)]
pub(super) fn range_of<P: Index>(starts: &[P]) -> Range<usize> {
    match starts {
        [first, .., last] => first.to_usize()..last.to_usize(),
        _ => 0..0,
    }
}

/// Returns whether most elements that the indices at these positions select, of this size in bytes, are neither on a cache line of one of
/// the 64 elements before them nor on the next to it. It looks at a sample of 128 elements.
// Never inlined: a product calls it once for each piece.
#[inline(never)]
pub(super) fn are_scattered<S: Stream<Item: Index>>(indices: &S, positions: Range<usize>, size: usize) -> bool {
    /// Number of samples.
    const SAMPLES: usize = 4;
    /// Number of indices of a sample that are compared.
    const COMPARED: usize = 32;
    /// Number of indices before each of these to which it is compared.
    const BEFORE: usize = 64;
    let between = positions.len() / SAMPLES;
    if between < BEFORE + COMPARED || positions.end > indices.len() {
        return false;
    }
    let mut scattered = 0;
    for sample in 0..SAMPLES {
        let first = positions.start + sample * between;
        // SAFETY: the position is before the end, which is at most the number of indices.
        let line = |at: usize| unsafe { indices.look(first + at) }.to_usize() * size / prefetch::LINE;
        let lines: [usize; BEFORE + COMPARED] = core::array::from_fn(line);
        for (before, &line) in lines.windows(BEFORE).zip(&lines[BEFORE..]) {
            scattered += usize::from(before.iter().all(|other| other.abs_diff(line) > 1));
        }
    }
    scattered > SAMPLES * COMPARED / 2
}
