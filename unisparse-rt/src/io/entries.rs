//! Coordinates and values of a part of a file.

use crate::element::Stored;
use crate::machine::pages;
use crate::triplets::Triplets;

/// The entries of consecutive lines.
pub(super) struct Entries<T, const N: usize> {
    coordinates: Vec<[usize; N]>,
    values: Vec<T>,
}

impl<T: Stored, const N: usize> Entries<T, N> {
    pub(super) fn with_capacity(count: usize) -> Self {
        Entries {
            coordinates: Vec::with_capacity(count),
            values: Vec::with_capacity(count),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, coordinate: [usize; N], value: T) {
        self.coordinates.push(coordinate);
        self.values.push(value);
    }

    pub(super) fn append(&mut self, mut other: Self) {
        // On large pages: with small ones, a file of 2 * 10^6 entries takes nearly three times as many faults.
        pages::reserve(&mut self.coordinates, other.coordinates.len());
        pages::reserve(&mut self.values, other.values.len());
        self.coordinates.append(&mut other.coordinates);
        self.values.append(&mut other.values);
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the entries as triplets in this shape, inside which they are known to be.
    pub(super) fn in_shape(self, shape: [usize; N]) -> Triplets<T, N> {
        Triplets::from_checked(shape, self.coordinates, self.values)
    }
}
