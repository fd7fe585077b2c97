//! Scalars, in which kernels compute, and the stored types of elements, which may be smaller.

use core::cmp::Ordering;
use core::fmt::Debug;

/// A value that kernels compute with: it has a zero, a one, a sum and a product. Tensors [store](Stored) scalars, or types
/// that read as scalars.
///
/// [`ZERO`](Scalar::ZERO) is the value of absent coordinates and of the holes of padded formats. Sums of products use only
/// [`plus`](Scalar::plus) and [`times`](Scalar::times), so a newtype that implements this trait is a semiring: `plus` must
/// be associative and commutative with the identity `ZERO`, `times` must distribute over it, and `ZERO` must annihilate.
/// Further operations of kernels require [`Negate`](crate::Negate), [`Ordered`](crate::Ordered),
/// [`FromInteger`](crate::FromInteger) or [`FromFloat`](crate::FromFloat).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar: a value with a zero, a one, a sum and a product",
    note = "scalars are the primitive numbers, `bool`, `Complex`, and types that implement `unisparse::Scalar`",
    note = "`Pattern` and `Narrow` are stored, and read as scalars; a format with holes cannot store a type without a zero, such as `Pattern`"
)]
pub trait Scalar: Copy + PartialEq + Debug + Send + Sync + 'static + Stored<Value = Self> {
    /// The type in which products and sums are computed: `Self`, except for `f16` and `bf16`, which use `f32`.
    type Sum: Accumulator<Self>;

    /// The identity of [`plus`](Scalar::plus), and the value of coordinates that are not stored.
    const ZERO: Self;
    /// The identity of [`times`](Scalar::times); the value of an entry of a pattern file.
    const ONE: Self;

    /// The start of a partial sum that is later added to a sum that began with [`ZERO`](Scalar::ZERO): for floats, negative zero.
    ///
    /// A value that is added to it stays as it is, even a negative zero, so the compiler drops the addition.
    #[doc(hidden)]
    const NEUTRAL: Self = Self::ZERO;

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

    /// Converts this to another type with the result of `T::from(self)`, possibly faster. [`Narrow`](crate::Narrow) reads
    /// elements this way.
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

/// An element as stored in a sparse tensor. It reads as a [`Scalar`], in which kernels compute, and which dense operands
/// and results hold.
///
/// Every [`Scalar`] reads as itself. [`Pattern`](crate::Pattern) stores nothing and reads as one,
/// [`Narrow`](crate::Narrow) stores fewer bytes than it reads as. A kernel that is bound by memory takes time in proportion to
/// the bytes that it reads. A type of your own needs three items:
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::Stored;
///
/// /// One of 256 levels from -1 to 1.
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// struct Quantized(i8);
///
/// impl Stored for Quantized {
///     type Value = f32;
///     const FILL: Self = Quantized(0);
///     const UNIT: Self = Quantized(127);
///     fn value(self) -> f32 {
///         f32::from(self.0) / 127.0
///     }
/// }
/// impl unisparse::Padding for Quantized {} // 0 reads as zero
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
        Accumulator::of(self.value())
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
