//! The elements that queries are evaluated on, each coordinate once, visited in batches.
//!
//! What depends on the source is a loop that fills a batch: all else is compiled once for each format.

use core::ops::Range;

use crate::pieces::balanced;
use crate::{Scalar, Source};

/// Elements of a batch: few enough to stay in the nearest cache.
pub(super) const BATCH: usize = 256;

/// A source as an object: every visit gives the same elements in the same order.
pub(super) trait Batches<T, const N: usize>: Sync {
    /// An upper bound of how many elements there are.
    fn count(&self) -> usize;

    /// Where the visit can be cut into at most so many pieces of about as many elements.
    fn borders(&self, pieces: usize) -> Vec<usize>;

    /// Visits the elements between two borders, at most [`BATCH`] at a time.
    fn visit(&self, piece: Range<usize>, visit: &mut dyn FnMut(&[[usize; N]], &[T]));
}

impl<S: Source<N>, const N: usize> Batches<S::Scalar, N> for S {
    fn count(&self) -> usize {
        Source::count(self)
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        Source::borders(self, pieces)
    }

    fn visit(&self, piece: Range<usize>, visit: &mut dyn FnMut(&[[usize; N]], &[S::Scalar])) {
        let (mut coordinates, mut values) = ([[0; N]; BATCH], [S::Scalar::ZERO; BATCH]);
        let mut len = 0;
        self.for_each_between(piece, |coordinate, value| {
            (coordinates[len], values[len]) = (coordinate, value);
            len += 1;
            if len == BATCH {
                visit(&coordinates, &values);
                len = 0;
            }
        });
        if len > 0 {
            visit(&coordinates[..len], &values[..len]);
        }
    }
}

/// Elements that were brought into logical order.
pub(super) struct Gathered<T, const N: usize> {
    pub(super) coordinates: Vec<[usize; N]>,
    pub(super) values: Vec<T>,
}

impl<T: Scalar, const N: usize> Batches<T, N> for Gathered<T, N> {
    fn count(&self) -> usize {
        self.values.len()
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        balanced(self.values.len(), pieces, |element| element)
    }

    fn visit(&self, piece: Range<usize>, visit: &mut dyn FnMut(&[[usize; N]], &[T])) {
        let coordinates = self.coordinates[piece.clone()].chunks(BATCH);
        for (coordinates, values) in coordinates.zip(self.values[piece].chunks(BATCH)) {
            visit(coordinates, values);
        }
    }
}

/// Where elements come from.
pub(super) enum Elements<'s, T, const N: usize> {
    Source(&'s dyn Batches<T, N>),
    Gathered(Gathered<T, N>),
}

impl<T: Scalar, const N: usize> Elements<'_, T, N> {
    pub(super) fn batches(&self) -> &dyn Batches<T, N> {
        match self {
            Elements::Source(source) => *source,
            Elements::Gathered(gathered) => gathered,
        }
    }
}
