//! Evaluates queries on the example by brute force (docs/LANGUAGE.md, Queries).

use std::collections::{BTreeMap, BTreeSet};

use super::tensor::Example;
use crate::compiler::algebra::{Expression, Linear, Polynomial, Rational, Source};
use crate::compiler::encoding::{Arm, Closure, Format, Function, Query, absent_arm, mentions_query};

/// Maximum number of groups that are evaluated.
const MOST_GROUPS: i128 = 5_000;

/// The result of an element query at an absent element, which has none.
pub(super) const NONE: i128 = i128::MIN;

/// A coordinate of the example.
pub(super) struct Point {
    /// The dims, followed by the results of the queries.
    pub(super) unknowns: Vec<i128>,
    /// The number of the stored element, whose value is this number plus one.
    pub(super) element: Option<usize>,
}

type Group = Vec<i128>;
/// The result of a query for each of its groups.
type Table = BTreeMap<Group, i128>;

struct Evaluator<'a> {
    format: &'a Format,
    example: &'a Example,
    points: Vec<Point>,
    /// The table of each query; `None` for a query of elements.
    tables: Vec<Option<Table>>,
}

/// Returns every coordinate of the example in logical order, with the results of all queries; `None` if a number is too
/// large.
pub(super) fn evaluate(format: &Format, example: &Example) -> Option<Vec<Point>> {
    let mut all = vec![Vec::new()];
    for &extent in &example.extents {
        let longer = |prefix: Vec<i128>| (0..extent).map(move |last| [prefix.as_slice(), &[last]].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    let point = |unknowns| Point {
        element: example.elements.iter().position(|element| *element == unknowns),
        unknowns,
    };
    let mut evaluator = Evaluator {
        format,
        example,
        points: all.into_iter().map(point).collect(),
        tables: Vec::new(),
    };
    for query in &format.queries {
        evaluator.query(query)?;
    }
    Some(evaluator.points)
}

impl Evaluator<'_> {
    fn query(&mut self, query: &Query) -> Option<()> {
        let groups = self.tuples(&query.groups)?;
        let (results, table) = match &query.function {
            Function::Sum { map } => {
                let table = self.sum(query, map, &groups)?;
                (None, Some(table))
            }
            Function::Reorder {
                source,
                descending,
                within,
                traverse,
            } => (None, Some(self.reorder(*source, *descending, within, traverse)?)),
            Function::Schedule {
                source,
                buckets,
                traverse,
            } => (None, Some(self.schedule(*source, buckets, traverse)?)),
            Function::Enumerate { map, traverse } => (Some(self.enumerate(map, &groups, traverse)?), None),
            Function::Slot {
                distance,
                key,
                traverse,
            } => (Some(self.slot(distance, &groups, key, traverse)?), None),
        };
        for (at, point) in self.points.iter_mut().enumerate() {
            let result = match (&results, &table) {
                (Some(results), _) => results[at],
                (None, Some(table)) => table.get(&groups[at]).copied().unwrap_or(NONE),
                (None, None) => NONE,
            };
            point.unknowns.push(result);
        }
        self.tables.push(table);
        Some(())
    }

    fn value(&self, expression: &Expression, point: &Point) -> Option<i128> {
        expression.evaluate(&point.unknowns, &self.example.parameters)
    }

    /// Returns the values of the expressions at each point.
    fn tuples(&self, expressions: &[Expression]) -> Option<Vec<Group>> {
        let tuple = |point| {
            expressions
                .iter()
                .map(|expression| self.value(expression, point))
                .collect()
        };
        self.points.iter().map(tuple).collect()
    }

    /// Returns the points and the values of the stored elements, in logical order.
    fn stored(&self) -> impl Iterator<Item = (usize, f64)> {
        let points = self.points.iter().enumerate();
        points.filter_map(|(at, point)| Some((at, (point.element? + 1) as f64)))
    }

    /// Returns all tuples in the box of the expressions' domains.
    fn groups(&self, query: &Query, groups: &[Group]) -> Option<Vec<Group>> {
        let mut all: Vec<Group> = vec![Vec::new()];
        for (at, expression) in query.groups.iter().enumerate() {
            let (lo, hi) = if mentions_query(expression, self.format.dims.len()) {
                (0, self.stored().map(|(point, _)| groups[point][at]).max().unwrap_or(-1))
            } else {
                let interval = self.format.interval(expression)?;
                interval.at(&self.example.extents, &self.example.parameters)?
            };
            let size = hi.checked_sub(lo)?.checked_add(1)?.max(0);
            if size.checked_mul(all.len() as i128)? > MOST_GROUPS {
                return None;
            }
            let longer = |prefix: Group| (lo..=hi).map(move |last| [prefix.as_slice(), &[last]].concat());
            all = all.into_iter().flat_map(longer).collect();
        }
        Some(all)
    }

    fn sum(&self, query: &Query, map: &[Arm], groups: &[Group]) -> Option<Table> {
        let mut table: Table = self
            .groups(query, groups)?
            .into_iter()
            .map(|group| (group, 0))
            .collect();
        let absent = absent_arm(map).map(|at| &map[at].number);
        let absent = absent.filter(|number| **number != Expression::Constant(Polynomial::zero()));
        for (point, group) in self.points.iter().zip(groups) {
            let number = match point.element {
                Some(element) => map
                    .iter()
                    .find(|arm| arm.holds((element + 1) as f64))
                    .map(|arm| &arm.number),
                None => absent,
            };
            if let Some(number) = number {
                let total = table.entry(group.clone()).or_insert(0);
                *total = total.checked_add(self.value(number, point)?)?;
            }
        }
        Some(table)
    }

    fn enumerate(&self, map: &[Arm], groups: &[Group], traverse: &[Expression]) -> Option<Vec<i128>> {
        let traverse = self.tuples(traverse)?;
        // Number the traverse values of each group and class.
        let mut classes: BTreeMap<(&Group, usize), BTreeSet<&Group>> = BTreeMap::new();
        let class = |value: f64| map.iter().position(|arm| arm.holds(value));
        for (at, value) in self.stored() {
            classes
                .entry((&groups[at], class(value)?))
                .or_default()
                .insert(&traverse[at]);
        }
        let mut results = vec![NONE; self.points.len()];
        for (at, value) in self.stored() {
            let class = class(value)?;
            let number = classes[&(&groups[at], class)]
                .iter()
                .position(|place| **place == traverse[at])?;
            let first = self.value(&map[class].number, &self.points[at])?;
            results[at] = first.checked_add(number as i128)?;
        }
        Some(results)
    }

    fn reorder(
        &self,
        source: usize,
        descending: bool,
        within: &[Expression],
        traverse: &[Expression],
    ) -> Option<Table> {
        let mut classes: BTreeMap<Group, Vec<(i128, Group, &Group)>> = BTreeMap::new();
        for (group, &value) in self.tables[source].as_ref()? {
            let (class, place) = (
                self.at_group(source, group, within)?,
                self.at_group(source, group, traverse)?,
            );
            let value = if descending { value.checked_neg()? } else { value };
            classes.entry(class).or_default().push((value, place, group));
        }
        let mut table = Table::new();
        for class in classes.values_mut() {
            class.sort();
            table.extend((0..).zip(class).map(|(rank, (.., group))| (group.clone(), rank)));
        }
        Some(table)
    }

    fn schedule(&self, source: usize, buckets: &Polynomial, traverse: &[Expression]) -> Option<Table> {
        let buckets = self.number(buckets)?;
        let mut order = Vec::new();
        for (group, &value) in self.tables[source].as_ref()? {
            order.push((self.at_group(source, group, traverse)?, group, value));
        }
        order.sort();
        let mut totals = vec![0i128; buckets];
        let mut table = Table::new();
        for (_, group, value) in order {
            let mut bucket = 0;
            if value != 0 {
                bucket = (0..buckets).min_by_key(|&bucket| totals[bucket])?;
                totals[bucket] = totals[bucket].checked_add(value)?;
            }
            table.insert(group.clone(), bucket as i128);
        }
        Some(table)
    }

    fn slot(
        &self,
        distance: &Polynomial,
        groups: &[Group],
        key: &[Expression],
        traverse: &[Expression],
    ) -> Option<Vec<i128>> {
        let distance = self.number(distance)?;
        let (key, traverse) = (self.tuples(key)?, self.tuples(traverse)?);
        let mut order: Vec<usize> = self.stored().map(|(at, _)| at).collect();
        order.sort_by_key(|&at| (&traverse[at], at));
        let (mut taken, mut last) = (BTreeSet::new(), BTreeMap::new());
        let mut results = vec![NONE; self.points.len()];
        for at in order {
            let (group, key) = (&groups[at], &key[at]);
            let first = last.get(&(group, key)).map_or(0, |last| last + distance);
            let slot = (first..).find(|&slot| taken.insert((group, slot)))?;
            last.insert((group, key), slot);
            results[at] = slot as i128;
        }
        Some(results)
    }

    /// Returns a count, which is a literal or a parameter.
    fn number(&self, value: &Polynomial) -> Option<usize> {
        let value = value.evaluate(&self.example.parameters).as_integer()?;
        usize::try_from(value)
            .ok()
            .filter(|&value| value as i128 <= MOST_GROUPS)
    }

    /// Returns the values of expressions at a group of a query; the expressions must be functions of the group.
    fn at_group(&self, query: usize, group: &Group, expressions: &[Expression]) -> Option<Group> {
        let (queries, dims) = (&self.format.queries, self.format.dims.len());
        let mut needed = expressions.to_vec();
        needed.extend(queries.iter().flat_map(|query| query.groups.iter().cloned()));
        let closure = Closure::of_group(dims, queries, &queries[query].groups, &needed);
        let of_group = OfGroup {
            evaluator: self,
            closure: &closure,
            group,
        };
        expressions
            .iter()
            .map(|expression| of_group.value(expression))
            .collect()
    }
}

/// The context for values that follow from a group.
struct OfGroup<'a> {
    evaluator: &'a Evaluator<'a>,
    closure: &'a Closure<'a>,
    group: &'a Group,
}

impl OfGroup<'_> {
    fn value(&self, expression: &Expression) -> Option<i128> {
        self.form(&self.closure.express(expression)?)
    }

    fn form(&self, form: &Linear<Source>) -> Option<i128> {
        let parameters = &self.evaluator.example.parameters;
        let mut sum = form.constant_term().evaluate(parameters);
        for (source, coefficient) in form.terms() {
            let value = match source {
                Source::Level(fact) => self.fact(*fact)?,
                Source::Quotient(quotient) => {
                    let (inner, divisor) = &self.closure.quotients()[*quotient];
                    let divisor = divisor.evaluate(parameters).as_integer()?;
                    self.form(inner)?.checked_div_euclid(divisor)?
                }
            };
            sum = sum.add(coefficient.evaluate(parameters).mul(Rational::integer(value)));
        }
        // A group without coordinates may have a fractional value.
        (!sum.is_lost()).then(|| sum.numerator().div_euclid(sum.denominator()))
    }

    /// Returns known value number `fact`: a value of the group, or the result of a query whose group follows.
    fn fact(&self, fact: usize) -> Option<i128> {
        let Some(query) = self.closure.result(fact) else {
            return self.group.get(fact).copied();
        };
        let groups = &self.evaluator.format.queries[query].groups;
        let group: Group = groups.iter().map(|group| self.value(group)).collect::<Option<_>>()?;
        let table = self.evaluator.tables.get(query)?.as_ref()?;
        Some(table.get(&group).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tensor::Example;
    use super::evaluate;
    use crate::compiler::compiled::declared;

    /// Returns the results at the six elements of the paper's matrix.
    fn results(queries: &str) -> Vec<Vec<i128>> {
        let compiled = declared(&format!("format F = |i, j| (i, j) where {{ {queries} }} {{}}"));
        let example = Example::new(&compiled.format).expect("two dims");
        let points = evaluate(&compiled.format, &example).expect("small numbers");
        let query = |at: usize| {
            let stored = points.iter().filter(|point| point.element.is_some());
            stored.map(|point| point.unknowns[2 + at]).collect()
        };
        (0..compiled.format.queries.len()).map(query).collect()
    }

    #[test]
    fn by_hand_on_the_papers_matrix() {
        let len = "len = sum(value != 0 => 1, _ => 0).group_by(i);";
        let found = |query: &str| results(&format!("{len} q = {query};")).pop().expect("two queries");
        assert_eq!(results(len), [[1, 1, 3, 3, 3, 1]]);
        // A column has four rows where nothing is stored.
        assert_eq!(found("sum(value == 0 => 1, _ => 0).group_by(j)"), [4, 3, 3, 4, 3, 3]);
        // Three values are above 3.5, two more are not 2, and the fourteen absent elements read as zero.
        assert_eq!(
            found("sum(value > 3.5 => 10, value != 2 => 1, _ => 0).group_by()"),
            [46; 6]
        );
        assert_eq!(
            found("enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j)"),
            [0, 0, 0, 1, 2, 0]
        );
        assert_eq!(
            found("enumerate(value > 4 => len, _ => 0).group_by(i).traverse_by(-j)"),
            [0, 0, 1, 0, 3, 1]
        );
        assert_eq!(
            found("enumerate(_ => 0).group_by(i / 2).traverse_by(j / 2)"),
            [0, 0, 0, 1, 1, 0]
        );
        assert_eq!(found("reorder(len, descending).traverse_by(i)"), [1, 2, 0, 0, 0, 3]);
        assert_eq!(found("reorder(len, ascending).traverse_by(-i)"), [3, 2, 4, 4, 4, 1]);
        assert_eq!(
            found("reorder(len, ascending).group_by(i / 2).traverse_by(i)"),
            [0, 1, 1, 1, 1, 0]
        );
        assert_eq!(found("schedule(len, 2).traverse_by(i)"), [0, 1, 0, 0, 0, 1]);
        assert_eq!(
            found("slot(2).group_by(i % 2).key(i).traverse_by(j, i)"),
            [0, 0, 1, 3, 5, 2]
        );
        let rank = "rank = reorder(len, descending).traverse_by(i);";
        let chained = results(&format!("{len} {rank} q = schedule(len, 2).traverse_by(rank);"));
        assert_eq!(chained[2], [1, 1, 0, 0, 0, 1]);
    }

    #[test]
    fn groups_that_no_coordinate_is_in_have_ranks() {
        // Of 3 x 8 groups of block rows and diagonals, 20 have coordinates, and 6 - 1 have elements.
        let found = results(
            "count = sum(value != 0 => 1, _ => 0).group_by(i / 2, j - i);
             q = reorder(count, ascending).traverse_by(j - i);",
        );
        assert_eq!(found[0], [2, 2, 1, 1, 1, 1]);
        assert_eq!(found[1], [23, 23, 19, 21, 22, 20]);
    }
}
