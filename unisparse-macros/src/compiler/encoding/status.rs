//! How each level depends on the levels above it: whether these determine its coordinate, and whether its coordinates count
//! from zero.

use super::Format;
use super::query::{Arm, Closure, Function, Query, absent_arm, mentions_query, stored_arms};
use crate::compiler::algebra::{Expression, Known, Polynomial};

/// How a level depends on the levels above it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// The algebra determines its coordinate from the levels above; nothing is stored.
    Fixed,
    /// The levels above determine its coordinate through a query; one coordinate is stored per position.
    Aligned,
    /// The levels above do not determine its coordinate.
    Free,
}

/// Returns the status of each level, and whether its coordinates provably count from zero below each parent. A rank in a
/// `pack` is never said to count from zero, so that it keeps an array, which can be interleaved.
pub(super) fn statuses(
    dims: usize,
    queries: &[Query],
    levels: &[Expression],
    fixed_directly: &[bool],
    is_packed: impl Fn(usize) -> bool,
) -> Vec<(Status, bool)> {
    let direct = |level: &Expression| !mentions_query(level, dims);
    // Treats the results of queries as independent unknowns.
    let mut algebra = Known::new(levels);
    let mut closure = Closure::new(dims, queries, levels);
    let mut found = Vec::new();
    for (at, level) in levels.iter().enumerate() {
        let fixed = if direct(level) {
            fixed_directly[at]
        } else {
            algebra.knows(level)
        };
        let status = if fixed {
            Status::Fixed
        } else if closure.knows(level) {
            Status::Aligned
        } else {
            Status::Free
        };
        let counts = enumerates_from_zero(dims, queries, levels, at)
            || !is_packed(at) && ranks_from_zero(dims, queries, levels, at);
        found.push((status, counts));
        algebra.learn(level);
        closure.learn(level);
    }
    found
}

/// Whether the level is an enumeration from zero whose groups determine the levels above.
fn enumerates_from_zero(dims: usize, queries: &[Query], levels: &[Expression], at: usize) -> bool {
    let Some(query) = queried(dims, queries, &levels[at]) else {
        return false;
    };
    let Function::Enumerate { map, .. } = &query.function else {
        return false;
    };
    let zero = Expression::Constant(Polynomial::zero());
    let group = Closure::of_group(dims, queries, &query.groups, &levels[..at]);
    stored_arms(map).all(|arm| arm.number == zero) && group.knows_all(&levels[..at])
}

/// Whether the level is a rank, or the quotient of one, of groups that come in the order of their numbers of elements, those
/// with the most first.
///
/// The levels above are the values by which groups are ranked separately, and perhaps one that numbers the elements of each
/// group. Below a node of that one with coordinate `n` are the groups with more than `n` elements, which are the first ones in the order.
fn ranks_from_zero(dims: usize, queries: &[Query], levels: &[Expression], at: usize) -> bool {
    let mut rank = &levels[at];
    while let Expression::Quotient(inner, _) = rank {
        rank = inner;
    }
    let Some(query) = queried(dims, queries, rank) else {
        return false;
    };
    let Function::Reorder {
        source,
        descending,
        within,
        ..
    } = &query.function
    else {
        return false;
    };
    let numbers_elements = |level: &Expression| {
        let number = queried(dims, queries, level);
        number.is_some_and(|number| numbers_each(dims, queries, number, &query.groups))
    };
    let (numbers, others): (Vec<Expression>, Vec<Expression>) =
        levels[..at].iter().cloned().partition(numbers_elements);
    let mut above = Closure::new(dims, queries, &[within, &others[..]].concat());
    others.iter().for_each(|level| above.learn(level));
    ranks_by_count(&queries[*source], *descending)
        && numbers.len() <= 1
        && above.knows_all(within)
        && Closure::of_group(dims, queries, within, &others).knows_all(&others)
}

/// Whether groups with more elements come first in the order of the sum, and groups with equally many are equal in it.
fn ranks_by_count(sum: &Query, descending: bool) -> bool {
    let Function::Sum { map } = &sum.function else {
        return false;
    };
    let number = |arm: &Arm| match &arm.number {
        Expression::Constant(number) => Some(number.clone()),
        _ => None,
    };
    let mut stored = stored_arms(map).map(number);
    let (Some(Some(first)), Some(Some(absent))) = (stored.next(), absent_arm(map).map(|arm| number(&map[arm]))) else {
        return false;
    };
    // If absent elements have a number, all groups have equally many coordinates.
    let more = if descending {
        first.sub(&absent)
    } else {
        absent.sub(&first)
    };
    stored.all(|other| other.as_ref() == Some(&first)) && more.sub(&Polynomial::one()).is_nonnegative()
}

/// Whether the query numbers the elements of each of these groups from zero, each with a number of its own.
fn numbers_each(dims: usize, queries: &[Query], query: &Query, groups: &[Expression]) -> bool {
    let Function::Enumerate { map, traverse } = &query.function else {
        return false;
    };
    let is_zero = |arm: &Arm| arm.number == Expression::Constant(Polynomial::zero());
    let mut arms = stored_arms(map);
    let is_one_class = arms.next().is_some_and(is_zero) && arms.next().is_none();
    let same =
        |left: &[Expression], right: &[Expression]| Closure::of_group(dims, queries, left, right).knows_all(right);
    let all: Vec<Expression> = (0..dims).map(Expression::Dim).collect();
    let mut element = Closure::of_group(dims, queries, &query.groups, &[traverse, &all[..]].concat());
    traverse.iter().for_each(|expression| element.learn(expression));
    is_one_class && same(&query.groups, groups) && same(groups, &query.groups) && element.knows_all(&all)
}

/// Returns a level above that counts from zero and on which level `at` does not depend.
///
/// The other levels above determine level `at`, and the counting level enumerates groups that determine these others.
/// Elements that differ only in the counting level then have the same coordinate at level `at`.
pub(super) fn invariant(dims: usize, queries: &[Query], levels: &[Expression], at: usize) -> Option<usize> {
    let is_independent = |over: &usize| {
        let others = || levels[..at].iter().enumerate().filter(|(level, _)| level != over);
        let mut closure = Closure::new(dims, queries, levels);
        others().for_each(|(_, level)| closure.learn(level));
        let Some(query) = queried(dims, queries, &levels[*over]) else {
            return false;
        };
        let group = Closure::of_group(dims, queries, &query.groups, &levels[..at]);
        enumerates_from_zero(dims, queries, levels, *over)
            && closure.knows(&levels[at])
            && others().all(|(_, level)| group.knows(level))
    };
    (0..at).find(is_independent)
}

/// Returns the query whose result the level is, if it is the bare result of one.
fn queried<'q>(dims: usize, queries: &'q [Query], level: &Expression) -> Option<&'q Query> {
    match level {
        Expression::Dim(unknown) => unknown.checked_sub(dims).map(|query| &queries[query]),
        _ => None,
    }
}

impl Format {
    /// Whether the coordinates of the levels `above` determine that of `level`, at every stored element.
    pub(crate) fn determine(&self, above: &[usize], level: usize) -> bool {
        let levels: Vec<Expression> = self.levels.iter().map(|level| level.expression.clone()).collect();
        let mut closure = Closure::new(self.dims.len(), &self.queries, &levels);
        above.iter().for_each(|&above| closure.learn(&levels[above]));
        closure.knows(&levels[level])
    }

    /// Whether the values of these dims determine the coordinates of the levels, at every stored element.
    pub(crate) fn is_placed_by(&self, dims: &[usize], levels: &[usize]) -> bool {
        let all: Vec<Expression> = self.levels.iter().map(|level| level.expression.clone()).collect();
        let mut closure = Closure::new(self.dims.len(), &self.queries, &all);
        dims.iter().for_each(|&dim| closure.learn(&Expression::Dim(dim)));
        levels.iter().all(|&level| closure.knows(&all[level]))
    }
}
