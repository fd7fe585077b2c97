//! Fallible allocation for results whose size the caller's numbers determine.

use crate::element::Stored;
use crate::error::{Error, ErrorKind};
use crate::triplets::Triplets;

/// Returns `count` copies of `value`.
///
/// # Errors
/// `Limit` if the machine does not have the memory.
pub(super) fn filled<T: Copy>(what: &str, value: T, count: usize) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    match all.try_reserve_exact(count) {
        Ok(()) => all.resize(count, value),
        Err(_) => return Err(too_many(what, count)),
    }
    Ok(all)
}

/// Returns triplets with room for `count` elements.
///
/// # Errors
/// `Limit` if the machine does not have the memory.
pub(super) fn triplets<T: Stored, const N: usize>(
    what: &str,
    shape: [usize; N],
    count: usize,
) -> Result<Triplets<T, N>, Error> {
    let mut triplets = Triplets::new(shape);
    if triplets.try_reserve(count).is_err() {
        return Err(too_many(what, count));
    }
    Ok(triplets)
}

fn too_many(what: &str, count: usize) -> Error {
    Error::new(
        ErrorKind::Limit,
        what,
        None,
        format!("{count} elements"),
        "as many as the machine has memory for",
    )
}

/// Returns the product of two extents or counts.
///
/// # Errors
/// `Overflow` if it exceeds `usize`.
pub(super) fn times(what: &str, left: usize, right: usize) -> Result<usize, Error> {
    left.checked_mul(right).ok_or_else(|| {
        Error::new(
            ErrorKind::Overflow,
            what,
            None,
            format!("{left} times {right}"),
            "a product that fits `usize`",
        )
    })
}

/// Returns the error of two shapes that do not fit.
#[cold]
pub(super) fn misfit(what: &str, found: impl core::fmt::Debug, expected: impl Into<Box<str>>) -> Error {
    Error::new(ErrorKind::Shape, what, None, format!("{found:?}"), expected)
}
