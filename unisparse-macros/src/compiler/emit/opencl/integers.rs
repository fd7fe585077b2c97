//! Prints integer expressions, which all have type `long`.

use super::Printer;
use super::arguments::name;
use crate::compiler::loops::{Expr, Range, Var};

impl Printer<'_> {
    pub(super) fn var(&self, var: Var) -> String {
        name(self.variables.name(var))
    }

    /// Creates a variable and returns its name.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        let var = self.variables.fresh(name, true);
        self.var(var)
    }

    pub(super) fn integer(&self, expr: &Expr) -> String {
        match expr {
            Expr::Int(value) => value.to_string(),
            Expr::Var(var) => self.var(*var),
            Expr::Add(a, b) => format!("{} + {}", self.integer(a), self.operand(b)),
            Expr::Sub(a, b) if **a == Expr::zero() => format!("-{}", self.operand(b)),
            Expr::Sub(a, b) => format!("{} - {}", self.integer(a), self.operand(b)),
            Expr::Mul(a, b) if matches!(**a, Expr::Mul(..)) => format!("{} * {}", self.integer(a), self.operand(b)),
            Expr::Mul(a, b) => format!("{} * {}", self.operand(a), self.operand(b)),
            Expr::Floor(a, b) if expr.is_natural(&self.variables) => {
                format!("{} / {}", self.operand(a), self.operand(b))
            }
            Expr::Floor(a, b) => format!("unisparse_floor({}, {})", self.integer(a), self.integer(b)),
            Expr::Ceil(a, b) => format!("unisparse_ceil({}, {})", self.integer(a), self.integer(b)),
        }
    }

    /// Returns the expression as an operand, in parentheses unless it is a name or a number.
    pub(super) fn operand(&self, expr: &Expr) -> String {
        match expr {
            Expr::Int(0..) | Expr::Var(_) | Expr::Ceil(..) => self.integer(expr),
            _ => format!("({})", self.integer(expr)),
        }
    }

    /// Returns the value of a variable, with zero in place of a negative number if the variable is natural.
    pub(super) fn bound(&self, var: Var, value: &Expr) -> String {
        if self.variables.is_natural(var) && !value.is_natural(&self.variables) {
            format!("unisparse_greater(0, {})", self.integer(value))
        } else {
            self.integer(value)
        }
    }

    /// Returns the bounds of a loop over a variable: the greatest of `lows` and the least of `highs`.
    pub(super) fn bounds(&self, var: Var, lows: &[Expr], highs: &[Expr]) -> (String, String) {
        let folded = |bounds: Vec<String>, function: &str| {
            let folded = bounds.into_iter();
            let folded = folded.reduce(|folded, bound| format!("{function}({folded}, {bound})"));
            folded.unwrap_or_else(|| "0".to_owned())
        };
        let is_natural = |low: &Expr| low.is_natural(&self.variables);
        let mut least: Vec<String> = lows.iter().map(|low| self.integer(low)).collect();
        if self.variables.is_natural(var) && !lows.iter().any(is_natural) {
            least.insert(0, "0".to_owned());
        }
        let most = highs.iter().map(|high| self.integer(high)).collect();
        (folded(least, "unisparse_greater"), folded(most, "unisparse_lesser"))
    }

    /// Returns the first value of a loop, the end, and the step.
    pub(super) fn range_bounds(&self, range: &Range) -> (String, String, Option<String>) {
        let (low, high) = self.bounds(range.var, &range.lows, &range.highs);
        match &range.stride {
            None => (low, high, None),
            Some((residue, modulus)) => {
                let (residue, step) = (self.integer(residue), self.operand(modulus));
                (
                    format!("unisparse_congruent({low}, {residue}, {step})"),
                    high,
                    Some(step),
                )
            }
        }
    }
}
