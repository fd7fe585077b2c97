//! What a kernel may say of elements beyond sums and products: order, sign, literals.

use num_complex::Complex;

use super::Scalar;

/// An element with an order: what the reductions `min=` and `max=` of a kernel need.
#[diagnostic::on_unimplemented(
    message = "`min=` and `max=` need an order of the elements, and `{Self}` has none",
    note = "the primitive numbers, `bool`, and types that implement `unisparse::Ordered` have one"
)]
pub trait Ordered: Scalar {
    /// The identity of [`greater`](Ordered::greater): no element is less.
    const LEAST: Self;
    /// The identity of [`lesser`](Ordered::lesser): no element is greater.
    const GREATEST: Self;

    /// The lesser of two elements. Of NaN and another, the other.
    #[must_use]
    fn lesser(self, other: Self) -> Self;

    /// The greater of two elements. Of NaN and another, the other.
    #[must_use]
    fn greater(self, other: Self) -> Self;
}

/// An element with a negative: what `-` in a kernel needs.
#[diagnostic::on_unimplemented(
    message = "`-` in a kernel needs elements with a negative, and `{Self}` has none",
    note = "numbers and types that implement `unisparse::Negate` have one"
)]
pub trait Negate: Scalar {
    /// What gives zero if it is added. Integers wrap around, as `wrapping_neg` does.
    #[must_use]
    fn negated(self) -> Self;
}

/// An element that an integer stands for: what a literal like `2` in a kernel needs.
#[diagnostic::on_unimplemented(
    message = "an integer in a kernel needs elements that are numbers, and `{Self}` is none",
    note = "numbers and types that implement `unisparse::FromInteger` are"
)]
pub trait FromInteger: Scalar {
    /// The element that is this number, or the nearest that there is.
    #[must_use]
    fn from_integer(number: i64) -> Self;
}

/// An element that a number with a point stands for: what a literal like `0.5` in a kernel needs.
#[diagnostic::on_unimplemented(
    message = "a number with a point in a kernel needs elements with fractions, and `{Self}` has none",
    note = "`f32`, `f64`, `f16`, `bf16`, `Complex`, and types that implement `unisparse::FromFloat` have"
)]
pub trait FromFloat: Scalar {
    /// The element that is this number, rounded if it must be.
    #[must_use]
    fn from_float(number: f64) -> Self;
}

macro_rules! float_operators {
    ($($float:ty),*) => {$(
        impl Ordered for $float {
            const LEAST: Self = <$float>::NEG_INFINITY;
            const GREATEST: Self = <$float>::INFINITY;
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

#[cfg(feature = "half")]
macro_rules! half_literals {
    ($($float:ty),*) => {$(
        impl FromInteger for $float {
            #[inline]
            fn from_integer(number: i64) -> Self { <$float>::from_f64(number as f64) }
        }
        impl FromFloat for $float {
            #[inline]
            fn from_float(number: f64) -> Self { <$float>::from_f64(number) }
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
    }

    #[test]
    fn of_nan_and_a_number_the_number() {
        assert_eq!((f64::NAN.lesser(1.0), 1f64.lesser(f64::NAN)), (1.0, 1.0));
        assert_eq!((f32::NAN.greater(1.0), 1f32.greater(f32::NAN)), (1.0, 1.0));
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
