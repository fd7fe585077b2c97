//! Coordinates and counts that come from outside this crate, checked.

use core::fmt::Display;

use super::Source;
use crate::error::{Error, ErrorKind};

/// An upper bound of the number of elements of `source` that memory may be reserved by. `O(1)`, or one visit of a source
/// outside this crate.
///
/// # Errors
/// `OutOfBounds` for the first element outside the shape.
pub(crate) fn checked_count<S: Source<N>, const N: usize>(source: &S) -> Result<usize, Error> {
    if S::IS_CHECKED {
        return Ok(source.count());
    }
    let (shape, mut count, mut first) = (source.shape(), 0, None);
    source.for_each(|coordinate, _| {
        if first.is_none() {
            first = check_coordinate(&shape, count, &coordinate).err();
        }
        count += 1;
    });
    first.map_or(Ok(count), Err)
}

/// Checks that all of these coordinates are inside the shape.
///
/// # Errors
/// `OutOfBounds` for the first one outside.
pub(crate) fn check_inside<const N: usize>(
    shape: &[usize; N],
    coordinates: impl Iterator<Item = [usize; N]>,
) -> Result<(), Error> {
    let mut coordinates = coordinates.enumerate();
    coordinates.try_for_each(|(position, coordinate)| check_coordinate(shape, position, &coordinate))
}

/// Checks that the coordinate of the element at `position` is inside the shape.
///
/// # Errors
/// `OutOfBounds` if it is outside.
#[inline]
pub(crate) fn check_coordinate<const N: usize>(
    shape: &[usize; N],
    position: usize,
    coordinate: &[usize; N],
) -> Result<(), Error> {
    match (0..N).find(|&dim| coordinate[dim] >= shape[dim]) {
        None => Ok(()),
        Some(dim) => Err(outside(shape, dim, Some(position), &coordinate[dim])),
    }
}

/// A coordinate outside the shape: that of the element at `position`, in dim `dim`.
#[cold]
pub(crate) fn outside(shape: &[usize], dim: usize, position: Option<usize>, coordinate: &dyn Display) -> Error {
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    let what = match (shape.len(), dim) {
        (2, 0) => format!("row {coordinate}"),
        (2, _) => format!("column {coordinate}"),
        (1, _) => format!("coordinate {coordinate}"),
        _ => format!("coordinate {coordinate} in dim {dim}"),
    };
    let at = position.map_or_else(String::new, |position| format!("element {position}: "));
    Error::new(
        ErrorKind::OutOfBounds,
        format!("dim {dim}"),
        position,
        format!("coordinate {coordinate}"),
        format!("one below {}", shape[dim]),
    )
    .saying(format!("{at}{what} is outside {}", extents.join(" x ")))
}
