//! Element types: the values that tensors hold and kernels compute with.

#[cfg(feature = "half")]
mod half;
mod index;
mod narrow;
mod operators;
mod stored;

use core::cmp::Ordering;
use core::fmt::Debug;
use num_complex::Complex;

pub use index::Index;
pub use narrow::{Narrow, Pattern};
#[cfg(feature = "half")]
pub(crate) use operators::to_odd;
pub use operators::{FromFloat, FromInteger, Negate, Ordered, check_coordinates};
pub use stored::{Padding, Stored, keeping_holes};

/// A value that kernels compute with: it has a zero, a one, a sum and a product. Tensors [store](Stored) scalars, or types
/// that read as scalars.
///
/// [`ZERO`](Scalar::ZERO) is the value of absent coordinates and of the holes of padded formats. Sums of products use only
/// [`plus`](Scalar::plus) and [`times`](Scalar::times), so a newtype that implements this trait is a semiring: `plus` must
/// be associative and commutative with the identity `ZERO`, `times` must distribute over it, and `ZERO` must annihilate.
/// Further operations of kernels require [`Negate`], [`Ordered`], [`FromInteger`] or [`FromFloat`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar: a value with a zero, a one, a sum and a product",
    note = "scalars are the primitive numbers, `bool`, `Complex`, and types that implement `unisparse::Scalar`",
    note = "`Pattern` and `Narrow` are stored, and read as scalars; formats with holes hold nothing without a zero, as `Pattern`"
)]
pub trait Scalar: Copy + PartialEq + Debug + Send + Sync + 'static + Stored<Value = Self> {
    /// The type in which products and sums are computed: `Self`, except for `f16` and `bf16`, which use `f32`.
    type Sum: Accumulator<Self>;

    /// The identity of [`plus`](Scalar::plus), and the value of coordinates that are not stored.
    const ZERO: Self;
    /// The identity of [`times`](Scalar::times); the value of an entry of a pattern file.
    const ONE: Self;

    /// Whether this is `f32` or `f64`, for which this crate has compiled what is generic elsewhere.
    #[doc(hidden)]
    const IS_FLOAT: bool = false;

    /// Returns the sum of two elements. Integers wrap around, as `wrapping_add` does.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// Returns the product of two elements. Integers wrap around, as `wrapping_mul` does.
    #[must_use]
    fn times(self, other: Self) -> Self;

    /// Returns whether this is [`ZERO`](Scalar::ZERO). Negative zero is, NaN is not.
    #[inline]
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// Compares this with a number, exactly; `None` if they are unordered, as NaN and complex numbers are.
    ///
    /// The value maps of queries (`value > 0.5 => 1`) use this. By default, an element equals the number zero if it is
    /// [`ZERO`](Scalar::ZERO), and compares with no other number.
    #[inline]
    fn compare(self, number: f64) -> Option<Ordering> {
        (number == 0.0 && self.is_zero()).then_some(Ordering::Equal)
    }

    /// Converts this to another type with the result of `T::from(self)`, possibly faster. [`Narrow`] reads elements this way.
    #[inline]
    fn converted<T: Scalar + From<Self>>(self) -> T {
        T::from(self)
    }

    /// Converts a sum to an element, rounding if necessary.
    #[inline]
    fn narrow(sum: Self::Sum) -> Self {
        sum.into_scalar()
    }

    /// Runs `run` on sums that start with the values of `places`, and stores their final values there. Passes the slice itself
    /// if elements are their own sums, else a copy.
    #[inline]
    fn with_sums<R>(places: &mut [Self], run: impl FnOnce(&mut [Self::Sum]) -> R) -> R {
        Accumulator::with(places, run)
    }
}

/// A type in which sums of `T` are computed. Every [`Scalar`] whose `Sum` is itself is its own accumulator.
#[diagnostic::on_unimplemented(
    message = "sums of `{T}` cannot be kept in `{Self}`",
    note = "write `type Sum = Self;`, or implement `unisparse::Accumulator<{T}>`"
)]
pub trait Accumulator<T>: Scalar<Sum = Self> {
    /// Converts an element to a term of a sum, exactly.
    fn of(value: T) -> Self;

    /// Converts the sum to an element, rounding if necessary.
    fn into_scalar(self) -> T;

    /// Runs `run` on sums that start with the values of `places`, and stores their final values there.
    fn with<R>(places: &mut [T], run: impl FnOnce(&mut [Self]) -> R) -> R;
}

impl<T: Scalar<Sum = T>> Accumulator<T> for T {
    #[inline]
    fn of(value: T) -> T {
        value
    }
    #[inline]
    fn into_scalar(self) -> T {
        self
    }
    #[inline]
    fn with<R>(places: &mut [T], run: impl FnOnce(&mut [T]) -> R) -> R {
        run(places)
    }
}

macro_rules! float_scalar {
    ($($float:ty),*) => {$(
        impl Scalar for $float {
            type Sum = Self;
            const ZERO: Self = 0.0;
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
