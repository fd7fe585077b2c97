//! Unordered coordinate lists, for building and exchanging tensors.

mod encoding;
mod scan;
mod show;
mod tensor;
#[cfg(test)]
mod tests;
mod view;

pub use view::TripletsView;

use core::any::Any;

use crate::array::stream;
use crate::element::Stored;
use crate::error::Error;
use crate::format::balance::balanced;
use crate::limit::Limit;
use crate::model::Estimate;
use crate::source::{Duplicates, Source, check_coordinate};
use crate::tensor::SparseTensor;
use scan::{scan, scan_matrix};
use std::ops::Range;

/// Coordinates and values of an `N`-dimensional tensor, in any order, duplicates allowed.
///
/// Readers return triplets and every format can be converted from them; they take `N * 8 + size_of::<T>()` bytes per
/// element.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::Triplets;
/// let mut triplets = Triplets::new([2, 3]);
/// triplets.push([1, 2], 5.0)?;
/// triplets.push([0, 0], 1.0)?;
/// assert_eq!(triplets.len(), 2);
/// assert!(triplets.push([2, 0], 1.0).is_err());
/// # Ok::<(), unisparse::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Triplets<T, const N: usize> {
    shape: [usize; N],
    coordinates: Vec<[usize; N]>,
    values: Vec<T>,
    duplicates: Duplicates,
}

impl<T: Stored, const N: usize> Triplets<T, N> {
    /// Creates an empty list for a tensor of this shape.
    #[must_use]
    pub fn new(shape: [usize; N]) -> Self {
        Triplets {
            shape,
            coordinates: Vec::new(),
            values: Vec::new(),
            duplicates: Duplicates::Sum,
        }
    }

    /// Creates an empty list with capacity for `capacity` elements.
    #[must_use]
    pub fn with_capacity(shape: [usize; N], capacity: usize) -> Self {
        Triplets {
            coordinates: Vec::with_capacity(capacity),
            values: Vec::with_capacity(capacity),
            ..Triplets::new(shape)
        }
    }

    /// Collects `triplets` for a tensor of this shape.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfBounds`](crate::ErrorKind::OutOfBounds) for the first coordinate outside the shape.
    pub fn try_from_triplets(
        shape: [usize; N],
        triplets: impl IntoIterator<Item = ([usize; N], T)>,
    ) -> Result<Self, Error> {
        let triplets = triplets.into_iter();
        let mut all = Triplets::with_capacity(shape, triplets.size_hint().0.min(1 << 24));
        for (coordinate, value) in triplets {
            all.push(coordinate, value)?;
        }
        Ok(all)
    }

    /// Returns these triplets, whose coordinates the caller has checked.
    pub(crate) fn from_checked(shape: [usize; N], coordinates: Vec<[usize; N]>, values: Vec<T>) -> Self {
        debug_assert_eq!(coordinates.len(), values.len());
        debug_assert!(
            coordinates
                .iter()
                .all(|at| at.iter().zip(&shape).all(|(at, extent)| at < extent))
        );
        Triplets {
            coordinates,
            values,
            ..Triplets::new(shape)
        }
    }

    /// Sets the policy for several triplets at one coordinate; the default is to add them.
    #[must_use]
    pub fn duplicates(mut self, policy: Duplicates) -> Self {
        self.duplicates = policy;
        self
    }

    /// Appends one element. Amortised `O(1)`.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfBounds`](crate::ErrorKind::OutOfBounds) if the coordinate is outside the shape; then nothing is appended.
    pub fn push(&mut self, coordinate: [usize; N], value: T) -> Result<(), Error> {
        check_coordinate(&self.shape, self.values.len(), &coordinate)?;
        self.coordinates.push(coordinate);
        self.values.push(value);
        Ok(())
    }

    /// Reserves memory for as many more elements.
    pub(crate) fn try_reserve(&mut self, more: usize) -> Result<(), std::collections::TryReserveError> {
        self.coordinates.try_reserve_exact(more)?;
        self.values.try_reserve_exact(more)
    }

    /// Appends one element, which the caller has checked to be inside the shape.
    pub(crate) fn add(&mut self, coordinate: [usize; N], value: T) {
        debug_assert!(coordinate.iter().zip(&self.shape).all(|(at, extent)| at < extent));
        self.coordinates.push(coordinate);
        self.values.push(value);
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

    /// Iterates over the triplets in the order pushed.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ([usize; N], T)> + '_ {
        self.coordinates.iter().copied().zip(self.values.iter().copied())
    }

    /// Returns the coordinates in the order pushed.
    #[must_use]
    pub fn coordinates(&self) -> &[[usize; N]] {
        &self.coordinates
    }

    /// Returns the values in the order pushed.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the values for modification in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Converts every value, possibly to another type.
    #[must_use]
    pub fn map<U: Stored>(self, convert: impl FnMut(T) -> U) -> Triplets<U, N> {
        Triplets {
            shape: self.shape,
            coordinates: self.coordinates,
            values: self.values.into_iter().map(convert).collect(),
            duplicates: self.duplicates,
        }
    }

    /// Converts these triplets to any declared format.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the storage would take more than the default [`Limit`],
    /// [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) if an index or pointer does not fit its declared width or the result
    /// of a query does not fit, and [`ErrorKind::Duplicate`](crate::ErrorKind::Duplicate) if there are duplicates and the policy
    /// rejects them.
    pub fn convert<F: SparseTensor<N, Scalar = T>>(&self) -> Result<F, Error> {
        F::assemble(self, Limit::default())
    }

    /// As [`convert`](Triplets::convert), under the caller's limit.
    ///
    /// # Errors
    /// As [`convert`](Triplets::convert).
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

impl<T: Stored, const N: usize> Source<N> for Triplets<T, N> {
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
        let triplets = (&self.coordinates[..], &self.values[..]);
        stream::within(triplets, piece, 0).each(|(coordinate, value)| visit(coordinate, value));
    }

    fn count_coordinates(&self, dim: usize, shift: u32, counts: &mut [u32]) -> bool {
        for coordinate in &self.coordinates {
            counts[coordinate[dim] >> shift] += 1;
        }
        true
    }

    fn duplicates(&self) -> Duplicates {
        self.duplicates
    }

    fn sorted_by(&self) -> Option<([usize; N], bool)> {
        // This crate has the code for matrices, so that it is not compiled again in every crate that converts.
        let coordinates: &dyn Any = &self.coordinates;
        let Some(of_matrix) = coordinates.downcast_ref::<Vec<_>>() else {
            return scan(&self.coordinates[..]);
        };
        let (order, strict) = scan_matrix(of_matrix)?;
        Some((core::array::from_fn(|dim| order[dim]), strict))
    }
}
