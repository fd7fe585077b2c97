//! Borrowed triplets, in one array per dim and one of values.

use core::fmt::{self, Debug, Formatter};
use core::ops::Range;

use super::scan::scan;
use crate::array::stream::{self, Coordinates};
use crate::array::{First, count_each};
use crate::element::{Index, Stored};
use crate::error::{Error, ErrorKind};
use crate::format::balance::balanced;
use crate::limit::Limit;
use crate::model::Estimate;
use crate::source::{Duplicates, Source, outside};
use crate::tensor::SparseTensor;

/// Borrowed coordinates and values, in one array per dim and one of values: triplets as other libraries store them,
/// in any order, duplicates allowed.
///
/// Formats are converted from it without a copy. The indices may have any integer type and count from 0.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::TripletsView;
/// let (rows, cols, values) = ([2i32, 0, 2], [0i32, 1, 3], [5.0, 1.0, 2.0]);
/// let triplets = TripletsView::try_new([3, 4], [&rows, &cols], &values)?;
/// assert_eq!(triplets.iter().last(), Some(([2, 3], 2.0)));
/// assert!(TripletsView::try_new([2, 4], [&rows, &cols], &values).is_err());
/// # Ok::<(), unisparse::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct TripletsView<'a, T, const N: usize, I = u32> {
    shape: [usize; N],
    /// One array per dim, each as long as the values, with entries below the extent.
    coordinates: [&'a [I]; N],
    values: &'a [T],
    duplicates: Duplicates,
}

/// Only the first elements are shown.
impl<T: Debug, const N: usize, I: Debug> Debug for TripletsView<'_, T, N, I> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("TripletsView")
            .field("shape", &self.shape)
            .field("coordinates", &self.coordinates.map(First))
            .field("values", &First(self.values))
            .field("duplicates", &self.duplicates)
            .finish()
    }
}

impl<'a, T: Stored, const N: usize, I: Index> TripletsView<'a, T, N, I> {
    /// Borrows these arrays for a tensor of this shape. `O(elements)`: checks every coordinate once.
    ///
    /// # Errors
    /// [`ErrorKind::Length`] if the arrays are not all of one length, [`ErrorKind::OutOfBounds`] for the first coordinate of
    /// a dim outside the shape.
    pub fn try_new(shape: [usize; N], coordinates: [&'a [I]; N], values: &'a [T]) -> Result<Self, Error> {
        for (dim, (indices, extent)) in coordinates.iter().zip(shape).enumerate() {
            if indices.len() != values.len() {
                return Err(Error::new(
                    ErrorKind::Length,
                    format!("dim {dim}"),
                    None,
                    format!("{} coordinates", indices.len()),
                    format!("{}, one for each value", values.len()),
                ));
            }
            // A negative index becomes greater than any extent.
            let is_outside = |index: &I| index.to_i64() as u64 >= extent as u64;
            // Branch-free over all indices; the position is searched only if one is outside.
            if indices.iter().fold(false, |any, index| any | is_outside(index)) {
                let position = indices.iter().position(is_outside);
                let coordinate = position.map_or(0, |at| indices[at].to_i64());
                return Err(outside(&shape, dim, position, &coordinate));
            }
        }
        Ok(TripletsView {
            shape,
            coordinates,
            values,
            duplicates: Duplicates::Sum,
        })
    }

    /// Sets the policy for several triplets at one coordinate; the default is to add them.
    #[must_use]
    pub fn duplicates(mut self, policy: Duplicates) -> Self {
        self.duplicates = policy;
        self
    }

    /// Returns the extent of each dim.
    #[must_use]
    pub fn shape(&self) -> [usize; N] {
        self.shape
    }

    /// Returns the number of triplets, including duplicates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no triplets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Iterates over the triplets in the order of the arrays.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ([usize; N], T)> + 'a {
        let (coordinates, values) = (self.coordinates, self.values);
        let triplet = move |(at, &value): (usize, &T)| (coordinates.map(|indices| indices[at].to_usize()), value);
        values.iter().enumerate().map(triplet)
    }

    /// Returns the array of each dim.
    #[must_use]
    pub fn coordinates(&self) -> [&'a [I]; N] {
        self.coordinates
    }

    /// Returns the values.
    #[must_use]
    pub fn values(&self) -> &'a [T] {
        self.values
    }

    /// Converts these triplets to any declared format.
    ///
    /// # Errors
    /// As [`Triplets::convert`](super::Triplets::convert).
    pub fn convert<F: SparseTensor<N, Scalar = T>>(&self) -> Result<F, Error> {
        F::assemble(self, Limit::default())
    }

    /// As [`convert`](TripletsView::convert), under the caller's limit.
    ///
    /// # Errors
    /// As [`convert`](TripletsView::convert).
    pub fn convert_within<F: SparseTensor<N, Scalar = T>>(&self, limit: Limit) -> Result<F, Error> {
        F::assemble(self, limit)
    }

    /// Returns the size of these triplets in a declared format, without building it.
    ///
    /// # Errors
    /// As [`SparseTensor::estimate_of`].
    pub fn estimate<F: SparseTensor<N, Scalar = T>>(&self) -> Result<Estimate, Error> {
        F::estimate_of(self)
    }
}

impl<T: Stored, const N: usize, I: Index> Source<N> for TripletsView<'_, T, N, I> {
    type Scalar = T;
    const IS_CHECKED: bool = true;
    const HAS_DUPLICATES: bool = true;

    fn shape(&self) -> [usize; N] {
        self.shape
    }

    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn for_each(&self, visit: impl FnMut([usize; N], T)) {
        self.for_each_between(0..self.len(), visit);
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        balanced(self.len(), pieces, |element| element)
    }

    #[inline]
    fn for_each_between(&self, piece: Range<usize>, mut visit: impl FnMut([usize; N], T)) {
        let triplets = (self.coordinates.map(Coordinates::new), self.values);
        stream::within(triplets, piece, 0).each(|(coordinate, value)| visit(coordinate, value));
    }

    fn count_coordinates(&self, dim: usize, shift: u32, counts: &mut [u32]) -> bool {
        count_each(self.coordinates[dim], shift, counts);
        true
    }

    fn duplicates(&self) -> Duplicates {
        self.duplicates
    }

    fn sorted_by(&self) -> Option<([usize; N], bool)> {
        scan(&self.coordinates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_arrays_are_refused_where_they_differ() {
        let refused = |rows: &[i64], cols: &[i64]| {
            let view = TripletsView::try_new([3, 4], [rows, cols], &[1.0, 2.0]);
            let error = view.expect_err("other arrays");
            (error.kind(), error.to_string())
        };
        let (kind, message) = refused(&[0, 1], &[3]);
        assert_eq!(kind, ErrorKind::Length);
        assert!(
            message.contains("dim 1") && message.contains("1 coordinates"),
            "{message}"
        );
        for (rows, cols, found) in [
            ([0, 3], [0, 0], "row 3"),
            ([0, -1], [0, 0], "row -1"),
            ([2, 2], [1, i64::MAX], "column 9223372036854775807"),
        ] {
            let (kind, message) = refused(&rows, &cols);
            assert_eq!(kind, ErrorKind::OutOfBounds);
            assert_eq!(message, format!("element 1: {found} is outside 3 x 4"));
        }
        assert!(TripletsView::try_new([3], [&[u64::MAX]], &[1.0]).is_err());
    }

    #[test]
    fn views_are_planned_and_read_as_triplets_are() {
        let (rows, cols, values) = ([2u8, 0, 2], [1u8, 3, 1], [1.5, 2.0, 4.0]);
        let view = TripletsView::try_new([3, 4], [&rows, &cols], &values).unwrap();
        let all = [([2, 1], 1.5), ([0, 3], 2.0), ([2, 1], 4.0)];
        assert!(view.iter().eq(all));
        let mut visited = Vec::new();
        view.for_each(|at, value| visited.push((at, value)));
        assert_eq!(visited, all);
        let storage = <TripletsView<'_, f64, 2, u8> as crate::format::Encoded>::STORAGE;
        assert!(
            storage[0]
                .levels
                .iter()
                .all(|level| level.idx.is_some_and(|idx| idx.entry == "u8"))
        );
    }
}
