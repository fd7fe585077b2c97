//! Relates the order in which elements are visited to the order in which a format stores them.
//!
//! If element *a* precedes element *b*, then *b* is greater in the first level of their source in which they differ. For
//! each possible such level, the levels of the target are walked from the root. A level whose difference is proven zero is
//! passed; one proven positive ends the walk with success; one proven nonnegative may be zero, which is then a fact for the
//! levels below; any other level ends the walk there.

mod atoms;
mod facts;
mod rows;
#[cfg(test)]
mod tests;

use super::encoding::{Encoding, Query};
use atoms::{Atoms, CoefficientRows, Side};
use facts::{Facts, Work};

/// How the order of a source relates to the order of a target's levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relation {
    /// Number of leading levels of the target that ascend, lexicographically and weakly, in the source's order.
    pub implied: usize,
    /// Length of the shortest known prefix of target levels such that, among elements with equal prefixes, the remaining
    /// levels ascend likewise. At least `implied`; equal to it if all levels are implied.
    pub sorted: usize,
}

impl Relation {
    /// Nothing is known about `depth` levels.
    const fn unknown(depth: usize) -> Self {
        Relation {
            implied: 0,
            sorted: depth,
        }
    }
}

/// Relates the order of the levels of `source` to the first `depth` levels of `target`.
///
/// The result is sound for every shape and every set of elements, including sources whose duplicates or explicit zeros were
/// dropped. The queries of the two formats are taken as unrelated, even if their declarations are equal: the source's
/// queries may have been evaluated before elements were dropped, and their const parameters are not part of an [`Encoding`].
#[must_use]
pub const fn relate(source: &Encoding, target: &Encoding, depth: usize) -> Relation {
    let depth = at_most(depth, target.levels.len());
    if source.dims.len() != target.dims.len() {
        return Relation::unknown(depth);
    }
    let mut atoms = Atoms::new(target.dims.len());
    let (Some(from), Some(to)) = (
        atoms.rows(source, Side::Source, source.levels.len()),
        atoms.rows(target, Side::Target, depth),
    ) else {
        return Relation::unknown(depth);
    };
    // Two elements that are equal in all levels of a format are the same element.
    compare(&atoms, &from, &to, true)
}

/// Relates the lexicographic order by `dims` to the first `depth` levels of `target`. Elements that are equal in `dims`
/// may come in any order.
#[must_use]
pub const fn relate_dims(dims: &[usize], target: &Encoding, depth: usize) -> Relation {
    let depth = at_most(depth, target.levels.len());
    let mut atoms = Atoms::new(target.dims.len());
    let (Some(from), Some(to)) = (atoms.dims(dims), atoms.rows(target, Side::Target, depth)) else {
        return Relation::unknown(depth);
    };
    compare(&atoms, &from, &to, false)
}

/// Returns whether the lexicographic order of the levels of `source` is that of a query of `target`: by its groups, then in the order in
/// which it takes the elements of a group, no two of which are equal in that order.
pub(crate) const fn is_order_of(source: &Encoding, target: &Encoding, query: &Query) -> bool {
    let (groups, fields) = (query.groups.len(), query.groups.len() + query.traverse.len());
    if source.dims.len() != target.dims.len() || source.levels.len() != fields {
        return false;
    }
    let mut atoms = Atoms::new(target.dims.len());
    let mut field = 0;
    while field < fields {
        let form = if field < groups {
            &query.groups[field]
        } else {
            &query.traverse[field - groups]
        };
        if !atoms.are_equal(&source.levels[field].form, source, form, target) {
            return false;
        }
        field += 1;
    }
    true
}

const fn at_most(left: usize, right: usize) -> usize {
    if left < right { left } else { right }
}

/// Relates the order by `source` to the order by `target`. `unique`: no two elements are equal in all rows of `source`.
const fn compare(atoms: &Atoms, source: &CoefficientRows, target: &CoefficientRows, unique: bool) -> Relation {
    let depth = target.count;
    if target.starts(source) {
        // Far cheaper than the proofs below, which come to the same.
        return Relation {
            implied: depth,
            sorted: depth,
        };
    }
    // `supported[given]`: the levels proven to ascend in every case if the first `given` levels are equal.
    let mut supported = [depth; atoms::ATOMS + 1];
    let mut equal = Facts::new(atoms);
    let mut work = Work::new();
    let mut first = 0;
    while first <= source.count {
        let mut case = equal;
        if first < source.count {
            case.learn_bound(&source.rows[first], 1, &mut work);
            equal.learn_zero(&source.rows[first], &mut work);
        } else if unique {
            break;
        }
        case.close(&mut work);
        let mut given = 0;
        while given < depth {
            if work.is_spent() {
                return Relation::unknown(depth);
            }
            let reached = case.walk(target, given, &mut work);
            supported[given] = at_most(supported[given], reached);
            if reached == depth {
                // Further facts cannot support fewer levels.
                break;
            }
            case.learn_zero(&target.rows[given], &mut work);
            case.close(&mut work);
            given += 1;
        }
        first += 1;
    }
    let implied = supported[0];
    let mut sorted = implied;
    while supported[sorted] < depth {
        sorted += 1;
    }
    Relation { implied, sorted }
}
