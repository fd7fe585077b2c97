//! Operations of kernels on elements beyond sums and products: order, sign, literals.

use core::any::type_name;
#[cfg(feature = "half")]
use core::cmp::Ordering;

use num_complex::Complex;

use super::scalar::Scalar;
use crate::error::{Error, ErrorKind};

/// An element type with an order, as the reductions `min=` and `max=` of a kernel require.
#[diagnostic::on_unimplemented(
    message = "`min=` and `max=` need an order of the elements, and `{Self}` has none",
    note = "the primitive numbers, `bool`, and types that implement `unisparse::Ordered` have one"
)]
pub trait Ordered: Scalar {
    /// The least element: the initial value of a scalar output of `max=`.
    const LEAST: Self;
    /// The greatest element: the initial value of a scalar output of `min=`.
    const GREATEST: Self;
    /// The identity of [`lesser`](Ordered::lesser), with which loops start: `NO_LESSER.lesser(x)` is `x` for every `x`. NaN for
    /// floats, because a NaN operand yields the other operand; so the result of NaNs alone is NaN.
    const NO_LESSER: Self = Self::GREATEST;
    /// The identity of [`greater`](Ordered::greater), with which loops start: `NO_GREATER.greater(x)` is `x` for every `x`. NaN
    /// for floats.
    const NO_GREATER: Self = Self::LEAST;

    /// Returns the lesser of two elements; if one is NaN, the other.
    #[must_use]
    fn lesser(self, other: Self) -> Self;

    /// Returns the greater of two elements; if one is NaN, the other.
    #[must_use]
    fn greater(self, other: Self) -> Self;
}

/// An element type with negatives, as `-` in a kernel requires.
#[diagnostic::on_unimplemented(
    message = "`-` in a kernel needs elements with a negative, and `{Self}` has none",
    note = "numbers and types that implement `unisparse::Negate` have one"
)]
pub trait Negate: Scalar {
    /// Returns the additive inverse. Integers wrap around, as `wrapping_neg` does.
    #[must_use]
    fn negated(self) -> Self;
}

/// An element type that represents integers, as a literal like `2` in a kernel requires, and an index used as a value.
#[diagnostic::on_unimplemented(
    message = "an integer in a kernel needs elements that are numbers, and `{Self}` is none",
    note = "numbers and types that implement `unisparse::FromInteger` are"
)]
pub trait FromInteger: Scalar {
    /// Returns the element for this number, or the nearest one.
    #[must_use]
    fn from_integer(number: i64) -> Self;

    /// Returns whether there is an element for this number, possibly a rounded one. A kernel with a literal for which there is
    /// none returns an error when it is called.
    #[inline]
    #[must_use]
    fn holds_integer(_number: i64) -> bool {
        true
    }
}

/// Checks that the element type holds every coordinate of an index that is used as a value.
///
/// # Errors
/// `Overflow`, naming the index, its extent and the type.
pub fn check_coordinates<T: FromInteger>(index: &str, extent: usize) -> Result<(), Error> {
    // Extents are at most 2^62.
    match extent.checked_sub(1) {
        Some(greatest) if !T::holds_integer(greatest as i64) => Err(Error::new(
            ErrorKind::Overflow,
            format!("index `{index}`"),
            None,
            format!("an extent of {extent}"),
            format!("coordinates that `{}` holds: the index is a value", type_name::<T>()),
        )),
        _ => Ok(()),
    }
}

/// An element type that represents fractions, as a literal like `0.5` in a kernel requires.
#[diagnostic::on_unimplemented(
    message = "a number with a point in a kernel needs elements with fractions, and `{Self}` has none",
    note = "`f32`, `f64`, `f16`, `bf16`, `Complex`, and types that implement `unisparse::FromFloat` have"
)]
pub trait FromFloat: Scalar {
    /// Returns the element for this number, or the nearest one; infinite if the number is beyond all elements.
    #[must_use]
    fn from_float(number: f64) -> Self;

    /// Returns whether there is a finite element for this finite number, possibly a rounded one. A kernel with a literal for
    /// which there is none returns an error when it is called.
    #[inline]
    #[must_use]
    fn holds_float(_number: f64) -> bool {
        true
    }
}

macro_rules! float_operators {
    ($($float:ty),*) => {$(
        impl Ordered for $float {
            const LEAST: Self = <$float>::NEG_INFINITY;
            const GREATEST: Self = <$float>::INFINITY;
            const NO_LESSER: Self = <$float>::NAN;
            const NO_GREATER: Self = <$float>::NAN;
            #[inline]
            fn lesser(self, other: Self) -> Self { self.min(other) }
            #[inline]
            fn greater(self, other: Self) -> Self { self.max(other) }
        }
        impl Negate for $float {
            #[inline]
            fn negated(self) -> Self { -self }
        }
    )*};
}

macro_rules! float_literals {
    ($($float:ty),*) => {$(
        impl FromInteger for $float {
            #[inline]
            fn from_integer(number: i64) -> Self { number as $float }
        }
        impl FromFloat for $float {
            #[inline]
            fn from_float(number: f64) -> Self { number as $float }
            #[inline]
            fn holds_float(number: f64) -> bool { (number as $float).is_finite() }
        }
        impl Negate for Complex<$float> {
            #[inline]
            fn negated(self) -> Self { -self }
        }
        impl FromInteger for Complex<$float> {
            #[inline]
            fn from_integer(number: i64) -> Self { Complex { re: number as $float, im: 0.0 } }
        }
        impl FromFloat for Complex<$float> {
            #[inline]
            fn from_float(number: f64) -> Self { Complex { re: number as $float, im: 0.0 } }
            #[inline]
            fn holds_float(number: f64) -> bool { (number as $float).is_finite() }
        }
    )*};
}

macro_rules! integer_operators {
    ($($integer:ty),*) => {$(
        impl Ordered for $integer {
            const LEAST: Self = <$integer>::MIN;
            const GREATEST: Self = <$integer>::MAX;
            #[inline]
            fn lesser(self, other: Self) -> Self { self.min(other) }
            #[inline]
            fn greater(self, other: Self) -> Self { self.max(other) }
        }
        impl Negate for $integer {
            #[inline]
            fn negated(self) -> Self { self.wrapping_neg() }
        }
        impl FromInteger for $integer {
            #[inline]
            fn from_integer(number: i64) -> Self {
                let nearest = if number < 0 { <$integer>::MIN } else { <$integer>::MAX };
                number.try_into().unwrap_or(nearest)
            }
            #[inline]
            fn holds_integer(number: i64) -> bool { <$integer>::try_from(number).is_ok() }
        }
    )*};
}

float_operators!(f32, f64);
float_literals!(f32, f64);
integer_operators!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

/// `false` is less than `true`.
impl Ordered for bool {
    const LEAST: Self = false;
    const GREATEST: Self = true;
    #[inline]
    fn lesser(self, other: Self) -> Self {
        self & other
    }
    #[inline]
    fn greater(self, other: Self) -> Self {
        self | other
    }
}

#[cfg(feature = "half")]
float_operators!(half::f16, half::bf16);

/// Rounds a number to odd: returns its nearest `f32`, `nearest`, if that is exact or odd, else the adjacent `f32` on the
/// number's side. Rounding the result to half precision equals rounding the number itself once. `side` compares the number's
/// magnitude with the magnitude of `nearest`.
#[cfg(feature = "half")]
pub(crate) fn to_odd(nearest: f32, side: Ordering) -> f32 {
    let bits = nearest.to_bits();
    match side {
        Ordering::Less if bits & 1 == 0 => f32::from_bits(bits - 1),
        Ordering::Greater if bits & 1 == 0 => f32::from_bits(bits + 1),
        _ => nearest,
    }
}

#[cfg(feature = "half")]
macro_rules! half_literals {
    ($($float:ty),*) => {$(
        impl FromInteger for $float {
            #[inline]
            fn from_integer(number: i64) -> Self {
                let nearest = number as f32;
                // An inexact `f32` is an integer here.
                let side = i128::from(number).unsigned_abs().cmp(&(nearest.abs() as u128));
                <$float>::from_f32(to_odd(nearest, side))
            }
            #[inline]
            fn holds_integer(number: i64) -> bool { <$float>::from_integer(number).is_finite() }
        }
        impl FromFloat for $float {
            #[inline]
            fn from_float(number: f64) -> Self {
                let nearest = number as f32;
                let side = number.abs().partial_cmp(&f64::from(nearest.abs()));
                // NaN stays NaN.
                <$float>::from_f32(side.map_or(nearest, |side| to_odd(nearest, side)))
            }
            #[inline]
            fn holds_float(number: f64) -> bool { <$float>::from_float(number).is_finite() }
        }
    )*};
}

#[cfg(feature = "half")]
half_literals!(half::f16, half::bf16);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn identities<T: Ordered>(value: T) {
        assert_eq!((value.lesser(T::GREATEST), value.greater(T::LEAST)), (value, value));
        assert_eq!(
            (value.lesser(T::NO_LESSER), value.greater(T::NO_GREATER)),
            (value, value)
        );
        assert_eq!(
            (T::NO_LESSER.lesser(value), T::NO_GREATER.greater(value)),
            (value, value)
        );
        assert_eq!(
            (T::LEAST.lesser(value), T::GREATEST.greater(value)),
            (T::LEAST, T::GREATEST)
        );
    }

    #[test]
    fn every_type_has_its_ends() {
        [f64::MIN, -1.0, 0.0, f64::MAX].into_iter().for_each(identities);
        [f32::MIN, 1.0, f32::INFINITY].into_iter().for_each(identities);
        [false, true].into_iter().for_each(identities);
        [i8::MIN, 0, i8::MAX].into_iter().for_each(identities);
        [0, 1, u128::MAX].into_iter().for_each(identities);
    }

    #[cfg(feature = "half")]
    #[test]
    fn halves_are_ordered_numbers() {
        use half::{bf16, f16};
        [f16::MIN, f16::ZERO, f16::INFINITY].into_iter().for_each(identities);
        [bf16::MIN, bf16::ONE].into_iter().for_each(identities);
        assert_eq!(f16::NAN.lesser(f16::ONE), f16::ONE);
        assert_eq!(bf16::ONE.greater(bf16::NAN), bf16::ONE);
        assert_eq!(f16::from_integer(-3).negated(), f16::from_float(3.0));
        assert_eq!(f16::from_integer(i64::MAX), f16::INFINITY);
        assert!(f16::NO_LESSER.lesser(f16::NAN).is_nan() && f16::from_float(f64::NAN).is_nan());
        assert!(f16::holds_integer(65_504) && !f16::holds_integer(65_520));
    }

    #[test]
    fn of_nan_and_a_number_the_number() {
        assert_eq!((f64::NAN.lesser(1.0), 1f64.lesser(f64::NAN)), (1.0, 1.0));
        assert_eq!((f32::NAN.greater(1.0), 1f32.greater(f32::NAN)), (1.0, 1.0));
        assert!(f64::NO_LESSER.lesser(f64::NAN).is_nan() && f64::NO_GREATER.greater(f64::NAN).is_nan());
    }

    #[cfg(feature = "half")]
    #[test]
    fn literals_are_rounded_to_halves_once() {
        use half::{bf16, f16};
        // Just above the midpoint of two halves: rounding to `f32` first would give the midpoint, which rounds to even.
        let above = f64::from_bits((1.0 + 2f64.powi(-11)).to_bits() + 1);
        assert_eq!(f16::from_float(above).to_f64(), 1.0 + 2f64.powi(-10));
        assert_eq!(f16::from_float(-above).to_f64(), -1.0 - 2f64.powi(-10));
        let below = f64::from_bits((1.0 + 3.0 * 2f64.powi(-11)).to_bits() - 1);
        assert_eq!(f16::from_float(below).to_f64(), 1.0 + 2f64.powi(-10));
        assert_eq!(
            (f16::from_float(65519.99), f16::from_float(65520.0)),
            (f16::MAX, f16::INFINITY)
        );
        assert_eq!(
            (f16::from_float(1e300), f16::from_float(-1e-300)),
            (f16::INFINITY, f16::NEG_ZERO)
        );
        assert_eq!(
            bf16::from_integer((1 << 60) + (1 << 52) + 1).to_f64(),
            2f64.powi(60) + 2f64.powi(53)
        );
        assert_eq!(bf16::from_integer((1 << 60) + (1 << 52)).to_f64(), 2f64.powi(60));
        assert_eq!(
            bf16::from_integer(-(1 << 60) - (1 << 52) - 1).to_f64(),
            -2f64.powi(60) - 2f64.powi(53)
        );
    }

    #[test]
    fn integers_that_do_not_fit_are_the_nearest() {
        assert_eq!((i8::from_integer(-300), i8::from_integer(300)), (i8::MIN, i8::MAX));
        assert_eq!(
            (u64::from_integer(-1), u64::from_integer(i64::MAX)),
            (0, i64::MAX as u64)
        );
        assert_eq!(i128::from_integer(i64::MIN), i128::from(i64::MIN));
        assert_eq!(f32::from_integer(1 << 40), 2f32.powi(40));
        assert_eq!(Complex::<f32>::from_float(0.5), Complex::new(0.5, 0.0));
    }

    #[test]
    fn coordinates_fit_or_are_an_error() {
        assert!(check_coordinates::<i8>("j", 0).is_ok() && check_coordinates::<i8>("j", 128).is_ok());
        assert!(check_coordinates::<f32>("j", 1 << 62).is_ok());
        let error = check_coordinates::<i8>("j", 129).unwrap_err();
        assert_eq!((error.kind(), error.subject()), (ErrorKind::Overflow, "index `j`"));
        assert!(
            error.found().contains("129") && error.expected().contains("`i8`"),
            "{error}"
        );
    }

    proptest! {
        #[test]
        fn a_negative_takes_away(value in any::<u8>(), other in any::<u8>(), float in -1e6..1e6f64) {
            prop_assert_eq!(value.plus(other.negated()), value.wrapping_sub(other));
            prop_assert_eq!((value as i8).negated().plus(value as i8), 0);
            prop_assert_eq!(float.plus(float.negated()), 0.0);
        }

        #[test]
        fn lesser_and_greater_are_both(value in any::<i16>(), other in any::<i16>()) {
            let both = [value.lesser(other), value.greater(other)];
            prop_assert!(both[0] <= both[1] && (both == [value, other] || both == [other, value]));
        }
    }
}
