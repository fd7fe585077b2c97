//! Which number represents a stored element type in a file.

use crate::element::{Narrow, Pattern, Scalar, Stored};

/// The number that represents a stored type in files.
///
/// A scalar represents itself, [`Narrow`] is represented by the scalar that
/// it stores, and [`Pattern`] by no number. Files can be read into types whose number is a
/// [`ReadScalar`](super::ReadScalar), and written from types whose number is a [`WriteScalar`](super::WriteScalar).
pub trait InFile: Stored {
    /// The type of the number.
    type Number: Scalar;
    /// Whether a number is written. If not, only files without values can be read into the type.
    const HAS_NUMBER: bool = true;

    /// Converts a number to the stored type. Files without values give [`UNIT`](Stored::UNIT).
    fn of_number(number: Self::Number) -> Self;

    /// Returns the number to write.
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
