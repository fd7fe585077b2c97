//! Elements as level coordinates, to be visited as often as an assembly needs.

use core::marker::PhantomData;

use crate::Source;
use crate::level::Tree;

/// Elements with their level coordinates. Every visit gives the same ones in the same order.
pub trait Coded<T, const M: usize> {
    /// An upper bound of how many there are.
    fn count(&self) -> usize;

    /// Visits each element.
    fn for_each(&self, visit: impl FnMut([i64; M], T));
}

/// The elements of a source, for a format without queries.
pub struct Plain<'s, F, S, const N: usize> {
    source: &'s S,
    format: PhantomData<F>,
}

impl<'s, F, S, const N: usize> Plain<'s, F, S, N> {
    pub(super) fn new(source: &'s S) -> Self {
        Plain {
            source,
            format: PhantomData,
        }
    }
}

impl<F, S, const N: usize, const M: usize> Coded<F::Scalar, M> for Plain<'_, F, S, N>
where
    F: Tree<N, M>,
    S: Source<N, Scalar = F::Scalar>,
{
    fn count(&self) -> usize {
        self.source.count()
    }

    #[inline]
    fn for_each(&self, mut visit: impl FnMut([i64; M], F::Scalar)) {
        self.source
            .for_each(|coordinate, value| visit(F::encode(coordinate, &[]), value));
    }
}

/// Elements in logical order with the results of `Q` queries.
pub struct Queried<F, T, const N: usize, const Q: usize> {
    pub(super) coordinates: Vec<[usize; N]>,
    pub(super) values: Vec<T>,
    pub(super) results: Vec<[i64; Q]>,
    pub(super) format: PhantomData<F>,
}

impl<F, const N: usize, const M: usize, const Q: usize> Coded<F::Scalar, M> for Queried<F, F::Scalar, N, Q>
where
    F: Tree<N, M>,
{
    fn count(&self) -> usize {
        self.values.len()
    }

    #[inline]
    fn for_each(&self, mut visit: impl FnMut([i64; M], F::Scalar)) {
        for ((&coordinate, &value), results) in self.coordinates.iter().zip(&self.values).zip(&self.results) {
            visit(F::encode(coordinate, results), value);
        }
    }
}
