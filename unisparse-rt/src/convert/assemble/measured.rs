//! Domains of levels whose coordinates the shape does not bound: from 0, or the lowest coordinate if negative, to the greatest.

use super::depths::target;
use crate::array::Domain;
use crate::convert::query::Extremes;
use crate::error::Error;
use crate::format::{Atom, Form, Tree};

/// Replaces the domains of measured levels, given the others.
///
/// `result` returns the least and greatest result of a query, if they are known without a visit; `extremes` visits the elements
/// for those of all levels.
pub(super) fn measure<F: Tree<N, M>, const N: usize, const M: usize>(
    mut domains: [Domain; M],
    result: impl Fn(usize) -> Option<(i64, i64)>,
    extremes: impl FnOnce() -> Extremes,
) -> Result<[Domain; M], Error> {
    let mut measured = [false; M];
    for level in (0..M).filter(|&level| F::LEVELS[level].measured) {
        match query::<F, N, M>(level).and_then(&result) {
            Some((least, greatest)) => {
                domains[level] = Domain::measured(F::LEVELS[level].name, least.min(0), greatest)?;
            }
            None => measured[level] = true,
        }
    }
    if measured.contains(&true) {
        let (least, greatest) = extremes();
        for level in (0..M).filter(|&level| measured[level]) {
            domains[level] = Domain::measured(F::LEVELS[level].name, least[level].min(0), greatest[level])?;
        }
    }
    Ok(domains)
}

/// Returns the coordinates of measured levels, and 0 for all others: these need not be computed.
#[inline(always)]
pub(super) fn of_measured<F: Tree<N, M>, const N: usize, const M: usize>(mut levels: [i64; M]) -> [i64; M] {
    for (level, coordinate) in levels.iter_mut().enumerate() {
        if !F::LEVELS[level].measured {
            *coordinate = 0;
        }
    }
    levels
}

/// Returns whether the coordinate of each measured level is the result of a query.
pub(super) const fn are_results<F: Tree<N, M>, const N: usize, const M: usize>() -> bool {
    let mut level = 0;
    while level < M {
        if F::LEVELS[level].measured && query::<F, N, M>(level).is_none() {
            return false;
        }
        level += 1;
    }
    true
}

/// Returns the query whose result is this level's coordinate, if there is one.
const fn query<F: Tree<N, M>, const N: usize, const M: usize>(level: usize) -> Option<usize> {
    match &target::<F, N, M>().0.levels[level].form {
        Form {
            terms: [(Atom::Query(query), 1)],
            constant: 0,
        } => Some(*query),
        _ => None,
    }
}
