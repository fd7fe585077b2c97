//! Values and positions that may be missing where operands are merged.

use core::ops::Range;

/// Combines both values, or returns the one that is present.
#[inline]
pub fn either<T>(left: Option<T>, right: Option<T>, combine: impl FnOnce(T, T) -> T) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(combine(left, right)),
        (left, right) => left.or(right),
    }
}

/// Returns, as a range, the position at `offset` among the `size` positions below the first position of `parent`; an empty range if
/// `parent` is empty.
#[inline]
#[must_use]
pub fn child(parent: &Range<usize>, size: usize, offset: usize) -> Range<usize> {
    if parent.is_empty() {
        return 0..0;
    }
    let at = parent.start * size + offset;
    at..at + 1
}

/// Returns one coordinate of the element of a box that has this `number` in row-major order.
///
/// The dim has this `extent`; `inner` are the extents of the dims after it.
#[inline]
#[must_use]
pub fn digit(number: usize, inner: &[usize], extent: usize) -> usize {
    number / inner.iter().product::<usize>() % extent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn present_values_are_combined() {
        let plus = |left, right| left + right;
        assert_eq!(either(Some(2), Some(3), plus), Some(5));
        assert_eq!(either(Some(2), None, plus), Some(2));
        assert_eq!(either(None, Some(3), plus), Some(3));
        assert_eq!(either(None, None, plus), None::<i32>);
    }

    #[test]
    fn positions_below_one_that_may_be_missing() {
        assert_eq!(child(&(3..4), 5, 2), 17..18);
        assert_eq!(child(&(0..0), 5, 2), 0..0);
    }

    #[test]
    fn numbers_have_digits() {
        let shape = [2, 3, 4];
        for number in 0..24 {
            let digits = [
                digit(number, &shape[1..], shape[0]),
                digit(number, &shape[2..], shape[1]),
                digit(number, &[], shape[2]),
            ];
            assert_eq!((digits[0] * 3 + digits[1]) * 4 + digits[2], number);
        }
    }
}
