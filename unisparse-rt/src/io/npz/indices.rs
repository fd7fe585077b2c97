//! Checks lengths, indices and pointers of the arrays of a file.

use super::npy::fault;
use crate::io::{ReadError, ReadErrorKind};

/// Checks the number of entries of an array.
///
/// # Errors
/// `Size` if there is another number of them.
pub(super) fn counted(name: &str, found: usize, expected: usize) -> Result<(), ReadError> {
    if found == expected {
        return Ok(());
    }
    Err(fault(
        ReadErrorKind::Size,
        format!("{found} entries in the array `{name}`"),
        format!("{expected}"),
    ))
}

/// Returns indices below an extent.
///
/// # Errors
/// `Index` for the first one outside, with its position.
pub(super) fn indices_below(extent: usize, name: &str, indices: &[i64]) -> Result<Vec<usize>, ReadError> {
    let inside = |(at, &index): (usize, &i64)| {
        usize::try_from(index)
            .ok()
            .filter(|&index| index < extent)
            .ok_or_else(|| {
                let found = format!("index {index} in position {at} of the array `{name}`");
                fault(ReadErrorKind::Index, found, format!("one below {extent}"))
            })
    };
    indices.iter().enumerate().map(inside).collect()
}

/// Returns where the segments of `count` rows begin, and where the last ends: at most at `entries`.
///
/// # Errors
/// `Size` if there is another number of them; `Index` if the first is not 0 or one does not ascend, with its position.
pub(super) fn segments(name: &str, starts: &[i64], count: usize, entries: usize) -> Result<Vec<usize>, ReadError> {
    counted(name, starts.len(), count.saturating_add(1))?;
    let (mut before, mut all) = (0, Vec::with_capacity(starts.len()));
    for (at, &start) in starts.iter().enumerate() {
        let range = if at == 0 { 0..=0 } else { before..=entries };
        let found = usize::try_from(start).ok().filter(|start| range.contains(start));
        before = found.ok_or_else(|| {
            let found = format!("{start} in position {at} of the array `{name}`");
            let expected = format!("a number from {} to {}", range.start(), range.end());
            fault(ReadErrorKind::Index, found, expected)
        })?;
        all.push(before);
    }
    Ok(all)
}
