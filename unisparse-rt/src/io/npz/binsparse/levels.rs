//! The arrays of levels, from sorted coordinates and back. Coordinates are one list, element by element, in the
//! order of the levels.

use super::format::BinsparseLevel;
use crate::io::npz::arrays::{check_size, refused};
use crate::io::npz::indices::{counted, indices_below, segments};
use crate::io::npz::npy::fault;
use crate::io::{ReadError, ReadErrorKind};
use std::io;

/// The arrays of the levels, and where each element is among the values.
pub(super) struct Packed {
    pub(super) integers: Vec<(String, Vec<i64>)>,
    pub(super) places: Vec<usize>,
    /// The number of values.
    pub(super) stored: usize,
}

/// Makes the arrays for elements at these coordinates, which ascend strictly, with at most `allowed` entries in an array.
///
/// # Errors
/// `InvalidInput` if an array would have more entries.
pub(super) fn pack(
    levels: &[BinsparseLevel],
    extents: &[usize],
    coordinates: &[usize],
    count: usize,
    allowed: usize,
) -> io::Result<Packed> {
    let dims = extents.len();
    let mut integers = Vec::new();
    // The first element below each position of the level above, and the number of elements.
    let (mut starts, mut depth) = (vec![0, count], 0);
    for level in levels {
        let below = depth..depth + level.dims();
        let at = |element: usize| &coordinates[element * dims..][below.clone()];
        match level {
            BinsparseLevel::Dense(_) => {
                let extents = &extents[below.clone()];
                let boxes: Vec<usize> = [starts.len() - 1].iter().chain(extents).copied().collect();
                check_size(&boxes, allowed)?;
                let size: usize = extents.iter().product();
                let mut next = vec![0; (starts.len() - 1) * size + 1];
                for (position, elements) in starts.windows(2).enumerate() {
                    for element in elements[0]..elements[1] {
                        next[position * size + row_major(at(element), extents) + 1] += 1;
                    }
                }
                for position in 1..next.len() {
                    next[position] += next[position - 1];
                }
                starts = next;
            }
            BinsparseLevel::Sparse(_) => {
                let (mut pointers, mut next) = (vec![0], Vec::new());
                for elements in starts.windows(2) {
                    let is_first = |element: usize| element == elements[0] || at(element) != at(element - 1);
                    next.extend((elements[0]..elements[1]).filter(|&element| is_first(element)));
                    pointers.push(next.len() as i64);
                }
                if depth > 0 {
                    integers.push((format!("pointers_to_{depth}"), pointers));
                }
                let indices = below.clone().map(|dim| {
                    let index = |&element: &usize| coordinates[element * dims + dim] as i64;
                    (format!("indices_{dim}"), next.iter().map(index).collect())
                });
                integers.extend(indices);
                next.push(count);
                starts = next;
            }
        }
        depth = below.end;
    }
    let mut places = vec![0; count];
    for (position, elements) in starts.windows(2).enumerate() {
        if elements[1] - elements[0] > 1 {
            return Err(refused("a coordinate is repeated".to_owned()));
        }
        places[elements[0]..elements[1]].fill(position);
    }
    Ok(Packed {
        integers,
        places,
        stored: starts.len() - 1,
    })
}

fn row_major(at: &[usize], extents: &[usize]) -> usize {
    at.iter()
        .zip(extents)
        .fold(0, |place, (at, extent)| place * extent + at)
}

/// Reads the coordinates of `stored` elements from the arrays of the levels. `array` gives an array by its name, with the index
/// base subtracted.
///
/// Takes memory in proportion to the arrays and to `stored`.
///
/// # Errors
/// Those of `array`; `Size` if lengths do not fit each other, `Index` for an index outside its extent.
pub(super) fn unpack(
    levels: &[BinsparseLevel],
    extents: &[usize],
    stored: usize,
    array: &dyn Fn(&str) -> Result<Vec<i64>, ReadError>,
) -> Result<Vec<usize>, ReadError> {
    // The coordinates of the positions of the level above, `depth` for each.
    let (mut above, mut positions, mut depth) = (Vec::new(), 1, 0);
    // The pointers of the next level, where their number was compared with that of the positions.
    let mut kept = None;
    let mut levels = levels.iter().peekable();
    while let Some(level) = levels.next() {
        let mut below = depth..depth + level.dims();
        match level {
            BinsparseLevel::Dense(_) => {
                // As one level: where an extent is zero, those above may be large.
                while let Some(BinsparseLevel::Dense(dims)) = levels.peek() {
                    below.end += dims;
                    levels.next();
                }
                let size = extents[below.clone()]
                    .iter()
                    .try_fold(positions, |size: usize, &extent| size.checked_mul(extent));
                let (name, held) = match levels.peek() {
                    Some(_) => {
                        let name = format!("pointers_to_{}", below.end);
                        let held = kept.insert(array(&name)?).len();
                        (name, held.checked_sub(1))
                    }
                    None => ("values".to_owned(), Some(stored)),
                };
                let size = size.filter(|&size| Some(size) == held).ok_or_else(|| {
                    let found = format!("{} positions in the array `{name}`", held.unwrap_or(0));
                    let extents = &extents[below.clone()];
                    fault(
                        ReadErrorKind::Size,
                        found,
                        format!("{positions} times those of a box of {extents:?}"),
                    )
                })?;
                let mut next = Vec::with_capacity(size.saturating_mul(below.end));
                let each = size.checked_div(positions).unwrap_or(0);
                for position in 0..positions {
                    for place in 0..each {
                        next.extend_from_slice(&above[position * depth..][..depth]);
                        let first = next.len();
                        next.resize(first + below.len(), 0);
                        let mut rest = place;
                        for (at, extent) in next[first..].iter_mut().zip(&extents[below.clone()]).rev() {
                            *at = rest % extent;
                            rest /= extent;
                        }
                    }
                }
                (above, positions) = (next, size);
            }
            BinsparseLevel::Sparse(_) => {
                let mut indices = Vec::new();
                for dim in below.clone() {
                    let name = format!("indices_{dim}");
                    indices.push(indices_below(extents[dim], &name, &array(&name)?)?);
                    counted(&name, indices[indices.len() - 1].len(), indices[0].len())?;
                }
                let count = indices[0].len();
                let pointers = if depth == 0 {
                    vec![0, count]
                } else {
                    let name = format!("pointers_to_{depth}");
                    let pointers = kept.take().map_or_else(|| array(&name), Ok)?;
                    let starts = segments(&name, &pointers, positions, count)?;
                    if starts.last() != Some(&count) {
                        let found = format!("{} at the end of the array `{name}`", starts[positions]);
                        return Err(fault(ReadErrorKind::Index, found, format!("{count}")));
                    }
                    starts
                };
                let mut next = Vec::with_capacity(count.saturating_mul(below.end));
                for (position, entries) in pointers.windows(2).enumerate() {
                    for entry in entries[0]..entries[1] {
                        next.extend_from_slice(&above[position * depth..][..depth]);
                        next.extend(indices.iter().map(|indices| indices[entry]));
                    }
                }
                (above, positions) = (next, count);
            }
        }
        depth = below.end;
    }
    if positions != stored {
        let found = format!("{positions} positions of the last level");
        return Err(fault(ReadErrorKind::Size, found, format!("{stored} stored values")));
    }
    Ok(above)
}
