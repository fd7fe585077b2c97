//! Matrices made of blocks.

use super::room;
use crate::error::{Error, ErrorKind};
use crate::source::Source;
use crate::triplets::Triplets;

/// Returns the matrix of these blocks, row by row; `None` is a block of zeros. Errors name the operation.
///
/// # Errors
/// `Length` if the rows of blocks have different lengths, `Structure` if a row or column has no block, so that its extent is not
/// known, `Shape` if blocks that are side by side do not fit, `Overflow` if the extents exceed `usize`.
///
/// Repeated coordinates are combined by the policy of the first block.
pub(super) fn blocks<S: Source<2>>(operation: &str, rows: &[&[Option<&S>]]) -> Result<Triplets<S::Scalar, 2>, Error> {
    let all = || format!("{operation}: the blocks");
    let columns = rows.first().map_or(0, |row| row.len());
    if columns == 0 {
        let expected = "at least one, which gives the extents";
        return Err(Error::new(ErrorKind::Structure, all(), None, "no block", expected));
    }
    if let Some(at) = rows.iter().position(|row| row.len() != columns) {
        let (found, expected) = (rows[at].len(), format!("{columns}, as in the first row"));
        return Err(Error::new(
            ErrorKind::Length,
            all(),
            Some(at),
            format!("{found} blocks"),
            expected,
        ));
    }
    let starts = |dim: usize, count: usize, block: &dyn Fn(usize, usize) -> Option<[usize; 2]>| {
        let others = if dim == 0 { columns } else { rows.len() };
        let mut starts = vec![0_usize];
        for number in 0..count {
            let mut extents = (0..others)
                .filter_map(|other| block(number, other))
                .map(|shape| shape[dim]);
            let what = || format!("{operation}: {} {number} of the blocks", ["row", "column"][dim]);
            let Some(extent) = extents.next() else {
                let expected = "at least one, which gives its extent";
                return Err(Error::new(ErrorKind::Structure, what(), None, "no block", expected));
            };
            if let Some(other) = extents.find(|&other| other != extent) {
                return Err(room::misfit(&what(), [extent, other], "blocks of one extent"));
            }
            let end = starts[number].checked_add(extent);
            let overflow = || {
                let found = format!("extent {extent} after {}", starts[number]);
                Error::new(
                    ErrorKind::Overflow,
                    what(),
                    None,
                    found,
                    "extents whose sum fits `usize`",
                )
            };
            let end = end.ok_or_else(overflow)?;
            starts.push(end);
        }
        Ok(starts)
    };
    let shape_of = |row: usize, column: usize| rows[row][column].map(Source::shape);
    let of_rows = starts(0, rows.len(), &shape_of)?;
    let of_columns = starts(1, columns, &|column, row| shape_of(row, column))?;
    let first = rows.iter().flat_map(|row| row.iter().flatten()).next();
    let policy = first.map_or_else(Default::default, |block| block.duplicates());
    let mut result = Triplets::new([of_rows[rows.len()], of_columns[columns]]).duplicates(policy);
    for (row, blocks) in rows.iter().enumerate() {
        for (column, block) in blocks.iter().enumerate() {
            if let Some(block) = block {
                block.for_each(|[i, j], value| result.add([of_rows[row] + i, of_columns[column] + j], value));
            }
        }
    }
    Ok(result)
}
