//! Prints integer expressions, conditions and values as text.

use super::Printer;
use super::names::coordinates;
use crate::compiler::loops::{Array, Condition, Expr, Literal, Lvalue, Value, Var};

impl Printer<'_> {
    pub(super) fn expr(&self, expr: &Expr) -> String {
        let sum = |expr: &Expr| match expr {
            Expr::Add(..) | Expr::Sub(..) => format!("({})", self.expr(expr)),
            _ => self.expr(expr),
        };
        match expr {
            Expr::Int(value) => value.to_string(),
            Expr::Var(var) => self.var(*var),
            Expr::Add(a, b) => format!("{} + {}", self.expr(a), self.expr(b)),
            Expr::Sub(zero, negated) if **zero == Expr::zero() => match &**negated {
                Expr::Sub(a, b) => self.expr(&Expr::Sub(b.clone(), a.clone())),
                negated => format!("-{}", sum(negated)),
            },
            Expr::Sub(a, b) => format!("{} - {}", self.expr(a), sum(b)),
            Expr::Mul(a, b) => format!("{} * {}", sum(a), sum(b)),
            Expr::Floor(a, b) => format!("floor({} / {})", sum(a), factor(b, sum(b))),
            Expr::Ceil(a, b) => format!("ceil({} / {})", sum(a), factor(b, sum(b))),
        }
    }

    pub(super) fn list(&self, exprs: &[Expr]) -> String {
        let shown: Vec<String> = exprs.iter().map(|expr| self.expr(expr)).collect();
        shown.join(", ")
    }

    /// Returns the only expression, or the greatest or least of several.
    fn extreme(&self, function: &str, exprs: &[Expr]) -> String {
        match exprs {
            [only] => self.expr(only),
            several => format!("{function}({})", self.list(several)),
        }
    }

    /// Returns the range of a variable, which begins at 0 if the variable is never negative.
    pub(super) fn range_of(&self, var: Var, lows: &[Expr], highs: &[Expr]) -> String {
        let is_natural = |low: &Expr| low.is_natural(&self.variables);
        if self.variables.is_natural(var) && !lows.iter().any(is_natural) {
            let lows: Vec<Expr> = std::iter::once(Expr::zero()).chain(lows.iter().cloned()).collect();
            return self.range(&lows, highs);
        }
        self.range(lows, highs)
    }

    /// Returns `max(lows)..min(highs)`.
    pub(super) fn range(&self, lows: &[Expr], highs: &[Expr]) -> String {
        format!("{}..{}", self.extreme("max", lows), self.extreme("min", highs))
    }

    /// Returns an element such as `y[i]`.
    pub(super) fn element(&self, array: Array, at: &Expr) -> String {
        let (name, at) = self.names.place(array, at);
        name.at(&self.list(&at))
    }

    pub(super) fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Nonnegative(Expr::Sub(left, right)) => format!("{} <= {}", self.expr(right), self.expr(left)),
            Condition::Nonnegative(expr) => format!("{} >= 0", self.expr(expr)),
            Condition::Zero(Expr::Sub(left, right)) => format!("{} = {}", self.expr(left), self.expr(right)),
            Condition::Zero(expr) => format!("{} = 0", self.expr(expr)),
            Condition::Divisible(expr, divisor) => format!("{} divides {}", self.expr(divisor), self.expr(expr)),
            Condition::Nonzero { array, at, negated } => {
                let operator = if *negated { "=" } else { "!=" };
                format!("{} {operator} 0", self.element(*array, at))
            }
            Condition::Missing(number) => format!("{} is absent", maybe(*number)),
        }
    }

    /// Returns an element of a sparse output, by its coordinates in the order of the loops. Missing coordinates are
    /// `:`.
    pub(super) fn output(&self, in_loops: &[Expr]) -> String {
        let mut shown = vec![":".to_owned(); self.names.order.len().max(in_loops.len())];
        for (at, coordinate) in in_loops.iter().enumerate() {
            let dim = self.names.order.get(at).copied().unwrap_or(at);
            shown[dim] = self.expr(coordinate);
        }
        format!("{}[{}]", self.names.operand(0), shown.join(", "))
    }

    pub(super) fn place(&self, place: &Lvalue) -> String {
        match place {
            Lvalue::Sum => self
                .reductions
                .last()
                .map_or("sum", |reduction| reduction.sum())
                .to_owned(),
            Lvalue::Element(array, at) => self.element(*array, at),
            Lvalue::Item => self.items.last().cloned().unwrap_or_default(),
            Lvalue::Output(coordinate) => self.output(coordinate),
            Lvalue::Scattered(coordinate) => format!("{}[{}]", self.names.operand(0), self.list(coordinate)),
            Lvalue::Fiber(at) => {
                let extents = self.workspaces.last().map_or(&[][..], Vec::as_slice);
                format!("workspace[{}]", self.list(&coordinates(at, extents)))
            }
            Lvalue::Maybe(number) => maybe(*number),
        }
    }

    pub(super) fn value(&self, value: &Value) -> String {
        let all = |values: &[Value], operator: &str| -> String {
            let shown: Vec<String> = values.iter().map(|value| self.value(value)).collect();
            shown.join(operator)
        };
        // A sum among factors, or below a negation, is in parentheses.
        let factors = |values: &[Value], operator: &str| -> String {
            let shown: Vec<String> = values.iter().map(|value| self.factor(value)).collect();
            shown.join(operator)
        };
        match value {
            Value::Load(array, at) => self.element(*array, at),
            Value::Maybe(number) => format!("{}?", maybe(*number)),
            Value::AtPosition { tensor, position } => {
                format!("{}?", self.names.values(*tensor).at(&self.expr(position)))
            }
            Value::At { tensor, range, .. } => format!("{}?", self.names.values(*tensor).at(&self.var(*range))),
            Value::Scalar(number) => self.names.operand(*number),
            Value::Literal(Literal::Integer(number)) => number.to_string(),
            Value::Literal(Literal::Float(number)) => format!("{number:?}"),
            Value::Coordinate(at) => self.expr(at),
            Value::Bound(var) => self.var(*var),
            Value::Negated(value) => format!("-{}", self.factor(value)),
            Value::Product(values) => factors(values, " * "),
            Value::Sum(values) => all(values, " + ").replace(" + -", " - "),
            Value::Or(values) => all(values, " | "),
            Value::And(values) => factors(values, " & "),
            Value::Call(function, values) => format!("{}({})", self.names.function(*function), all(values, ", ")),
        }
    }

    fn factor(&self, value: &Value) -> String {
        let is_sum = match value {
            Value::Sum(_) | Value::Or(_) => true,
            Value::Coordinate(at) => !matches!(at, Expr::Var(_) | Expr::Int(_)),
            _ => false,
        };
        let shown = self.value(value);
        if is_sum { format!("({shown})") } else { shown }
    }
}

/// Returns a divisor, in parentheses if it is a product.
fn factor(expr: &Expr, shown: String) -> String {
    match expr {
        Expr::Mul(..) => format!("({shown})"),
        _ => shown,
    }
}

/// Returns the name of a value that may be absent.
pub(super) fn maybe(number: usize) -> String {
    format!("found{number}")
}
