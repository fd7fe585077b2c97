//! Primitive numbers, `bool` and complex numbers as scalars.

use super::scalar::Scalar;
use core::cmp::Ordering;
use num_complex::Complex;

macro_rules! float_scalar {
    ($($float:ty),*) => {$(
        impl Scalar for $float {
            type Sum = Self;
            const ZERO: Self = 0.0;
            const NEUTRAL: Self = -0.0;
            const ONE: Self = 1.0;
            const IS_FLOAT: bool = true;
            #[inline]
            fn plus(self, other: Self) -> Self { self + other }
            #[inline]
            fn times(self, other: Self) -> Self { self * other }
            #[inline]
            fn compare(self, number: f64) -> Option<Ordering> { f64::from(self).partial_cmp(&number) }
        }
    )*};
}

macro_rules! integer_scalar {
    ($($integer:ty),*) => {$(
        impl Scalar for $integer {
            type Sum = Self;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            #[inline]
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline]
            fn times(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline]
            fn compare(self, number: f64) -> Option<Ordering> {
                // One past the greatest value: a power of two, so exact.
                const END: f64 = (<$integer>::MAX / 2 + 1) as f64 * 2.0;
                let floor = number.floor();
                if number.is_nan() {
                    None
                } else if number >= END {
                    Some(Ordering::Less)
                } else if number < <$integer>::MIN as f64 {
                    Some(Ordering::Greater)
                } else {
                    let fraction = if floor < number { Ordering::Less } else { Ordering::Equal };
                    Some(self.cmp(&(floor as $integer)).then(fraction))
                }
            }
        }
    )*};
}

float_scalar!(f32, f64);
integer_scalar!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

/// The Boolean semiring: `or` adds, `and` multiplies.
impl Scalar for bool {
    type Sum = Self;
    const ZERO: Self = false;
    const ONE: Self = true;
    #[inline]
    fn plus(self, other: Self) -> Self {
        self | other
    }
    #[inline]
    fn times(self, other: Self) -> Self {
        self & other
    }
    /// Compares as the numbers 0 and 1.
    #[inline]
    fn compare(self, number: f64) -> Option<Ordering> {
        u8::from(self).compare(number)
    }
}

macro_rules! complex_scalar {
    ($($float:ty),*) => {$(
        impl Scalar for Complex<$float> {
            type Sum = Self;
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const NEUTRAL: Self = Complex { re: -0.0, im: -0.0 };
            const ONE: Self = Complex { re: 1.0, im: 0.0 };
            #[inline]
            fn plus(self, other: Self) -> Self { self + other }
            #[inline]
            fn times(self, other: Self) -> Self { self * other }
            #[inline]
            fn compare(self, number: f64) -> Option<Ordering> {
                (self.im == 0.0 && f64::from(self.re) == number).then_some(Ordering::Equal)
            }
        }
    )*};
}

complex_scalar!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::scalar::Stored;
    use proptest::prelude::*;

    #[test]
    fn integers_compare_exactly_where_floats_round() {
        assert_eq!(u64::MAX.compare(2f64.powi(64)), Some(Ordering::Less));
        assert_eq!(i64::MAX.compare(2f64.powi(63)), Some(Ordering::Less));
        assert_eq!(i64::MIN.compare(-(2f64.powi(63))), Some(Ordering::Equal));
        assert_eq!(i64::MIN.compare(-1e300), Some(Ordering::Greater));
        assert_eq!(u128::MAX.compare(2f64.powi(128)), Some(Ordering::Less));
        let rounded = (1u64 << 53) as f64;
        assert_eq!(((1u64 << 53) + 1).compare(rounded), Some(Ordering::Greater));
        assert_eq!(0u8.compare(-0.5), Some(Ordering::Greater));
        assert_eq!(255u8.compare(255.5), Some(Ordering::Less));
        assert_eq!((-3i8).compare(-2.5), Some(Ordering::Less));
        assert_eq!((-2i8).compare(-2.5), Some(Ordering::Greater));
        assert_eq!(5i32.compare(f64::INFINITY), Some(Ordering::Less));
        assert_eq!(5i32.compare(f64::NEG_INFINITY), Some(Ordering::Greater));
        assert_eq!(5i32.compare(f64::NAN), None);
    }

    #[test]
    fn what_has_no_order_has_none() {
        assert_eq!(f32::NAN.compare(0.0), None);
        assert_eq!((-0.0f32).compare(0.0), Some(Ordering::Equal));
        assert_eq!(true.compare(0.5), Some(Ordering::Greater));
        assert_eq!(Complex::new(2.0, 0.0).compare(2.0), Some(Ordering::Equal));
        assert_eq!(Complex::new(2.0, 0.0).compare(1.0), None);
        assert_eq!(Complex::new(2.0f32, 1.0).compare(2.0), None);
    }

    #[test]
    fn sums_of_elements_that_are_sums_are_kept_in_place() {
        let mut places = [1.0, 2.0];
        let before = places.as_ptr();
        let moved = f64::with_sums(&mut places, |sums| {
            sums[1] = sums[1].plus(0.5f64.wide());
            sums.as_ptr() != before
        });
        assert_eq!((places, moved), ([1.0, 2.5], false));
    }

    #[cfg(feature = "half")]
    #[test]
    fn sums_of_halves_are_not_rounded_until_they_end() {
        use ::half::{bf16, f16};
        // From 256 on, `bf16` has no odd integers: a sum kept in `bf16` would not grow further.
        let ones = |count| core::iter::repeat_n(bf16::ONE, count);
        assert_eq!(ones(1000).fold(bf16::ZERO, Scalar::plus), bf16::from_f32(256.0));
        let sum = ones(1000).fold(0.0, |sum: f32, one| sum.plus(one.wide()));
        assert_eq!(bf16::narrow(sum), bf16::from_f32(1000.0));
        let mut places = [f16::from_f32(2048.0), f16::ONE];
        f16::with_sums(&mut places, |sums| {
            sums.iter_mut().for_each(|sum| *sum += 4.0);
        });
        assert_eq!(places, [f16::from_f32(2052.0), f16::from_f32(5.0)]);
    }

    proptest! {
        // Halves of integers are exact in `f64`; doubled, both sides can be compared in `i128`.
        #[test]
        fn integers_compare_as_doubled_ones(value in any::<i32>(), doubled in any::<i32>()) {
            let expected = (2 * i128::from(value)).cmp(&i128::from(doubled));
            prop_assert_eq!(value.compare(f64::from(doubled) / 2.0), Some(expected));
            let near = value.wrapping_sub(doubled % 3);
            prop_assert_eq!(value.compare(f64::from(near)), Some(value.cmp(&near)));
        }
    }
}
