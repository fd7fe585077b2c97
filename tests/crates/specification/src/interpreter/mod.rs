//! An interpreter of format declarations, written only from the definitions in docs/LANGUAGE.md.
//!
//! It is slow and simple: queries by brute force, the metadata tree node by node.

mod expression;
mod invariant;
mod parse;
mod query;
mod status;
mod storage;
#[cfg(test)]
mod tests;

pub use expression::{Expr, Name};
pub use query::{Element, Tensor};
pub use storage::{Arrays, Part, Plan, Stored};

/// A declaration.
#[derive(Clone, Debug)]
pub struct Format {
    pub name: String,
    pub dims: usize,
    /// The default of each const parameter.
    pub parameters: Vec<i64>,
    pub levels: Vec<Level>,
    pub queries: Vec<Query>,
    /// The level at which the tree is cut. It changes where the parts begin, and the contents of no array.
    pub partition: Option<usize>,
    /// The ranges of levels that are packed. It changes which coordinates are repeated.
    pub packs: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
pub struct Level {
    pub name: String,
    pub expr: Expr,
    pub merged: bool,
    pub trimmed: bool,
    pub padded: bool,
}

#[derive(Clone, Debug)]
pub struct Query {
    pub name: String,
    pub function: Function,
    pub group: Vec<Expr>,
    pub traverse: Vec<Expr>,
    pub key: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub enum Function {
    Sum(Vec<Arm>),
    Enumerate(Vec<Arm>),
    Reorder { of: usize, descending: bool },
    Schedule { of: usize, buckets: Expr },
    Slot { distance: Expr },
}

/// `value <= 2 => number`; without a condition, `_`.
#[derive(Clone, Debug)]
pub struct Arm {
    pub condition: Option<(String, f64)>,
    pub number: Expr,
}

impl Arm {
    /// Whether the arm matches a stored value, or an absent element.
    fn holds(&self, value: Option<f64>) -> bool {
        let Some((operator, number)) = &self.condition else {
            return true;
        };
        match (operator.as_str(), value) {
            ("==", value) if *number == 0.0 => value.is_none(),
            ("!=", value) if *number == 0.0 => value.is_some(),
            ("==", value) => value.unwrap_or(0.0) == *number,
            // Values without an order are not different.
            ("!=", value) => value.unwrap_or(0.0) < *number || value.unwrap_or(0.0) > *number,
            ("<", value) => value.unwrap_or(0.0) < *number,
            ("<=", value) => value.unwrap_or(0.0) <= *number,
            (">", value) => value.unwrap_or(0.0) > *number,
            (">=", value) => value.unwrap_or(0.0) >= *number,
            _ => panic!("operator {operator}"),
        }
    }

    /// The arms that a stored element can match.
    fn of_stored(arms: &[Arm]) -> Vec<&Arm> {
        let is = |arm: &Arm, operator: &str| matches!(&arm.condition, Some((with, zero)) if with == operator && *zero == 0.0);
        let last = arms.iter().position(|arm| arm.condition.is_none() || is(arm, "!="));
        let reached = &arms[..last.map_or(arms.len(), |last| last + 1)];
        reached.iter().filter(|arm| !is(arm, "==")).collect()
    }
}

impl Format {
    /// Returns the query that defines the groups of a function of groups: the sum at its source.
    fn groups_of(&self, query: usize) -> &[Expr] {
        match self.queries[query].function {
            Function::Reorder { of, .. } | Function::Schedule { of, .. } => self.groups_of(of),
            _ => &self.queries[query].group,
        }
    }

    fn is_function_of_group(&self, query: usize) -> bool {
        !matches!(
            self.queries[query].function,
            Function::Enumerate(_) | Function::Slot { .. }
        )
    }
}
