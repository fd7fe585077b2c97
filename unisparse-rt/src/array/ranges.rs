//! Bounds of tightened loops, and the parts of arrays that these loops access.

use core::iter::StepBy;
use core::ops::Range;

use crate::machine::prefetch;

/// Returns `max(0, lows)..min(highs)`, empty if the highs are below the lows.
#[must_use]
pub fn span<const L: usize, const H: usize>(lows: [isize; L], highs: [isize; H]) -> Range<usize> {
    let low = lows.into_iter().fold(0, isize::max);
    let high = highs.into_iter().fold(isize::MAX, isize::min);
    low as usize..high.max(low) as usize
}

/// Returns `max(lows)..min(highs)`, empty if the highs are below the lows.
#[must_use]
pub fn span_signed<const L: usize, const H: usize>(lows: [isize; L], highs: [isize; H]) -> Range<isize> {
    let low = lows.into_iter().fold(isize::MIN, isize::max);
    let high = highs.into_iter().fold(isize::MAX, isize::min);
    low..high.max(low)
}

/// Iterates over the numbers in the range that are congruent to `residue` modulo `modulus`.
pub fn strided(range: Range<usize>, residue: isize, modulus: usize) -> StepBy<Range<usize>> {
    let skipped = residue.wrapping_sub(range.start as isize).rem_euclid(modulus as isize) as usize;
    (range.start.saturating_add(skipped)..range.end).step_by(modulus)
}

/// Iterates over the numbers in the range that are congruent to `residue` modulo `modulus`.
pub fn strided_signed(range: Range<isize>, residue: isize, modulus: usize) -> StepBy<Range<isize>> {
    let skipped = residue.wrapping_sub(range.start).rem_euclid(modulus as isize);
    (range.start.saturating_add(skipped)..range.end).step_by(modulus)
}

/// Returns `data` at the positions of `range` moved by `offset`.
///
/// # Panics
/// If the positions are not all inside.
#[inline]
#[must_use]
pub fn window<T>(data: &[T], range: Range<usize>, offset: isize) -> &[T] {
    if range.is_empty() {
        return &[];
    }
    &data[range.start.wrapping_add_signed(offset)..][..range.len()]
}

/// Like [`window`], for an array that an outer loop traverses: prefetches ahead.
///
/// # Panics
/// If the positions are not all inside.
#[inline(always)]
#[must_use]
pub fn window_ahead<T>(data: &[T], range: Range<usize>, offset: isize) -> &[T] {
    let window = window(data, range, offset);
    prefetch::ahead(window, 0, window.len());
    window
}

/// Like [`window`], for an output.
///
/// # Panics
/// If the positions are not all inside.
#[inline]
#[must_use]
pub fn window_mut<T>(data: &mut [T], range: Range<usize>, offset: isize) -> &mut [T] {
    if range.is_empty() {
        return &mut [];
    }
    &mut data[range.start.wrapping_add_signed(offset)..][..range.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_meet_and_never_turn_round() {
        assert_eq!(span([-2], [5, 3]), 0..3);
        assert_eq!(span([4], [3]), 4..4);
        assert_eq!(span([0], [-7]), 0..0);
        assert_eq!(span_signed([-2, -5], [3, 1]), -2..1);
        assert_eq!(span_signed([2], [-3]), 2..2);
    }

    #[test]
    fn strides_start_at_the_residue() {
        assert_eq!(strided(1..8, -3, 2).collect::<Vec<_>>(), [1, 3, 5, 7]);
        assert_eq!(strided(1..8, 4, 3).collect::<Vec<_>>(), [1, 4, 7]);
        assert_eq!(strided_signed(-3..4, 1, 4).collect::<Vec<_>>(), [-3, 1]);
        assert_eq!(strided_signed(-2..4, 1, 4).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn windows_move_with_their_offset() {
        let data = [0, 1, 2, 3, 4];
        assert_eq!(window(&data, 2..4, -1), [1, 2]);
        assert_eq!(window(&data, 0..2, 3), [3, 4]);
        assert_eq!(window_ahead(&data, 0..2, 3), [3, 4]);
        assert!(window(&data, 9..9, -20).is_empty());
    }
}
