//! Products of sparse tensors, row by row as Gustavson's algorithm, and the Kronecker product.

use super::combine::Ordered;
use super::room;
use crate::element::{Accumulator, Scalar};
use crate::error::Error;
use crate::kernel::{Workspace, workspace_keys};
use crate::triplets::Triplets;

/// The nonempty rows of a matrix: their numbers, and where each starts among the elements.
struct NonemptyRows {
    numbers: Vec<usize>,
    starts: Vec<usize>,
}

impl NonemptyRows {
    fn of(coordinates: &[[usize; 2]]) -> Self {
        let (mut numbers, mut starts) = (Vec::new(), Vec::new());
        for (position, at) in coordinates.iter().enumerate() {
            if numbers.last() != Some(&at[0]) {
                numbers.push(at[0]);
                starts.push(position);
            }
        }
        starts.push(coordinates.len());
        NonemptyRows { numbers, starts }
    }

    /// Returns the positions of a row: at its number if no row before it is empty, otherwise by search.
    fn get(&self, row: usize) -> core::ops::Range<usize> {
        let place = match self.numbers.get(row) {
            Some(&number) if number == row => Ok(row),
            _ => self.numbers.binary_search(&row),
        };
        place.map_or(0..0, |place| self.starts[place]..self.starts[place + 1])
    }
}

/// Returns the matrix product, by rows. `O(products + results * log)`, and a workspace for one row of the result.
///
/// # Errors
/// `Shape` if the left matrix does not have as many columns as the right one has rows.
pub(super) fn matrix<T: Scalar>(
    left: &Ordered<T, 2>,
    right: &Ordered<T, 2>,
    [[rows, inner], [height, columns]]: [[usize; 2]; 2],
) -> Result<Triplets<T, 2>, Error> {
    if inner != height {
        let expected = format!("as many rows as the left matrix has columns, {inner}");
        return Err(room::misfit("the right matrix", [height, columns], expected));
    }
    let (mut result, of_right) = (Triplets::new([rows, columns]), NonemptyRows::of(right.coordinates()));
    let mut workspace = Workspace::<T::Sum>::new(workspace_keys([columns])?);
    let mut elements = left.iter().peekable();
    while let Some(&([row, _], _)) = elements.peek() {
        let mut sums = workspace.open();
        while let Some(([_, k], value)) = elements.next_if(|([next, _], _)| *next == row) {
            let factor = T::Sum::of(value);
            let positions = of_right.get(k);
            let products = positions.map(|position| {
                let term = factor.times(T::Sum::of(right.value(position)));
                (right.coordinates()[position][1], term)
            });
            sums.extend(products, T::Sum::plus);
        }
        sums.drain(|column, sum| result.add([row, column], T::narrow(sum)));
    }
    Ok(result)
}

/// Returns the Kronecker product: the product of every two elements, at `left * extent of right + right` in each dim.
///
/// # Errors
/// `Overflow` if an extent or the number of elements exceeds `usize`, `Limit` if there is no memory for them.
pub(super) fn kronecker<T: Scalar, const N: usize>(
    left: &Ordered<T, N>,
    right: &Ordered<T, N>,
    [outer, inner]: [[usize; N]; 2],
) -> Result<Triplets<T, N>, Error> {
    const WHAT: &str = "the Kronecker product";
    let mut shape = [0; N];
    for dim in 0..N {
        shape[dim] = room::times(WHAT, outer[dim], inner[dim])?;
    }
    let count = room::times(WHAT, left.coordinates().len(), right.coordinates().len())?;
    let mut result = room::triplets(WHAT, shape, count)?;
    for (outer, left) in left.iter() {
        for (at, right) in right.iter() {
            let at = core::array::from_fn(|dim| outer[dim] * inner[dim] + at[dim]);
            result.add(at, left.times(right));
        }
    }
    Ok(result)
}
