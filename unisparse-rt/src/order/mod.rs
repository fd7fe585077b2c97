//! What the order that elements come in says of the order that a format stores them in.
//!
//! Elements *a* before *b* differ first in some level of their source; there, *b* is greater. For each such level, the levels of the target
//! are walked from the root: one whose difference is proven zero is passed, one proven positive ends the walk well, one
//! proven to be zero or more may be zero, which is a fact for the levels after it, and one of which nothing is proven
//! ends the walk there.

mod atoms;
mod facts;
mod scan;
#[cfg(test)]
mod tests;

pub(crate) use scan::scan;

use crate::encoding::Encoding;
use atoms::{Atoms, Rows, Side};
use facts::{Facts, Work};

/// What the order of a source says of the order of a target's levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relation {
    /// So many leading levels of the target ascend, lexicographically and weakly, in the order of the source.
    pub implied: usize,
    /// Among elements that are equal in so many leading levels of the target, all other levels ascend likewise.
    /// At least `implied`, and that where all levels are implied.
    pub sorted: usize,
}

impl Relation {
    /// Nothing is known of `depth` levels.
    const fn unknown(depth: usize) -> Self {
        Relation {
            implied: 0,
            sorted: depth,
        }
    }
}

/// What the order of the levels of `source` says of the first `depth` levels of `target`.
///
/// Sound for every shape and all elements, without duplicates or explicit zeros dropped too. The queries of the two are unrelated, even where they
/// are declared alike: those of the source were evaluated on other elements if some were dropped since, and their
/// const parameters are not part of an [`Encoding`].
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
    // Elements that are equal in all levels of a format are one.
    compare(&atoms, &from, &to, true)
}

/// What the order by `dims`, lexicographically, says of the first `depth` levels of `target`. Elements equal in `dims`
/// come in any order.
#[must_use]
pub const fn relate_dims(dims: &[usize], target: &Encoding, depth: usize) -> Relation {
    let depth = at_most(depth, target.levels.len());
    let mut atoms = Atoms::new(target.dims.len());
    let (Some(from), Some(to)) = (atoms.dims(dims), atoms.rows(target, Side::Target, depth)) else {
        return Relation::unknown(depth);
    };
    compare(&atoms, &from, &to, false)
}

const fn at_most(left: usize, right: usize) -> usize {
    if left < right { left } else { right }
}

/// The relation of the order by `source` to that by `target`. `unique`: no two elements are equal in all of `source`.
const fn compare(atoms: &Atoms, source: &Rows, target: &Rows, unique: bool) -> Relation {
    let depth = target.count;
    // How many levels every case supports, given that so many are equal.
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
                // More that is known supports no less.
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
