//! Queries, evaluated by brute force.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::{Interval, apply};
use super::{Expr, Format, Function, Name};

/// A stored element, and the results of the queries on it.
#[derive(Clone, Debug)]
pub struct Element {
    pub at: Vec<i64>,
    pub value: f64,
    pub results: Vec<i64>,
}

/// A tensor whose queries are evaluated.
pub struct Tensor<'a> {
    pub format: &'a Format,
    pub shape: Vec<usize>,
    /// In logical order.
    pub elements: Vec<Element>,
    /// The value of every group, for each query that is a function of its group.
    tables: Vec<BTreeMap<Vec<i64>, i64>>,
}

impl<'a> Tensor<'a> {
    pub fn new(format: &'a Format, shape: &[usize], elements: &BTreeMap<Vec<usize>, f64>) -> Self {
        let element = |(at, &value): (&Vec<usize>, &f64)| Element {
            at: at.iter().map(|&at| at as i64).collect(),
            value,
            results: Vec::new(),
        };
        let mut tensor = Tensor {
            format,
            shape: shape.to_vec(),
            elements: elements.iter().map(element).collect(),
            tables: Vec::new(),
        };
        for query in 0..format.queries.len() {
            tensor.evaluate(query);
        }
        tensor
    }

    /// The value of an expression at an element.
    pub fn at(&self, expr: &Expr, element: &Element) -> i64 {
        expr.eval(&|name| match name {
            Name::Dim(dim) => element.at[dim],
            Name::Parameter(parameter) => self.format.parameters[parameter],
            Name::Query(query) => element.results[query],
        })
    }

    fn all_at(&self, exprs: &[Expr], element: &Element) -> Vec<i64> {
        exprs.iter().map(|expr| self.at(expr, element)).collect()
    }

    /// Returns the interval of a name for this shape.
    pub fn interval(&self, name: Name) -> Interval {
        match name {
            Name::Dim(dim) => (Some(0), Some(self.shape[dim] as i64 - 1)),
            Name::Parameter(parameter) => (
                Some(self.format.parameters[parameter]),
                Some(self.format.parameters[parameter]),
            ),
            Name::Query(query) => match &self.format.queries[query].function {
                Function::Schedule { buckets, .. } => (Some(0), Some(self.constant(buckets) - 1)),
                _ => (Some(0), None),
            },
        }
    }

    fn constant(&self, expr: &Expr) -> i64 {
        expr.eval(&|name| match name {
            Name::Parameter(parameter) => self.format.parameters[parameter],
            _ => panic!("a constant"),
        })
    }

    /// All coordinates of the shape.
    fn coordinates(&self) -> Vec<Vec<i64>> {
        self.coordinates_around(0, |_| true)
    }

    /// All coordinates of a box around the shape, which is flat at zero along the dims that are not `varied`.
    fn coordinates_around(&self, around: i64, varied: impl Fn(usize) -> bool) -> Vec<Vec<i64>> {
        let mut all = vec![Vec::new()];
        for (dim, &extent) in self.shape.iter().enumerate() {
            let along = if varied(dim) {
                -around..extent as i64 + around
            } else {
                0..1
            };
            all = all
                .into_iter()
                .flat_map(|at| along.clone().map(move |next| [&at[..], &[next]].concat()))
                .collect();
        }
        all
    }

    /// All groups that the box of these expressions has.
    fn groups(&self, exprs: &[Expr]) -> Vec<Vec<i64>> {
        let mut all = vec![Vec::new()];
        for expr in exprs {
            let range = if expr.mentions(&|name| matches!(name, Name::Query(_))) {
                0..=self
                    .elements
                    .iter()
                    .map(|element| self.at(expr, element))
                    .max()
                    .unwrap_or(-1)
            } else {
                let (lo, hi) = expr.interval(&|name| self.interval(name));
                lo.unwrap()..=hi.unwrap()
            };
            all = all
                .into_iter()
                .flat_map(|group| range.clone().map(move |next| [&group[..], &[next]].concat()))
                .collect();
        }
        all
    }

    /// The value of an expression that is a function of a group.
    fn of_group(&self, expr: &Expr, groups: &[Expr], group: &[i64]) -> i64 {
        if let Some(at) = groups.iter().position(|of| of == expr) {
            return group[at];
        }
        match expr {
            Expr::Number(number) => *number,
            Expr::Name(Name::Parameter(parameter)) => self.format.parameters[*parameter],
            Expr::Name(Name::Query(query)) => {
                let inner = self.format.groups_of(*query);
                let inner: Vec<i64> = inner.iter().map(|expr| self.of_group(expr, groups, group)).collect();
                self.tables[*query].get(&inner).copied().unwrap_or(0)
            }
            Expr::Op(operator, left, right) if !(self.splits(left, groups) || self.splits(right, groups)) => apply(
                *operator,
                self.of_group(left, groups, group),
                self.of_group(right, groups, group),
            ),
            _ => {
                // Any coordinate of the group will do, be it outside of the shape.
                let around = self.shape.iter().sum::<usize>() as i64 + 16;
                let value = |expr: &Expr, at: &[i64]| {
                    expr.eval(&|name| match name {
                        Name::Dim(dim) => at[dim],
                        Name::Parameter(parameter) => self.format.parameters[parameter],
                        Name::Query(_) => panic!("{expr:?} is no function of {groups:?}"),
                    })
                };
                let belongs = |at: &&Vec<i64>| groups.iter().zip(group).all(|(of, &is)| value(of, at) == is);
                let varied = |dim: usize| {
                    let mentions = |of: &Expr| of.mentions(&|name| name == Name::Dim(dim));
                    mentions(expr) || groups.iter().any(mentions)
                };
                self.coordinates_around(around, varied)
                    .iter()
                    .find(belongs)
                    .map_or(0, |at| value(expr, at))
            }
        }
    }

    /// Whether a part of an expression distinguishes more than the groups do: `i` of `i / 4` in the groups of `i / 2`.
    fn splits(&self, part: &Expr, groups: &[Expr]) -> bool {
        let dims = |expr: &Expr| {
            (0..self.format.dims)
                .filter(|&dim| expr.mentions(&|name| name == Name::Dim(dim)))
                .collect::<BTreeSet<_>>()
        };
        !groups.contains(part)
            && !dims(part).is_empty()
            && match part {
                Expr::Op(_, left, right) => self.splits(left, groups) || self.splits(right, groups),
                _ => true,
            }
    }

    fn evaluate(&mut self, number: usize) {
        let format = self.format;
        let query = &format.queries[number];
        let mut table = BTreeMap::new();
        let mut results = vec![0; self.elements.len()];
        match &query.function {
            Function::Sum(arms) => {
                table.extend(self.groups(&query.group).into_iter().map(|group| (group, 0)));
                let arm = |value| arms.iter().find(|arm| arm.holds(value)).expect("an arm holds");
                for element in &self.elements {
                    let more = self.at(&arm(Some(element.value)).number, element);
                    *table
                        .get_mut(&self.all_at(&query.group, element))
                        .expect("a group of the box") += more;
                }
                let absent = &arm(None).number;
                if *absent != Expr::Number(0) {
                    let stored: BTreeSet<&Vec<i64>> = self.elements.iter().map(|element| &element.at).collect();
                    for at in self.coordinates() {
                        let element = Element {
                            at,
                            value: 0.0,
                            results: Vec::new(),
                        };
                        let group = self.all_at(&query.group, &element);
                        if !stored.contains(&element.at) {
                            *table.get_mut(&group).unwrap() += self.of_group(absent, &query.group, &group);
                        }
                    }
                }
            }
            Function::Enumerate(arms) => {
                let mut classes: BTreeMap<(Vec<i64>, usize), BTreeSet<Vec<i64>>> = BTreeMap::new();
                let class = |element: &Element| {
                    let arm = arms
                        .iter()
                        .position(|arm| arm.holds(Some(element.value)))
                        .expect("an arm holds");
                    (self.all_at(&query.group, element), arm)
                };
                for element in &self.elements {
                    classes
                        .entry(class(element))
                        .or_default()
                        .insert(self.all_at(&query.traverse, element));
                }
                for (element, result) in self.elements.iter().zip(&mut results) {
                    let class = class(element);
                    let own = self.all_at(&query.traverse, element);
                    let before = classes[&class].iter().position(|other| *other == own).unwrap();
                    *result = self.at(&arms[class.1].number, element) + before as i64;
                }
            }
            Function::Reorder { of, descending } => {
                let groups = format.groups_of(*of);
                let all = |exprs: &[Expr], group: &[i64]| -> Vec<i64> {
                    exprs.iter().map(|expr| self.of_group(expr, groups, group)).collect()
                };
                let mut ordered: BTreeMap<Vec<i64>, Vec<_>> = BTreeMap::new();
                for (group, &value) in &self.tables[*of] {
                    let value = if *descending { -value } else { value };
                    let key = (value, all(&query.traverse, group), group);
                    ordered.entry(all(&query.group, group)).or_default().push(key);
                }
                for mut within in ordered.into_values() {
                    within.sort();
                    table.extend(
                        within
                            .into_iter()
                            .enumerate()
                            .map(|(rank, (.., group))| (group.clone(), rank as i64)),
                    );
                }
            }
            Function::Schedule { of, buckets } => {
                let groups = format.groups_of(*of);
                let mut totals = vec![0; self.constant(buckets) as usize];
                let traverse = |group: &[i64]| -> Vec<i64> {
                    query
                        .traverse
                        .iter()
                        .map(|expr| self.of_group(expr, groups, group))
                        .collect()
                };
                let mut ordered: Vec<_> = self.tables[*of]
                    .iter()
                    .map(|(group, &value)| (traverse(group), group, value))
                    .collect();
                ordered.sort();
                for (_, group, value) in ordered {
                    let least = *totals.iter().min().unwrap();
                    let bucket = totals.iter().position(|&total| total == least).unwrap();
                    totals[bucket] += value;
                    table.insert(group.clone(), if value == 0 { 0 } else { bucket as i64 });
                }
            }
            Function::Slot { distance } => {
                let distance = self.constant(distance);
                let mut order: Vec<usize> = (0..self.elements.len()).collect();
                order.sort_by_key(|&at| self.all_at(&query.traverse, &self.elements[at]));
                let mut taken: BTreeSet<(Vec<i64>, i64)> = BTreeSet::new();
                let mut last: BTreeMap<(Vec<i64>, Vec<i64>), i64> = BTreeMap::new();
                for at in order {
                    let group = self.all_at(&query.group, &self.elements[at]);
                    let key = (group.clone(), self.all_at(&query.key, &self.elements[at]));
                    let first = last.get(&key).map_or(0, |last| last + distance);
                    let slot = (first..).find(|&slot| !taken.contains(&(group.clone(), slot))).unwrap();
                    taken.insert((group, slot));
                    last.insert(key, slot);
                    results[at] = slot;
                }
            }
        }
        if format.is_function_of_group(number) {
            let groups = format.groups_of(number);
            results = self
                .elements
                .iter()
                .map(|element| table[&self.all_at(groups, element)])
                .collect();
        }
        self.tables.push(table);
        for (element, result) in self.elements.iter_mut().zip(results) {
            element.results.push(result);
        }
    }
}
