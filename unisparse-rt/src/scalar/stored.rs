//! What a tensor stores, where that is less than what kernels compute with.

use core::fmt::Debug;

use super::Scalar;

/// What a sparse tensor stores: something that reads as a [`Scalar`], which is what kernels compute with, and what dense
/// operands and results hold.
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
    /// What it reads as. Operands of one kernel may be stored differently if they read as the same.
    type Value: Scalar;

    /// What arrays are filled with before elements are put there: what reads as zero, if anything does.
    const FILL: Self;
    /// What reads as one, or is the nearest to it: the entry of a file that holds patterns.
    const UNIT: Self;
    /// How two elements at one coordinate are added up. Where they cannot be, [`Duplicates::Sum`](crate::Duplicates::Sum)
    /// refuses them.
    const PLUS: Option<fn(Self, Self) -> Self> = None;

    /// What this reads as.
    fn value(self) -> Self::Value;

    /// What this reads as, as a term of a sum.
    #[inline]
    fn wide(self) -> <Self::Value as Scalar>::Sum {
        super::Accumulator::of(self.value())
    }

    /// Whether this reads as zero. A hole does; in a format with holes, all that does is one.
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

    #[inline]
    fn value(self) -> T {
        self
    }
}

/// Something stored that can say zero: [`FILL`](Stored::FILL) reads as zero. What formats with holes ask for, as a hole is
/// a zero that is stored.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no zero to fill holes with",
    note = "store it in a format without holes, as `Csr`, or store values that can be zero"
)]
pub trait Padding: Stored {}

impl<T: Scalar> Padding for T {}

/// A function of values that leaves holes what they are.
pub fn keeping_holes<T: Padding, U: Padding>(mut map: impl FnMut(T) -> U) -> impl FnMut(T) -> U {
    move |value| if value.reads_zero() { U::FILL } else { map(value) }
}
