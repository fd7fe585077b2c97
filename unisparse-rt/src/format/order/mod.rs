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

    const fn is_unknown(self, depth: usize) -> bool {
        self.implied == 0 && self.sorted == depth
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
    // What holds in all cases so far. In case `n`, two elements are equal in the first `n` levels of `source`, and differ in the next.
    let mut relation = Relation {
        implied: depth,
        sorted: 0,
    };
    let mut equal = Facts::new(atoms);
    let mut work = Work::new();
    let mut case = 0;
    while case < source.count || (case == source.count && !unique) {
        let mut facts = equal;
        if case < source.count {
            facts.learn_bound(&source.rows[case], 1, &mut work);
            equal.learn_zero(&source.rows[case], &mut work);
        }
        facts.close(&mut work);
        relation = weakened(relation, facts, target, &mut work);
        // No further case adds to what is known, and proofs take the compiler long.
        if work.is_spent() || relation.is_unknown(depth) {
            return Relation::unknown(depth);
        }
        case += 1;
    }
    let Relation { implied, sorted } = relation;
    Relation {
        implied,
        sorted: if sorted < implied { implied } else { sorted },
    }
}

/// Returns what is known of the target's levels in the cases before and in one more, in which `facts` hold.
const fn weakened(relation: Relation, mut facts: Facts<'_>, target: &CoefficientRows, work: &mut Work) -> Relation {
    let depth = target.count;
    let Relation {
        mut implied,
        mut sorted,
    } = relation;
    if implied > 0 || sorted == 0 {
        let reached = facts.walk(target, 0, work);
        implied = at_most(implied, reached);
        if reached == depth {
            return Relation { implied, sorted };
        }
        if sorted == 0 {
            sorted = 1;
        }
    }
    // Equal levels are facts: the more there are, the more levels ascend below them.
    let mut given = 0;
    while given < sorted && given < depth {
        facts.learn_zero(&target.rows[given], work);
        given += 1;
    }
    facts.close(work);
    while given < depth && !work.is_spent() && facts.walk(target, given, work) < depth {
        facts.learn_zero(&target.rows[given], work);
        facts.close(work);
        given += 1;
    }
    Relation { implied, sorted: given }
}
