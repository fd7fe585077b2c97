//! Two tensors element by element: where either is stored, or both.

use core::cmp::Ordering;

use super::room;
use crate::convert::assemble::by_dims::{InLogicalOrder, in_logical_order};
use crate::element::Stored;
use crate::error::Error;
use crate::source::Source;
use crate::triplets::Triplets;

/// The elements of a tensor in logical order.
pub(super) struct Ordered<T, const N: usize> {
    shape: [usize; N],
    coordinates: Vec<[usize; N]>,
    values: Vec<T>,
}

impl<T: Stored, const N: usize> Ordered<T, N> {
    /// Copies the elements of a source, and sorts them unless they come in order.
    ///
    /// # Errors
    /// `Duplicate` if a coordinate is repeated and the policy of the source refuses that.
    pub(super) fn of<S: Source<N, Scalar = T>>(what: &'static str, source: &S) -> Result<Self, Error> {
        let InLogicalOrder { coordinates, values } = in_logical_order(what, source)?;
        Ok(Ordered {
            shape: source.shape(),
            coordinates,
            values,
        })
    }

    /// Returns the elements.
    pub(super) fn iter(&self) -> impl Iterator<Item = ([usize; N], T)> + '_ {
        self.coordinates.iter().copied().zip(self.values.iter().copied())
    }

    /// Returns the coordinates.
    pub(super) fn coordinates(&self) -> &[[usize; N]] {
        &self.coordinates
    }

    /// Returns the value at a position.
    pub(super) fn value(&self, position: usize) -> T {
        self.values[position]
    }

    /// Visits every coordinate of either tensor once, in order, with the values there.
    ///
    /// # Errors
    /// `Shape` if the shapes differ.
    pub(super) fn merge<U: Stored>(
        &self,
        other: &Ordered<U, N>,
        what: &str,
        mut visit: impl FnMut([usize; N], Option<T>, Option<U>),
    ) -> Result<(), Error> {
        if self.shape != other.shape {
            return Err(room::misfit(what, other.shape, format!("the shape {:?}", self.shape)));
        }
        let (mut left, mut right) = (self.iter().peekable(), other.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((left, _)), Some((right, _))) => left.cmp(right),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Ok(()),
            };
            let left = if order.is_le() { left.next() } else { None };
            let right = if order.is_ge() { right.next() } else { None };
            if let Some(at) = left.map(|(at, _)| at).or(right.map(|(at, _)| at)) {
                visit(at, left.map(|(_, value)| value), right.map(|(_, value)| value));
            }
        }
    }

    /// Returns the elements that `combine` makes of the values wherever either tensor stores one.
    ///
    /// # Errors
    /// `Shape` if the shapes differ.
    pub(super) fn union(
        &self,
        other: &Self,
        what: &str,
        combine: impl Fn(Option<T>, Option<T>) -> T,
    ) -> Result<Triplets<T, N>, Error> {
        let most = self.values.len().saturating_add(other.values.len());
        let mut result = room::triplets(what, self.shape, most)?;
        self.merge(other, what, |at, left, right| result.add(at, combine(left, right)))?;
        Ok(result)
    }
}
