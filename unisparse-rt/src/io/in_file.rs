//! How what a tensor stores stands in a file.

use crate::{Narrow, Pattern, Scalar, Stored};

/// What a tensor stores, as a number of a file: a scalar is one itself, [`Narrow`] is the one that it stores, and
/// [`Pattern`] is none. Files whose numbers are a [`ReadScalar`](super::ReadScalar) can be read into it, those whose numbers
/// are a [`WriteScalar`](super::WriteScalar) written.
pub trait InFile: Stored {
    /// What is written for it.
    type Number: Scalar;
    /// Whether anything is. If not, only files without values can be read into it.
    const HAS_NUMBER: bool = true;

    /// What is stored of a number. Files without values give [`UNIT`](Stored::UNIT).
    fn of_number(number: Self::Number) -> Self;

    /// The number that is written.
    fn number(self) -> Self::Number;
}

impl<T: Scalar> InFile for T {
    type Number = T;

    #[inline]
    fn of_number(number: T) -> T {
        number
    }

    #[inline]
    fn number(self) -> T {
        self
    }
}

impl<T: Scalar> InFile for Pattern<T> {
    type Number = T;
    const HAS_NUMBER: bool = false;

    #[inline]
    fn of_number(_: T) -> Self {
        Pattern::new()
    }

    #[inline]
    fn number(self) -> T {
        self.value()
    }
}

impl<S: Scalar, T: Scalar + From<S>> InFile for Narrow<S, T> {
    type Number = S;

    #[inline]
    fn of_number(number: S) -> Self {
        Narrow::new(number)
    }

    #[inline]
    fn number(self) -> S {
        self.stored()
    }
}
