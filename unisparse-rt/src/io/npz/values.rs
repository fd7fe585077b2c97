//! How numbers of arrays become elements, and elements bytes: by the rules of [`NpzScalar`], or others.

use super::npy::fault;
use super::number::{NpzScalar, Number};
use crate::element::Scalar;
use crate::io::{InFile, ReadError, ReadErrorKind};

/// How numbers of arrays become those of an element type.
pub(in crate::io) trait Numbers<V> {
    /// Describes the numbers that are accepted.
    const ACCEPTED: &'static str;
    /// Converts a number, if the type holds it.
    fn of(number: Number) -> Option<V>;
}

/// Converts numbers by the rules of [`NpzScalar`].
pub(super) struct OfNpz;

impl<V: NpzScalar> Numbers<V> for OfNpz {
    const ACCEPTED: &'static str = V::ACCEPTED;

    fn of(number: Number) -> Option<V> {
        V::of(number)
    }
}

/// The bytes of elements in arrays.
pub(in crate::io) trait Bytes<V> {
    /// The type in the header of an array; `None` if no array holds elements of this type.
    const DESCR: Option<&'static str>;
    /// Appends the bytes of an element.
    fn append(value: V, to: &mut Vec<u8>);
}

impl<V: NpzScalar> Bytes<V> for OfNpz {
    const DESCR: Option<&'static str> = Some(V::DESCR);

    fn append(value: V, to: &mut Vec<u8>) {
        value.append(to);
    }
}

/// Converts the number in a position of an array.
pub(super) fn value_of<T: InFile, A: Numbers<T::Number>>(
    number: Number,
    at: usize,
    array: &str,
) -> Result<T, ReadError> {
    let value = A::of(number).filter(|&value| T::HAS_NUMBER || value == T::Number::ONE);
    let value = value.ok_or_else(|| {
        let expected = if T::HAS_NUMBER { A::ACCEPTED } else { "1, for a pattern" };
        fault(
            ReadErrorKind::Range,
            format!("{number} in position {at} of the array `{array}`"),
            expected,
        )
    })?;
    Ok(T::of_number(value))
}
