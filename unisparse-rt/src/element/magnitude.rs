//! Absolute values of scalars.

use num_complex::Complex;

use super::scalar::Scalar;

/// A scalar with an absolute value, which norms need.
#[diagnostic::on_unimplemented(
    message = "a norm needs elements with an absolute value, and `{Self}` has none",
    note = "numbers and types that implement `unisparse::Magnitude` have one"
)]
pub trait Magnitude: Scalar {
    /// Returns the absolute value, as the nearest `f64`.
    #[must_use]
    fn magnitude(self) -> f64;
}

macro_rules! floats {
    ($($float:ty),*) => {$(
        impl Magnitude for $float {
            #[inline]
            fn magnitude(self) -> f64 { f64::from(self).abs() }
        }
    )*};
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Magnitude for $integer {
            #[inline]
            fn magnitude(self) -> f64 { (self as f64).abs() }
        }
    )*};
}

macro_rules! complexes {
    ($($float:ty),*) => {$(
        impl Magnitude for Complex<$float> {
            #[inline]
            fn magnitude(self) -> f64 { f64::from(self.re).hypot(f64::from(self.im)) }
        }
    )*};
}

floats!(f32, f64);
#[cfg(feature = "half")]
floats!(half::f16, half::bf16);
integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
complexes!(f32, f64);
