//! Validated queries: the function each computes, its groups, and the values that determine its result.

use super::Format;
use crate::compiler::algebra::{Expression, Interval, Known, Linear, Polynomial, Source};
use crate::compiler::syntax::query::Comparison;

/// A validated query.
///
/// In the expressions of queries and levels, unknown `dims + n` is the result of query `n`.
pub(crate) struct Query {
    pub(crate) name: String,
    /// The query as written.
    pub(crate) text: String,
    pub(crate) function: Function,
    /// The expressions whose values identify a group. A query with a source has the groups of its source.
    pub(crate) groups: Vec<Expression>,
    /// The text of `groups` as written.
    pub(crate) groups_text: String,
    /// The range of the result.
    pub(crate) interval: Interval,
}

/// The function of a query (docs/LANGUAGE.md, Queries).
pub(crate) enum Function {
    Sum {
        map: Vec<Arm>,
    },
    Enumerate {
        map: Vec<Arm>,
        traverse: Vec<Expression>,
    },
    Reorder {
        source: usize,
        descending: bool,
        within: Vec<Expression>,
        traverse: Vec<Expression>,
    },
    Schedule {
        source: usize,
        buckets: Polynomial,
        traverse: Vec<Expression>,
    },
    Slot {
        distance: Polynomial,
        key: Vec<Expression>,
        traverse: Vec<Expression>,
    },
}

/// One arm of a value map.
pub(crate) struct Arm {
    /// `None` for `_`.
    pub(crate) condition: Option<(Comparison, f64)>,
    pub(crate) number: Expression,
}

impl Query {
    /// Whether this is a placeholder for a query with errors.
    pub(super) fn is_placeholder(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether the result depends on the values of stored elements, not only on which elements are stored.
    pub(crate) fn reads_values(&self) -> bool {
        match &self.function {
            Function::Sum { map } | Function::Enumerate { map, .. } => stored_arms(map).count() > 1,
            Function::Reorder { .. } | Function::Schedule { .. } | Function::Slot { .. } => false,
        }
    }

    /// Whether the result is the same for all elements of a group.
    pub(crate) fn is_of_groups(&self) -> bool {
        match self.function {
            Function::Sum { .. } | Function::Reorder { .. } | Function::Schedule { .. } => true,
            Function::Enumerate { .. } | Function::Slot { .. } => false,
        }
    }

    /// Returns the expressions of the query except the numbers in the value map of a sum.
    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let (first, second, map): (&[Expression], &[Expression], &[Arm]) = match &self.function {
            Function::Sum { .. } => (&[], &[], &[]),
            Function::Enumerate { map, traverse } => (traverse, &[], map),
            Function::Schedule { traverse, .. } => (traverse, &[], &[]),
            Function::Reorder { within, traverse, .. } => (within, traverse, &[]),
            Function::Slot { key, traverse, .. } => (key, traverse, &[]),
        };
        let numbers = map.iter().map(|arm| &arm.number);
        self.groups.iter().chain(first).chain(second).chain(numbers)
    }
}

/// Returns the index of the arm that absent elements match, if there is one.
pub(crate) fn absent_arm(map: &[Arm]) -> Option<usize> {
    map.iter().position(|arm| match arm.condition {
        None => true,
        Some((Comparison::Different, 0.0)) => false,
        Some((comparison, number)) => holds(comparison, 0.0, number),
    })
}

/// Returns the arms that stored elements can match.
pub(crate) fn stored_arms(map: &[Arm]) -> impl Iterator<Item = &Arm> {
    let all = |arm: &Arm| match arm.condition {
        None => true,
        Some((comparison, number)) => comparison == Comparison::Different && number == 0.0,
    };
    let last = map.iter().position(all).unwrap_or(map.len());
    let none = |arm: &Arm| matches!(arm.condition, Some((Comparison::Equal, number)) if number == 0.0);
    map.iter().take(last + 1).filter(move |arm| !none(arm))
}

impl Arm {
    /// Whether an element stored with this value satisfies the condition. A stored zero counts as different from zero.
    pub(crate) fn holds(&self, value: f64) -> bool {
        match self.condition {
            None => true,
            Some((Comparison::Equal, 0.0)) => false,
            Some((Comparison::Different, 0.0)) => true,
            Some((comparison, number)) => holds(comparison, value, number),
        }
    }
}

fn holds(comparison: Comparison, left: f64, right: f64) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::Different => left != right,
        Comparison::Less => left < right,
        Comparison::LessOrEqual => left <= right,
        Comparison::Greater => left > right,
        Comparison::GreaterOrEqual => left >= right,
    }
}

/// The set of values that can be computed from known expressions.
///
/// It combines the algebra with the functional dependencies of queries: a known group determines the query's result,
/// and some results determine the element or the group.
pub(crate) struct Closure<'a> {
    dims: usize,
    queries: &'a [Query],
    known: Known,
    /// The reason for each expression learned, in the order learned.
    facts: Vec<Fact>,
    /// Whether the result of each query was added because its arguments are known.
    applied: Vec<bool>,
    /// Whether the elements or groups of each query were added because its result is known.
    inverted: Vec<bool>,
}

/// Why a value is known.
pub(crate) enum Fact {
    /// The caller gave it.
    Given,
    /// It is the result of this query, whose group is known.
    Result(usize),
    /// It follows from an element's number or rank, or is one; no formula computes it.
    Inverted,
}

impl<'a> Closure<'a> {
    /// Creates a closure that knows constants only. `others` are further expressions that the caller will query.
    pub(crate) fn new(dims: usize, queries: &'a [Query], others: &[Expression]) -> Self {
        let mut closure = Self::empty(dims, queries, others);
        closure.close(true);
        closure
    }

    /// Creates a closure that knows the expressions of a group and what is a function of them. Results are not
    /// inverted.
    pub(crate) fn of_group(dims: usize, queries: &'a [Query], groups: &[Expression], others: &[Expression]) -> Self {
        let mut closure = Self::empty(dims, queries, &[groups, others].concat());
        for group in groups {
            closure.add(group, Fact::Given);
        }
        closure.close(false);
        closure
    }

    fn empty(dims: usize, queries: &'a [Query], others: &[Expression]) -> Self {
        let mut all: Vec<Expression> = queries.iter().flat_map(Query::expressions).cloned().collect();
        all.extend(others.iter().cloned());
        Closure {
            dims,
            queries,
            known: Known::new(&all),
            facts: Vec::new(),
            applied: vec![false; queries.len()],
            inverted: vec![false; queries.len()],
        }
    }

    /// Adds the expression to the known values, with all that follows from it.
    pub(crate) fn learn(&mut self, expression: &Expression) {
        self.add(expression, Fact::Given);
        self.close(true);
    }

    fn add(&mut self, expression: &Expression, fact: Fact) {
        self.known.learn(expression);
        self.facts.push(fact);
    }

    pub(crate) fn knows(&self, expression: &Expression) -> bool {
        self.known.knows(expression)
    }

    pub(crate) fn knows_all(&self, expressions: &[Expression]) -> bool {
        self.known.knows_all(expressions)
    }

    /// Whether the value can be computed from known values, at least operand by operand where the algebra finds no
    /// formula.
    pub(crate) fn computes(&self, expression: &Expression) -> bool {
        let part_by_part = || match expression {
            Expression::Dim(_) => false,
            Expression::Constant(_) => true,
            Expression::Sum(left, right) => self.computes(left) && self.computes(right),
            Expression::Scaled(_, inner) | Expression::Quotient(inner, _) | Expression::Remainder(inner, _) => {
                self.computes(inner)
            }
        };
        self.knows(expression) || part_by_part()
    }

    /// Adds the result of each query whose arguments are known, and inverts known results if `inverting`, up to the
    /// fixed point.
    fn close(&mut self, inverting: bool) {
        loop {
            let before = self.facts.len();
            for number in 0..self.queries.len() {
                self.apply(number);
                if inverting {
                    self.invert(number);
                }
            }
            if self.facts.len() == before {
                return;
            }
        }
    }

    /// Adds the result of a query whose group, or whose element, is known.
    fn apply(&mut self, number: usize) {
        let queries = self.queries;
        let query = &queries[number];
        let result = Expression::Dim(self.dims + number);
        if self.applied[number] || self.known.knows(&result) {
            return;
        }
        let all_dims = || (0..self.dims).all(|dim| self.known.knows(&Expression::Dim(dim)));
        let fact = match &query.function {
            Function::Sum { .. } | Function::Reorder { .. } | Function::Schedule { .. } => {
                self.known.knows_all(&query.groups).then_some(Fact::Result(number))
            }
            Function::Enumerate { map, traverse } => {
                let placed = self.knows_first(query, map) && self.known.knows_all(traverse);
                (placed || all_dims()).then_some(Fact::Inverted)
            }
            Function::Slot { .. } => all_dims().then_some(Fact::Inverted),
        };
        if let Some(fact) = fact {
            self.applied[number] = true;
            self.add(&result, fact);
        }
    }

    /// Whether the group is known, and all its stored elements match one arm whose number is known.
    fn knows_first(&self, query: &Query, map: &[Arm]) -> bool {
        let mut arms = stored_arms(map);
        let (Some(arm), None) = (arms.next(), arms.next()) else {
            return false;
        };
        self.known.knows_all(&query.groups) && self.known.knows(&arm.number)
    }

    /// Adds the group or element expressions that the known result of a query determines.
    fn invert(&mut self, number: usize) {
        let queries = self.queries;
        let query = &queries[number];
        if self.inverted[number] || !self.known.knows(&Expression::Dim(self.dims + number)) {
            return;
        }
        let determined: Vec<Expression> = match &query.function {
            Function::Enumerate { map, traverse } => {
                if !self.knows_first(query, map) {
                    return;
                }
                traverse.clone()
            }
            Function::Slot { .. } if self.known.knows_all(&query.groups) => {
                (0..self.dims).map(Expression::Dim).collect()
            }
            Function::Reorder { within, .. } if self.known.knows_all(within) => query.groups.clone(),
            _ => return,
        };
        self.inverted[number] = true;
        for expression in &determined {
            self.add(expression, Fact::Inverted);
        }
    }

    /// Returns the expression as a linear form of the known values; see [`result`](Closure::result) and
    /// [`quotients`](Closure::quotients).
    pub(crate) fn express(&self, expression: &Expression) -> Option<Linear<Source>> {
        self.known.express(expression)
    }

    /// Returns the query whose result is known value number `fact`, or `None` if that value was given or inverted.
    pub(crate) fn result(&self, fact: usize) -> Option<usize> {
        match self.facts[fact] {
            Fact::Result(query) => Some(query),
            Fact::Given | Fact::Inverted => None,
        }
    }

    pub(crate) fn quotients(&self) -> &[(Linear<Source>, Polynomial)] {
        self.known.quotients()
    }
}

/// Whether the expression contains the result of a query.
pub(crate) fn mentions_query(expression: &Expression, dims: usize) -> bool {
    mentions_unknown(expression, &|unknown| unknown >= dims)
}

/// Whether the expression contains an unknown for which `is` holds.
pub(crate) fn mentions_unknown(expression: &Expression, is: &impl Fn(usize) -> bool) -> bool {
    match expression {
        Expression::Dim(unknown) => is(*unknown),
        Expression::Constant(_) => false,
        Expression::Sum(left, right) => mentions_unknown(left, is) || mentions_unknown(right, is),
        Expression::Scaled(_, inner) | Expression::Quotient(inner, _) | Expression::Remainder(inner, _) => {
            mentions_unknown(inner, is)
        }
    }
}

impl Format {
    /// Returns for each query whether a level or another used query mentions it.
    pub(crate) fn used_queries(&self) -> Vec<bool> {
        let dims = self.dims.len();
        let mut used = vec![false; self.queries.len()];
        let mark = |used: &mut [bool], expression: &Expression| {
            for (query, used) in used.iter_mut().enumerate() {
                *used |= mentions_unknown(expression, &|unknown| unknown == dims + query);
            }
        };
        self.levels.iter().for_each(|level| mark(&mut used, &level.expression));
        // A query mentions only earlier queries, so one backward pass suffices.
        for number in (0..self.queries.len()).rev() {
            if !used[number] {
                continue;
            }
            let query = &self.queries[number];
            query.expressions().for_each(|expression| mark(&mut used, expression));
            match &query.function {
                Function::Sum { map } => map.iter().for_each(|arm| mark(&mut used, &arm.number)),
                Function::Reorder { source, .. } | Function::Schedule { source, .. } => used[*source] = true,
                Function::Enumerate { .. } | Function::Slot { .. } => {}
            }
        }
        used
    }

    /// Returns the range of an expression of dims and queries, or `None` if the sign of a coefficient is not known.
    pub(crate) fn interval(&self, expression: &Expression) -> Option<Interval> {
        interval(self.dims.len(), &self.queries, expression)
    }

    /// Whether the bounds depend on the result of a query, so that they are measured from the elements and not given by
    /// the shape.
    pub(crate) fn is_measured(&self, interval: &Interval) -> bool {
        is_measured(self.dims.len(), interval)
    }
}

/// Returns the range of an expression of dims and queries, or `None` if the sign of a coefficient is not known.
pub(super) fn interval(dims: usize, queries: &[Query], expression: &Expression) -> Option<Interval> {
    Interval::within(expression, &|unknown| match unknown.checked_sub(dims) {
        Some(query) => queries[query].interval.clone(),
        None => Interval::below_extent(unknown),
    })
}

pub(super) fn is_measured(dims: usize, interval: &Interval) -> bool {
    interval.depends_on(&|unknown| unknown >= dims)
}
