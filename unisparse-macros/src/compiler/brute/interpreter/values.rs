//! Evaluates values and integer expressions of the loop IR.

use super::{Run, reduced};
use crate::compiler::loops::{Array, Condition, Expr, Literal, Reduction, Value};

impl Run<'_> {
    pub(super) fn load(&self, array: Array, at: i128) -> i128 {
        let first = match array {
            Array::Values(tensor) => self.block_of(tensor),
            Array::Dense(_) | Array::Sums => 0,
        };
        let at = usize::try_from(first + at).expect("a place");
        match array {
            Array::Values(tensor) => self.tensors[tensor].values[at],
            Array::Dense(number) => self.operands[number][at],
            Array::Sums => self.tile[at],
        }
    }

    /// Returns the value, or `None` if it is missing.
    pub(super) fn element(&self, value: &Value) -> Option<i128> {
        let all = |values: &[Value]| {
            values
                .iter()
                .map(|value| self.element(value))
                .collect::<Option<Vec<i128>>>()
        };
        let any = |values: &[Value], reduction| {
            let stored = values.iter().filter_map(|value| self.element(value));
            stored.reduce(|left, right| reduced(reduction, left, right))
        };
        let not_a_hole = |value: &i128| *value != 0;
        match value {
            Value::Load(array, at) => Some(self.load(*array, self.value(at))),
            Value::At { tensor, range, holes } => {
                let range = &self.ranges[range];
                assert!(range.end - range.start <= 1, "several values at one coordinate");
                let stored = (!range.is_empty()).then(|| self.load(Array::Values(*tensor), range.start));
                stored.filter(|value| !holes || not_a_hole(value))
            }
            Value::AtPosition { tensor, position } => {
                Some(self.load(Array::Values(*tensor), self.value(position))).filter(not_a_hole)
            }
            Value::Maybe(number) => self.maybes[number],
            Value::Scalar(operand) => Some(self.operands[*operand][0]),
            Value::Literal(Literal::Integer(number)) => Some(i128::from(*number)),
            Value::Literal(Literal::Float(_)) => unreachable!("statements of these tests are of integers"),
            Value::Coordinate(at) => Some(self.value(at)),
            Value::Bound(var) => Some(self.elements[var]),
            Value::Negated(inner) => Some(-self.element(inner)?),
            Value::Product(factors) => Some(all(factors)?.into_iter().product()),
            Value::And(factors) => all(factors)?.into_iter().reduce(|left, right| left & right),
            Value::Sum(terms) => any(terms, Reduction::Plus),
            Value::Or(terms) => any(terms, Reduction::Or),
            Value::Call(function, arguments) => Some((self.function)(*function, &all(arguments)?)),
        }
    }

    pub(super) fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Nonnegative(expr) => self.value(expr) >= 0,
            Condition::Zero(expr) => self.value(expr) == 0,
            Condition::Divisible(expr, divisor) => self.value(expr).rem_euclid(self.value(divisor)) == 0,
            Condition::Nonzero { array, at, negated } => (self.load(*array, self.value(at)) != 0) != *negated,
            Condition::Missing(number) => self.maybes[number].is_none(),
        }
    }

    pub(in crate::compiler::brute) fn value(&self, expr: &Expr) -> i128 {
        match expr {
            Expr::Int(value) => *value,
            Expr::Var(var) => {
                let name = self.variables.name(*var);
                *self.known.get(var).unwrap_or_else(|| panic!("`{name}` is not bound"))
            }
            Expr::Add(a, b) => self.value(a) + self.value(b),
            Expr::Sub(a, b) => self.value(a) - self.value(b),
            Expr::Mul(a, b) => self.value(a) * self.value(b),
            Expr::Floor(a, b) => self.value(a).div_euclid(self.value(b)),
            Expr::Ceil(a, b) => {
                let (a, b) = (self.value(a).max(0), self.value(b));
                (a + b - 1).div_euclid(b)
            }
        }
    }
}
