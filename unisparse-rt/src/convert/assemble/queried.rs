//! Elements of a source with the results of queries.

use core::ops::Range;

use super::by_dims::{ByDims, are_scattered, dims_by_levels};
use super::depths::target;
use super::measured::{measure, of_measured};
use super::sorted::Sorted;
use super::words::Coded;
use crate::array::{Domain, check_shape};
use crate::convert::query::{Queries, SourceElements, Visited};
use crate::error::Error;
use crate::format::Tree;
use crate::format::balance::balanced;
use crate::report::step;
use crate::source::{Duplicates, Source};

/// Elements of a source, with the results of `Q` queries.
pub struct Queried<'s, F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> {
    pub(crate) queries: Queries<'s, F::Scalar, N, Q>,
    pub(super) sorted: Sorted,
    /// Whether the coordinates are known to be inside the shape on every visit.
    checked: bool,
}

impl<'s, F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> Queried<'s, F, N, M, Q> {
    /// Takes the elements of a source; no query is evaluated yet.
    ///
    /// They stay in place if no coordinate occurs twice and neighbours tend to belong to the same groups. Otherwise they are
    /// copied and sorted by the dims that the levels mention first.
    ///
    /// # Errors
    /// `OutOfBounds` if an element is outside the shape, `Duplicate` if there are duplicates and the source refuses them,
    /// `Overflow` for an extent above 2^62.
    pub(crate) fn new<S: Source<N, Scalar = F::Scalar>>(source: &'s S) -> Result<Self, Error> {
        let sorted = Sorted::of::<F, S, N, M>(source);
        check_shape(F::NAME, source.shape())?;
        Self::of_elements(
            Box::new(Visited::new(source)?),
            source.shape(),
            (sorted, S::IS_CHECKED),
            source.duplicates(),
        )
    }

    /// Continues [`new`](Queried::new); this code does not depend on the source type.
    fn of_elements(
        elements: Box<dyn SourceElements<F::Scalar, N> + 's>,
        shape: [usize; N],
        (sorted, checked): (Sorted, bool),
        policy: Duplicates,
    ) -> Result<Self, Error> {
        let dims = dims_by_levels(target::<F, N, M>().0);
        let policy = (!sorted.unique).then_some(policy);
        if policy.is_none() && !are_scattered(&*elements, shape, &dims) {
            return Ok(Queried {
                queries: Queries::new(shape, elements),
                sorted,
                checked,
            });
        }
        let sorted = Sorted::by_dims(&dims, true, target::<F, N, M>());
        let sorting = step("sort the elements by dims");
        let elements = ByDims::new(F::NAME, &*elements, shape, dims, policy)?;
        drop(sorting);
        Ok(Queried {
            queries: Queries::new(shape, Box::new(elements)),
            sorted,
            checked,
        })
    }

    /// Queries that the levels mention.
    const WANTED: [bool; Q] = {
        let (mut wanted, mut query) = ([false; Q], 0);
        while query < Q {
            wanted[query] = target::<F, N, M>().0.mentions(query);
            query += 1;
        }
        wanted
    };

    /// Returns the domains, with those of measured levels.
    pub(crate) fn measure(&self, domains: [Domain; M]) -> Result<[Domain; M], Error> {
        measure::<F, N, M>(
            domains,
            |query| self.queries.extremes_of(query),
            || {
                let encode = |coordinate, results: &[i64; Q]| of_measured::<F, N, M>(F::encode(coordinate, results));
                self.queries.extremes(const { &Self::WANTED }, encode)
            },
        )
    }
}

impl<F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> Coded<F, N, M> for Queried<'_, F, N, M, Q> {
    const SORTED: Option<Sorted> = None;

    fn are_checked(&self) -> bool {
        self.checked
    }

    fn count(&self) -> usize {
        self.queries.count()
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        balanced(self.queries.pieces(), pieces, |piece| piece)
    }

    fn whole(&self) -> Range<usize> {
        0..self.queries.pieces()
    }

    #[inline]
    fn for_each_between(&self, pieces: Range<usize>, mut visit: impl FnMut([i64; M], F::Scalar)) {
        for piece in pieces {
            self.queries
                .visit(piece, const { &Self::WANTED }, |coordinate, value, results| {
                    visit(F::encode(coordinate, &results), value);
                });
        }
    }
}
