//! Elements as level coordinates, to be visited as often as an assembly needs.

use core::marker::PhantomData;
use core::ops::Range;

use super::strategy::{Sorted, Way, target};
use crate::level::Tree;
use crate::pieces::balanced;
use crate::{Source, parallel};

/// Elements with their level coordinates, of a format `F`. Every visit gives the same ones in the same order.
///
/// What may be done with them is told by constants, so that nothing else is compiled.
pub trait Coded<F: Tree<N, M>, const N: usize, const M: usize>: Sync {
    /// What is known of their order, if their type tells it.
    const SORTED: Option<Sorted>;
    /// Whether they may be put in their places by block.
    const MAY_PLACE: bool = Way::Place.is_open(&Self::SORTED, target::<F, N, M>().1);
    /// Whether they may be appended.
    const MAY_APPEND: bool = Way::Append.is_open(&Self::SORTED, target::<F, N, M>().1);
    /// Whether they may come in another order than that of storage.
    const MAY_MOVE: bool = Way::Scatter.is_open(&Self::SORTED, target::<F, N, M>().1)
        || Way::Sort.is_open(&Self::SORTED, target::<F, N, M>().1);

    /// What is known of their order after a look at them.
    fn sorted(&self) -> Sorted {
        Sorted::by_dims(&[], false, target::<F, N, M>())
    }

    /// An upper bound of how many there are.
    fn count(&self) -> usize;

    /// Where the visit can be cut into at most so many pieces of about as many elements.
    fn borders(&self, pieces: usize) -> Vec<usize>;

    /// Visits the elements between two borders.
    fn for_each_between(&self, piece: Range<usize>, visit: impl FnMut([i64; M], F::Scalar));

    /// Visits each element.
    #[inline]
    fn for_each(&self, visit: impl FnMut([i64; M], F::Scalar)) {
        let end = self.borders(1).last().copied().unwrap_or(0);
        self.for_each_between(0..end, visit);
    }
}

/// Elements whose source is not part of the type: a call for each of them, but one piece of code for all sources.
pub(super) struct Any<'c, F: Tree<N, M>, const N: usize, const M: usize>(pub(super) &'c dyn Visited<F, N, M>);

/// [`Coded`] as an object.
pub(super) trait Visited<F: Tree<N, M>, const N: usize, const M: usize>: Sync {
    fn count(&self) -> usize;
    fn borders(&self, pieces: usize) -> Vec<usize>;
    fn visit(&self, piece: Range<usize>, visit: &mut dyn FnMut([i64; M], F::Scalar));
}

impl<F: Tree<N, M>, C: Coded<F, N, M>, const N: usize, const M: usize> Visited<F, N, M> for C {
    fn count(&self) -> usize {
        Coded::count(self)
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        Coded::borders(self, pieces)
    }

    fn visit(&self, piece: Range<usize>, visit: &mut dyn FnMut([i64; M], F::Scalar)) {
        self.for_each_between(piece, visit);
    }
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Coded<F, N, M> for Any<'_, F, N, M> {
    const SORTED: Option<Sorted> = None;

    fn count(&self) -> usize {
        self.0.count()
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        self.0.borders(pieces)
    }

    fn for_each_between(&self, piece: Range<usize>, mut visit: impl FnMut([i64; M], F::Scalar)) {
        self.0.visit(piece, &mut visit);
    }
}

/// The pieces that a visit is cut into on the threads there are.
pub(super) fn pieces<F: Tree<N, M>, const N: usize, const M: usize>(source: &impl Coded<F, N, M>) -> Vec<Range<usize>> {
    let borders = source.borders(parallel::pieces(source.count()));
    borders.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// The elements of a source, for a format without queries.
pub struct Plain<'s, F, S, const N: usize> {
    source: &'s S,
    format: PhantomData<fn() -> F>,
}

impl<'s, F, S, const N: usize> Plain<'s, F, S, N> {
    pub(super) fn new(source: &'s S) -> Self {
        Plain {
            source,
            format: PhantomData,
        }
    }
}

impl<F, S, const N: usize, const M: usize> Coded<F, N, M> for Plain<'_, F, S, N>
where
    F: Tree<N, M>,
    S: Source<N, Scalar = F::Scalar>,
{
    const SORTED: Option<Sorted> = Sorted::by_type::<F, S, N, M>();

    fn sorted(&self) -> Sorted {
        match self.source.sorted_by() {
            Some((dims, strictly)) => Sorted::by_dims(&dims, strictly, target::<F, N, M>()),
            None => Sorted::by_dims(&[], false, target::<F, N, M>()),
        }
    }

    fn count(&self) -> usize {
        self.source.count()
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        self.source.borders(pieces)
    }

    #[inline]
    fn for_each_between(&self, piece: Range<usize>, mut visit: impl FnMut([i64; M], F::Scalar)) {
        self.source
            .for_each_between(piece, |coordinate, value| visit(F::encode(coordinate, &[]), value));
    }
}

/// Elements in logical order with the results of `Q` queries.
pub struct Queried<F, T, const N: usize, const Q: usize> {
    pub(super) coordinates: Vec<[usize; N]>,
    pub(super) values: Vec<T>,
    pub(super) results: Vec<[i64; Q]>,
    pub(super) format: PhantomData<fn() -> F>,
}

impl<F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> Coded<F, N, M> for Queried<F, F::Scalar, N, Q> {
    const SORTED: Option<Sorted> = Some(Sorted::logically(target::<F, N, M>()));

    fn count(&self) -> usize {
        self.values.len()
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        balanced(self.values.len(), pieces, |element| element)
    }

    #[inline]
    fn for_each_between(&self, piece: Range<usize>, mut visit: impl FnMut([i64; M], F::Scalar)) {
        let (coordinates, values) = (&self.coordinates[piece.clone()], &self.values[piece.clone()]);
        for ((&coordinate, &value), results) in coordinates.iter().zip(values).zip(&self.results[piece]) {
            visit(F::encode(coordinate, results), value);
        }
    }
}
