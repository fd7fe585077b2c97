//! Element types: what a tensor can hold and a kernel can multiply.

use core::fmt::Debug;
use num_complex::Complex;

/// An element of a sparse tensor: a value with a zero, a one, a sum and a product.
///
/// [`ZERO`](Scalar::ZERO) is what an absent coordinate reads as and what a hole of a padded format
/// holds. Kernels only use [`plus`](Scalar::plus) and [`times`](Scalar::times), so a newtype that
/// implements this trait is a semiring: `plus` must be associative and commutative with the identity
/// `ZERO`, `times` must distribute over it, and `ZERO` must annihilate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type of a sparse tensor",
    note = "elements are the primitive numbers, `bool`, `Complex`, and types that implement `unisparse::Scalar`"
)]
pub trait Scalar: Copy + PartialEq + Debug + Send + Sync + 'static {
    /// The identity of [`plus`](Scalar::plus); what is not stored reads as this.
    const ZERO: Self;
    /// The identity of [`times`](Scalar::times); the value of an entry of a pattern file.
    const ONE: Self;

    /// The sum of two elements. Integers wrap around, as `wrapping_add` does.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// The product of two elements. Integers wrap around, as `wrapping_mul` does.
    #[must_use]
    fn times(self, other: Self) -> Self;

    /// Whether this is [`ZERO`](Scalar::ZERO). Negative zero is, NaN is not.
    #[inline]
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }
}

macro_rules! float_scalar {
    ($($float:ty),*) => {$(
        impl Scalar for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline]
            fn plus(self, other: Self) -> Self { self + other }
            #[inline]
            fn times(self, other: Self) -> Self { self * other }
        }
    )*};
}

macro_rules! integer_scalar {
    ($($integer:ty),*) => {$(
        impl Scalar for $integer {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            #[inline]
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline]
            fn times(self, other: Self) -> Self { self.wrapping_mul(other) }
        }
    )*};
}

float_scalar!(f32, f64);
integer_scalar!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

/// The Boolean semiring: `or` adds, `and` multiplies.
impl Scalar for bool {
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
}

macro_rules! complex_scalar {
    ($($float:ty),*) => {$(
        impl Scalar for Complex<$float> {
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const ONE: Self = Complex { re: 1.0, im: 0.0 };
            #[inline]
            fn plus(self, other: Self) -> Self { self + other }
            #[inline]
            fn times(self, other: Self) -> Self { self * other }
        }
    )*};
}

complex_scalar!(f32, f64);

#[cfg(feature = "half")]
macro_rules! half_scalar {
    ($($float:ty),*) => {$(
        impl Scalar for $float {
            const ZERO: Self = <$float>::ZERO;
            const ONE: Self = <$float>::ONE;
            #[inline]
            fn plus(self, other: Self) -> Self { self + other }
            #[inline]
            fn times(self, other: Self) -> Self { self * other }
        }
    )*};
}

#[cfg(feature = "half")]
half_scalar!(half::f16, half::bf16);
