//! The unordered builder and interchange value.

mod encoding;
mod view;

pub use view::TripletsView;

use crate::bounds::outside;
use crate::order::scan;
use crate::pieces::balanced;
use crate::{Error, Estimate, Limit, Source, SparseTensor, Stored, stream};
use std::ops::Range;

/// What to do with several triplets at one coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Duplicates {
    /// Add them up, in the order pushed. What every assembly code wants. Elements that have no sum ([`Stored::PLUS`]) are
    /// refused.
    #[default]
    Sum,
    /// Keep the one pushed first.
    First,
    /// Keep the one pushed last.
    Last,
    /// Refuse them with an [`ErrorKind::Duplicate`](crate::ErrorKind::Duplicate).
    Reject,
}

impl Duplicates {
    /// The policy for elements that may have no sum.
    pub(crate) const fn of<T: Stored>(self) -> Self {
        match (self, T::PLUS) {
            (Duplicates::Sum, None) => Duplicates::Reject,
            _ => self,
        }
    }
}

/// Coordinates and values of an `N`-dimensional tensor, in any order, duplicates allowed.
///
/// Readers give triplets, every format is converted from them, and they cost
/// `N * 8 + size_of::<T>()` bytes an element.
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
#[derive(Debug, Clone, PartialEq)]
pub struct Triplets<T, const N: usize> {
    shape: [usize; N],
    coordinates: Vec<[usize; N]>,
    values: Vec<T>,
    duplicates: Duplicates,
}

impl<T: Stored, const N: usize> Triplets<T, N> {
    /// No elements yet, in a box of this shape.
    #[must_use]
    pub fn new(shape: [usize; N]) -> Self {
        Triplets {
            shape,
            coordinates: Vec::new(),
            values: Vec::new(),
            duplicates: Duplicates::Sum,
        }
    }

    /// No elements yet, with room for `capacity` of them.
    #[must_use]
    pub fn with_capacity(shape: [usize; N], capacity: usize) -> Self {
        Triplets {
            coordinates: Vec::with_capacity(capacity),
            values: Vec::with_capacity(capacity),
            ..Triplets::new(shape)
        }
    }

    /// All of `triplets`, in a box of this shape.
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

    /// Sets what becomes of several triplets at one coordinate; they are summed by default.
    #[must_use]
    pub fn duplicates(mut self, policy: Duplicates) -> Self {
        self.duplicates = policy;
        self
    }

    /// Adds one element. Amortised `O(1)`.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfBounds`](crate::ErrorKind::OutOfBounds) if the coordinate lies outside the shape; nothing is added then.
    pub fn push(&mut self, coordinate: [usize; N], value: T) -> Result<(), Error> {
        for (dim, (&at, &extent)) in coordinate.iter().zip(&self.shape).enumerate() {
            if at >= extent {
                return Err(outside(&self.shape, dim, Some(self.values.len()), at));
            }
        }
        self.coordinates.push(coordinate);
        self.values.push(value);
        Ok(())
    }

    /// The extent of each dimension.
    #[must_use]
    pub fn shape(&self) -> [usize; N] {
        self.shape
    }

    /// How many triplets were pushed, duplicates counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The triplets in the order pushed.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ([usize; N], T)> + '_ {
        self.coordinates.iter().copied().zip(self.values.iter().copied())
    }

    /// The coordinates in the order pushed.
    #[must_use]
    pub fn coordinates(&self) -> &[[usize; N]] {
        &self.coordinates
    }

    /// The values in the order pushed.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The values, to change in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Every triplet with a value of another type.
    #[must_use]
    pub fn map<U: Stored>(self, convert: impl FnMut(T) -> U) -> Triplets<U, N> {
        Triplets {
            shape: self.shape,
            coordinates: self.coordinates,
            values: self.values.into_iter().map(convert).collect(),
            duplicates: self.duplicates,
        }
    }

    /// The tensor these triplets describe, in any declared format.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the storage would take more than the default [`Limit`],
    /// [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) if an index or pointer does not fit its declared width or the result of a query
    /// does not fit, and
    /// [`ErrorKind::Duplicate`](crate::ErrorKind::Duplicate) if the policy refuses duplicates and there are any.
    pub fn convert<F: SparseTensor<N, Scalar = T>>(&self) -> Result<F, Error> {
        F::assemble(self, Limit::default())
    }

    /// [`convert`](Triplets::convert) under a limit of the caller's.
    ///
    /// # Errors
    /// As [`convert`](Triplets::convert).
    pub fn convert_within<F: SparseTensor<N, Scalar = T>>(&self, limit: Limit) -> Result<F, Error> {
        F::assemble(self, limit)
    }

    /// How large these triplets are in a declared format, without building it.
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

    fn duplicates(&self) -> Duplicates {
        self.duplicates
    }

    fn sorted_by(&self) -> Option<([usize; N], bool)> {
        scan(&self.coordinates[..])
    }
}
