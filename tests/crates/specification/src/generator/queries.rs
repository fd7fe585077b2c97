//! Queries and value maps.

use super::expressions::mentions;
use super::{DIMS, Generator};

/// A query that later expressions may use.
#[derive(Clone)]
pub(super) struct Query {
    pub(super) name: String,
    pub(super) text: String,
    /// The groups of which it is a function.
    pub(super) groups: Option<Vec<String>>,
    /// The level of the query can be padded with fewer levels than this above it: they do not determine it.
    pub(super) padding: usize,
}

impl Generator {
    /// Returns a number that is never negative. With `groups`, it is a function of these, without dims.
    pub(super) fn number(&mut self, groups: Option<&[String]>) -> String {
        let fitting = self
            .queries
            .iter()
            .filter(|query| groups.is_none() || query.groups.as_deref() == groups);
        let fitting: Vec<String> = fitting.map(|query| query.name.clone()).collect();
        if !fitting.is_empty() && self.random.one_in(3) {
            let query = self.random.any(&fitting);
            return match self.random.below(4) {
                0 => format!("{query} + 1"),
                1 => format!("{query} / {}", self.divisor()),
                _ => query,
            };
        }
        if groups.is_none() && self.random.one_in(6) {
            let dim = self.dim();
            return format!("{dim}{}", self.random.pick(&["", " % 2", " / 3", " + 2"]));
        }
        self.random.pick(&["1", "1", "2", "3", "P", "7"]).to_owned()
    }

    /// Returns the arms of a value map. The number for absent elements is legal in a sum.
    pub(super) fn arms(&mut self, groups: &[String], zeros: bool) -> String {
        let mut arms = Vec::new();
        let mut absent_matched = false;
        let dims_only = !groups
            .iter()
            .any(|group| self.queries.iter().any(|query| mentions(group, &query.name)));
        for last in [false; 3].into_iter().take(self.random.below(4)).chain([true]) {
            let (condition, absent) = if last {
                ("_".to_owned(), true)
            } else {
                let operator = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let literal = self.random.pick(&["0", "0", "1", "3", "4", "2.5", "-1", "-0.5"]);
                let number: f64 = literal.parse().unwrap_or(0.0);
                let holds = match operator {
                    "==" => number == 0.0,
                    "!=" => number != 0.0,
                    "<" => 0.0 < number,
                    "<=" => 0.0 <= number,
                    ">" => 0.0 > number,
                    _ => 0.0 >= number,
                };
                (format!("value {operator} {literal}"), holds)
            };
            let of_absent = absent && !absent_matched;
            absent_matched |= absent;
            let number =
                if zeros && !self.random.one_in(3) || self.random.one_in(3) || of_absent && !zeros && !dims_only {
                    "0".to_owned()
                } else if of_absent && !zeros {
                    self.number(Some(groups))
                } else {
                    self.number(None)
                };
            arms.push(format!("{condition} => {number}"));
        }
        arms.join(", ")
    }

    pub(super) fn simple_arms(&mut self) -> &'static str {
        self.random.pick(&[
            "value != 0 => 1, _ => 0",
            "value == 0 => 0, _ => 1",
            "value > 3 => 2, value != 0 => 1, _ => 0",
        ])
    }

    pub(super) fn query(&mut self, name: String) -> Query {
        let sources = self
            .queries
            .iter()
            .filter(|query| query.groups.as_ref().is_some_and(|groups| !groups.is_empty()));
        let sources: Vec<Query> = sources.cloned().collect();
        let (mut groups, mut padding) = (None, 0);
        let text = match self.random.below(9) {
            kind @ (0..=2) if !sources.is_empty() => {
                let source = self.random.any(&sources);
                let of = source.groups.clone().unwrap_or_default();
                let own = if self.random.one_in(2) {
                    format!(".group_by({})", self.of_groups(&of))
                } else {
                    String::new()
                };
                let traverse = self.list_of_groups(&of);
                groups = Some(of);
                if kind == 2 {
                    let buckets = self.random.pick(&["1", "2", "3", "P", "Q"]);
                    format!("schedule({}, {buckets}).traverse_by({traverse})", source.name)
                } else {
                    let direction = self.random.pick(&["ascending", "descending"]);
                    let clauses = [own, format!(".traverse_by({traverse})")];
                    let order = self.random.below(2);
                    format!(
                        "reorder({}, {direction}){}{}",
                        source.name,
                        clauses[order],
                        clauses[1 - order]
                    )
                }
            }
            0..=4 => {
                let of = self.list(0);
                let arms = if self.random.one_in(2) {
                    self.simple_arms().to_owned()
                } else {
                    self.arms(&of, false)
                };
                let text = format!("sum({arms}).group_by({})", of.join(", "));
                groups = Some(of);
                text
            }
            5..=7 => {
                let of = self.list(0);
                let arms = match self.random.below(4) {
                    0 => "value != 0 => 0, _ => 0".to_owned(),
                    1 => format!("value == 0 => {}, _ => 0", self.number(None)),
                    _ => self.arms(&of, true),
                };
                let traverse = self.list(1);
                padding = usize::from(traverse.iter().any(|expr| DIMS.contains(&expr.as_str())));
                let traverse = traverse.join(", ");
                format!("enumerate({arms}).group_by({}).traverse_by({traverse})", of.join(", "))
            }
            _ => {
                padding = 2;
                let distance = self.random.pick(&["1", "2", "3", "P", "5"]);
                let (of, key, traverse) = (
                    self.list(0).join(", "),
                    self.list(1).join(", "),
                    self.list(1).join(", "),
                );
                format!("slot({distance}).group_by({of}).key({key}).traverse_by({traverse})")
            }
        };
        Query {
            name,
            text,
            groups,
            padding,
        }
    }
}
