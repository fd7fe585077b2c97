//! Binary search in what is no slice.

use core::ops::Range;

/// Returns the first position from which on the condition holds; the end if there is none. Takes `O(log positions)`.
#[inline]
pub(crate) fn first_where(positions: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut start, mut end) = (positions.start, positions.end);
    while start < end {
        let middle = start + (end - start) / 2;
        if holds(middle) {
            end = middle;
        } else {
            start = middle + 1;
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::first_where;

    #[test]
    fn the_first_position_where_the_condition_holds() {
        for start in 0..4 {
            for end in start..9 {
                for first in start..=end {
                    assert_eq!(first_where(start..end, |at| at >= first), first);
                }
            }
        }
    }
}
