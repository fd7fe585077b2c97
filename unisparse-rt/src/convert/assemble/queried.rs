//! Elements of a source with the results of queries.

use core::ops::Range;

use super::depths::target;
use super::strategy::Sorted;
use super::words::Coded;
use crate::array::Domain;
use crate::convert::query::Queries;
use crate::error::Error;
use crate::format::balance::balanced;
use crate::format::{Atom, Form, Tree};
use crate::report::step;
use crate::source::Source;

/// Elements of a source, with the results of `Q` queries.
pub struct Queried<'s, F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> {
    pub(crate) queries: Queries<'s, F::Scalar, N, Q>,
    pub(super) sorted: Sorted,
}

impl<'s, F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> Queried<'s, F, N, M, Q> {
    /// Takes the elements of a source, in place if no coordinate occurs twice; no query is evaluated yet.
    ///
    /// # Errors
    /// The errors of [`Queries::gather`].
    pub(crate) fn new<S: Source<N, Scalar = F::Scalar>>(source: &'s S) -> Result<Self, Error> {
        if let Some(sorted) = const { Sorted::by_type::<F, S, N, M>() } {
            let queries = Queries::of(F::NAME, source)?;
            return Ok(Queried { queries, sorted });
        }
        step("gather the elements", || {
            let found = Sorted::found::<F, S, N, M>(source);
            let (queries, sorted) = if found.unique {
                (Queries::of(F::NAME, source)?, found)
            } else {
                (
                    Queries::gather(F::NAME, source)?,
                    Sorted::logically(target::<F, N, M>()),
                )
            };
            Ok(Queried { queries, sorted })
        })
    }

    /// Queries that the levels mention.
    const WANTED: [bool; Q] = {
        let (mut wanted, mut level) = ([false; Q], 0);
        let levels = target::<F, N, M>().0.levels;
        while level < levels.len() {
            mark(&levels[level].form, &mut wanted);
            level += 1;
        }
        wanted
    };

    /// Returns the query whose result is this level's coordinate, if there is one.
    const fn result(level: usize) -> Option<usize> {
        match &target::<F, N, M>().0.levels[level].form {
            Form {
                terms: [(Atom::Query(query), 1)],
                constant: 0,
            } => Some(*query),
            _ => None,
        }
    }

    /// Returns the domains; a measured one is from 0, or the lowest coordinate if negative, to the greatest.
    pub(crate) fn measure(&self, mut domains: [Domain; M]) -> Result<[Domain; M], Error> {
        let mut measured: [Option<(i64, i64)>; M] =
            core::array::from_fn(|level| F::LEVELS[level].measured.then_some((0, i64::MIN)));
        // A query with a number for each element has them all in an array: no visit of the elements is needed.
        for (level, extremes) in measured
            .iter_mut()
            .enumerate()
            .filter(|(_, extremes)| extremes.is_some())
        {
            let known = Self::result(level).and_then(|query| self.queries.extremes_of(query));
            if let Some((least, greatest)) = known {
                let domain = Domain::measured(F::LEVELS[level].name, least.min(0), greatest)?;
                (domains[level], *extremes) = (domain, None);
            }
        }
        if measured.iter().all(Option::is_none) {
            return Ok(domains);
        }
        let encode = |coordinate, results: &[i64; Q]| {
            let mut levels = F::encode(coordinate, results);
            for (level, coordinate) in levels.iter_mut().enumerate() {
                // Levels that are not measured need not be computed.
                if !F::LEVELS[level].measured {
                    *coordinate = 0;
                }
            }
            levels
        };
        let (least, greatest) = self.queries.extremes(const { &Self::WANTED }, encode);
        for level in (0..M).filter(|&level| measured[level].is_some()) {
            domains[level] = Domain::measured(F::LEVELS[level].name, least[level].min(0), greatest[level])?;
        }
        Ok(domains)
    }
}

/// Marks the queries that a form mentions.
const fn mark<const Q: usize>(form: &Form, mentioned: &mut [bool; Q]) {
    let mut term = 0;
    while term < form.terms.len() {
        match form.terms[term].0 {
            Atom::Dim(_) => {}
            Atom::Query(query) => mentioned[query] = true,
            Atom::Quotient(inner, _) => mark(inner, mentioned),
        }
        term += 1;
    }
}

impl<F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> Coded<F, N, M> for Queried<'_, F, N, M, Q> {
    const SORTED: Option<Sorted> = None;

    fn sorted(&self) -> Sorted {
        self.sorted
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
