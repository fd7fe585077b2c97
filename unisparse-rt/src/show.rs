//! Tensors as text: small matrices as grids, others as their first elements.

use core::fmt::{self, Display, Formatter};

use crate::tensor::SparseTensor;

/// Matrices of at most this many rows and columns are shown as grids.
const GRID: usize = 16;
/// Number of elements that are shown of other tensors.
const FIRST: usize = 16;

/// Writes the format, the shape and the number of elements, then a grid, or the first elements in storage order of a larger tensor or
/// one with repeated elements. A precision, as in `{:.2}`, is that of the elements.
///
/// # Errors
/// Those of the formatter.
pub fn display<F: SparseTensor<N, Scalar: Display>, const N: usize>(tensor: &F, f: &mut Formatter<'_>) -> fmt::Result {
    let shape = tensor.shape();
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    let (title, nnz) = (F::describe().title(), tensor.nnz());
    let elements = if nnz == 1 { "element" } else { "elements" };
    write!(f, "{title}  {}  {nnz} {elements}", extents.join(" x "))?;
    let text = |value: F::Scalar, f: &Formatter<'_>| match f.precision() {
        Some(precision) => format!("{value:.precision$}"),
        None => value.to_string(),
    };
    if N == 2 && shape.iter().all(|&extent| extent <= GRID) {
        let mut cells = vec![".".to_owned(); shape.iter().product()];
        let mut repeated = false;
        for (at, value) in tensor.fiber([]) {
            let before = std::mem::replace(&mut cells[at[0] * shape[1] + at[1]], text(value, f));
            repeated |= before != ".";
        }
        if !repeated {
            return grid(&cells, shape[1], f);
        }
    }
    for (at, value) in tensor.fiber([]).take(FIRST) {
        write!(f, "\n  {at:?}  {}", text(value, f))?;
    }
    if nnz > FIRST {
        write!(f, "\n  .. {} more", nnz - FIRST)?;
    }
    Ok(())
}

/// Writes rows of this many cells, each column as wide as its widest cell.
fn grid(cells: &[String], columns: usize, f: &mut Formatter<'_>) -> fmt::Result {
    let width = |column| cells.iter().skip(column).step_by(columns).map(String::len).max();
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
    for row in cells.chunks(columns.max(1)) {
        f.write_str("\n")?;
        for (cell, &width) in row.iter().zip(&widths) {
            write!(f, "  {cell:>width$}")?;
        }
    }
    Ok(())
}
