//! The comparisons that value maps use: `value > 0.5`.

use core::cmp::Ordering;

use crate::element::{Scalar as _, Stored};

/// Returns `value == number`.
#[inline]
pub fn equal<T: Stored>(value: T, number: f64) -> bool {
    value.value().compare(number) == Some(Ordering::Equal)
}

/// Returns `value != number`, except for NaN: it compares with nothing, so the result is `false`.
#[inline]
pub fn different<T: Stored>(value: T, number: f64) -> bool {
    #[expect(clippy::eq_op, reason = "whether the value is a number at all")]
    let comparable = value == value;
    comparable && !equal(value, number)
}

/// Returns `value < number`.
#[inline]
pub fn less<T: Stored>(value: T, number: f64) -> bool {
    value.value().compare(number).is_some_and(Ordering::is_lt)
}

/// Returns `value <= number`.
#[inline]
pub fn less_or_equal<T: Stored>(value: T, number: f64) -> bool {
    value.value().compare(number).is_some_and(Ordering::is_le)
}

/// Returns `value > number`.
#[inline]
pub fn greater<T: Stored>(value: T, number: f64) -> bool {
    value.value().compare(number).is_some_and(Ordering::is_gt)
}

/// Returns `value >= number`.
#[inline]
pub fn greater_or_equal<T: Stored>(value: T, number: f64) -> bool {
    value.value().compare(number).is_some_and(Ordering::is_ge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex;

    #[test]
    fn as_the_operators_of_the_type() {
        for value in [-1.5, 0.0, 0.5, 2.0] {
            for number in [-1.5, 0.0, 0.5, 2.0] {
                assert_eq!(equal(value, number), value == number);
                assert_eq!(different(value, number), value != number);
                assert_eq!(less(value, number), value < number);
                assert_eq!(less_or_equal(value, number), value <= number);
                assert_eq!(greater(value, number), value > number);
                assert_eq!(greater_or_equal(value, number), value >= number);
            }
        }
    }

    #[test]
    fn nothing_holds_of_what_cannot_be_compared() {
        type Comparison<T> = fn(T, f64) -> bool;
        let all: [Comparison<f64>; 6] = [equal, different, less, less_or_equal, greater, greater_or_equal];
        assert!(all.iter().all(|holds| !holds(f64::NAN, 1.0)));
        let (two, complex) = (Complex::new(2.0, 0.0), Complex::new(2.0, 1.0));
        assert!(equal(two, 2.0) && !different(two, 2.0));
        assert!(!equal(complex, 2.0) && different(complex, 2.0));
        let ordered: [Comparison<Complex<f64>>; 4] = [less, less_or_equal, greater, greater_or_equal];
        assert!(ordered.iter().all(|holds| !holds(complex, 3.0) && !holds(two, 3.0)));
    }
}
