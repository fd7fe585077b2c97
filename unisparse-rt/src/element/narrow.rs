//! Elements that are stored in fewer bytes than their values have.

use core::fmt::{self, Debug};
use core::marker::PhantomData;

use super::scalar::{Padding, Scalar, Stored};

/// An element without a value: it takes no bytes and reads as [`Scalar::ONE`].
///
/// A tensor of patterns consists of its index arrays: a graph without weights, or, times a scalar, a matrix whose values are
/// all equal. As there is no zero, formats with [holes](Padding) cannot hold patterns. As one and one are two, duplicates
/// are [rejected](Stored::PLUS) unless the policy keeps one of them.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{Pattern, Stored, Triplets};
/// let mut edges = Triplets::new([3, 3]);
/// edges.push([0, 2], Pattern::<f64>::new())?;
/// assert_eq!(edges.values()[0].value(), 1.0);
/// assert_eq!(size_of_val(edges.values()), 0);
/// # Ok::<(), unisparse::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pattern<T>(PhantomData<T>);

impl<T> Pattern<T> {
    /// Returns the only value.
    #[must_use]
    pub const fn new() -> Self {
        Pattern(PhantomData)
    }
}

impl<T> Default for Pattern<T> {
    fn default() -> Self {
        Pattern::new()
    }
}

impl<T> Debug for Pattern<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pattern")
    }
}

/// `1`, as it reads.
impl<T> fmt::Display for Pattern<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(true, "", "1")
    }
}

impl<T: Scalar> Stored for Pattern<T> {
    type Value = T;
    const FILL: Self = Pattern::new();
    const UNIT: Self = Pattern::new();

    #[inline]
    fn value(self) -> T {
        T::ONE
    }

    #[inline]
    fn reads_zero(self) -> bool {
        false
    }
}

/// An element that is stored as an `S` and reads as a `T`: `Narrow<f32, f64>` takes four bytes and is computed with in
/// double precision; `Narrow<f64, Complex64>` is real and multiplies complex vectors.
///
/// The conversion `T: From<S>` is lossless. The reverse would round, so it is left to the caller, as is adding duplicates:
/// they are [rejected](Stored::PLUS) unless the policy keeps one of them.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{Narrow, Stored};
/// let third = Narrow::<f32, f64>::new(1.0 / 3.0);
/// assert_eq!(third.stored(), 1.0f32 / 3.0);
/// assert_eq!(third.value(), f64::from(1.0f32 / 3.0));
/// assert_eq!(size_of_val(&third), 4);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Narrow<S, T> {
    stored: S,
    reads_as: PhantomData<T>,
}

impl<S, T> Narrow<S, T> {
    /// Wraps a stored value.
    #[must_use]
    pub const fn new(stored: S) -> Self {
        Narrow {
            stored,
            reads_as: PhantomData,
        }
    }
}

impl<S: Copy, T> Narrow<S, T> {
    /// Returns the stored value.
    #[must_use]
    pub const fn stored(self) -> S {
        self.stored
    }
}

impl<S: Debug, T> Debug for Narrow<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stored.fmt(f)
    }
}

impl<S: Scalar, T: Scalar + From<S>> Stored for Narrow<S, T> {
    type Value = T;
    const FILL: Self = Narrow::new(S::ZERO);
    const UNIT: Self = Narrow::new(S::ONE);

    #[inline]
    fn value(self) -> T {
        self.stored.converted()
    }
}

impl<S: Scalar, T: Scalar + From<S>> Padding for Narrow<S, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::source::Duplicates;
    use crate::triplets::Triplets;
    use num_complex::Complex64;

    #[test]
    fn patterns_are_ones_without_bytes() {
        assert_eq!(size_of::<Pattern<f64>>(), 0);
        assert_eq!(
            (Pattern::<i32>::new().value(), Pattern::<bool>::UNIT.value()),
            (1, true)
        );
        assert!(!Pattern::<f64>::FILL.reads_zero());
        assert_eq!(format!("{:?}", [Pattern::<f64>::new(); 2]), "[Pattern, Pattern]");
    }

    #[test]
    fn narrow_values_are_read_exactly() {
        let tenth = Narrow::<f32, f64>::new(0.1);
        assert_eq!((tenth.value(), tenth.wide()), (f64::from(0.1f32), f64::from(0.1f32)));
        assert!(Narrow::<f32, f64>::FILL.reads_zero() && Narrow::<i8, f32>::new(0).reads_zero());
        assert_eq!(Narrow::<i8, f32>::new(-128).value(), -128.0);
        assert_eq!(Narrow::<f64, Complex64>::new(2.5).value(), Complex64::new(2.5, 0.0));
        assert_eq!((size_of::<Narrow<u8, f64>>(), align_of::<Narrow<u8, f64>>()), (1, 1));
        assert_eq!(format!("{:?}", Narrow::<f32, f64>::new(0.5)), "0.5");
    }

    #[test]
    fn scalars_are_stored_as_they_are() {
        assert_eq!((2.5f64.value(), f64::FILL, f64::UNIT), (2.5, 0.0, 1.0));
        assert_eq!(<u8 as Stored>::PLUS.map(|plus| plus(200, 100)), Some(44));
        assert!((-0.0f64).reads_zero() && !f64::NAN.reads_zero());
    }

    #[test]
    fn what_cannot_be_added_up_is_refused() {
        assert!(Duplicates::Sum.of::<f64>() == Duplicates::Sum);
        assert!(Duplicates::Sum.of::<Pattern<f64>>() == Duplicates::Reject);
        assert!(Duplicates::Sum.of::<Narrow<f32, f64>>() == Duplicates::Reject);
        assert!(Duplicates::First.of::<Pattern<f64>>() == Duplicates::First);
        let refused = Triplets::new([1, 1]).push([0, 1], Pattern::<f64>::new());
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::OutOfBounds);
    }
}
