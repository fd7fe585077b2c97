//! Stored element types, which may be smaller than the scalars that kernels compute with.

use core::fmt::Debug;

use super::Scalar;

/// An element as stored in a sparse tensor. It reads as a [`Scalar`], in which kernels compute, and which dense operands
/// and results hold.
///
/// Every [`Scalar`] reads as itself. [`Pattern`](crate::Pattern) stores nothing and reads as one,
/// [`Narrow`](crate::Narrow) stores fewer bytes than it reads as. A kernel that is bound by memory is as much faster as
/// there are fewer bytes to read. A type of your own needs three items:
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::Stored;
///
/// /// One of 256 levels from -1 to 1.
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// struct Level(i8);
///
/// impl Stored for Level {
///     type Value = f32;
///     const FILL: Self = Level(0);
///     const UNIT: Self = Level(127);
///     fn value(self) -> f32 {
///         f32::from(self.0) / 127.0
///     }
/// }
/// impl unisparse::Padding for Level {} // 0 reads as zero
/// ```
#[diagnostic::on_unimplemented(
    message = "a sparse tensor cannot store `{Self}`",
    note = "it stores scalars, `Pattern`, `Narrow`, and types that implement `unisparse::Stored`"
)]
pub trait Stored: Copy + PartialEq + Debug + Send + Sync + 'static {
    /// The scalar it reads as. Operands of one kernel may have different stored types if they read as the same scalar.
    type Value: Scalar;

    /// The value that arrays are filled with before elements are written: it reads as zero, if any value does.
    const FILL: Self;
    /// The value that reads as one, or the nearest to it: the entry of a file without values.
    const UNIT: Self;
    /// Adds two elements at one coordinate. If this is `None`, [`Duplicates::Sum`](crate::Duplicates::Sum) rejects duplicates.
    const PLUS: Option<fn(Self, Self) -> Self> = None;
    /// Whether this is `f32` or `f64`, for which this crate has compiled what is generic elsewhere.
    #[doc(hidden)]
    const IS_FLOAT: bool = false;

    /// Returns the scalar this reads as.
    fn value(self) -> Self::Value;

    /// Returns the scalar this reads as, as a term of a sum.
    #[inline]
    fn wide(self) -> <Self::Value as Scalar>::Sum {
        super::Accumulator::of(self.value())
    }

    /// Returns whether this reads as zero. Holes do; in a format with holes, every position that reads as zero is a hole.
    #[inline]
    fn reads_zero(self) -> bool {
        self.value().is_zero()
    }
}

impl<T: Scalar> Stored for T {
    type Value = T;
    const FILL: T = T::ZERO;
    const UNIT: T = T::ONE;
    const PLUS: Option<fn(T, T) -> T> = Some(T::plus);
    const IS_FLOAT: bool = <T as Scalar>::IS_FLOAT;

    #[inline]
    fn value(self) -> T {
        self
    }
}

/// A stored type with a zero: [`FILL`](Stored::FILL) reads as zero. Formats with holes require it, as a hole is a stored
/// zero.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no zero to fill holes with",
    note = "store it in a format without holes, as `Csr`, or store values that can be zero"
)]
pub trait Padding: Stored {}

impl<T: Scalar> Padding for T {}

/// Wraps a function of values such that holes remain holes.
pub fn keeping_holes<T: Padding, U: Padding>(mut map: impl FnMut(T) -> U) -> impl FnMut(T) -> U {
    move |value| if value.reads_zero() { U::FILL } else { map(value) }
}
