//! Prints integer expressions: as `size_t` if they cannot be negative, else as `ptrdiff_t`.

use super::Printer;
use super::machine::Machine;
use crate::compiler::loops::{Expr, Var};

impl<M: Machine> Printer<'_, M> {
    /// Returns the name of a variable in C.
    pub(crate) fn var(&self, var: Var) -> String {
        super::c_name(self.variables.name(var))
    }

    /// Returns the expression as a `size_t`.
    pub(crate) fn unsigned(&self, expr: &Expr) -> String {
        if expr.is_natural(self.variables) {
            self.natural(expr)
        } else {
            format!("(size_t)({})", self.signed(expr))
        }
    }

    fn natural(&self, expr: &Expr) -> String {
        match expr {
            Expr::Int(value) => value.to_string(),
            Expr::Var(var) => self.var(*var),
            Expr::Add(a, b) => format!("{} + {}", self.natural(a), self.operand(b, true)),
            Expr::Mul(a, b) => format!("{} * {}", self.factor(a, true), self.operand(b, true)),
            Expr::Floor(a, b) => format!("{} / {}", self.factor(a, true), self.operand(b, true)),
            Expr::Ceil(a, b) => format!("unisparse_ceil({}, {})", self.natural(a), self.natural(b)),
            Expr::Sub(..) => unreachable!("a difference is not natural"),
        }
    }

    /// Returns the expression as a `size_t`, or zero where it is negative, as for the size of an empty box.
    pub(crate) fn clamped(&self, expr: &Expr) -> String {
        if expr.is_natural(self.variables) {
            return self.natural(expr);
        }
        format!("(size_t)unisparse_greater(0, {})", self.signed(expr))
    }

    /// Returns the expression as a `ptrdiff_t`.
    pub(crate) fn signed(&self, expr: &Expr) -> String {
        match expr {
            Expr::Int(value) => value.to_string(),
            Expr::Var(var) if self.variables.is_natural(*var) => format!("(ptrdiff_t){}", self.var(*var)),
            Expr::Var(var) => self.var(*var),
            natural @ (Expr::Mul(..) | Expr::Floor(..) | Expr::Ceil(..)) if natural.is_natural(self.variables) => {
                format!("(ptrdiff_t)({})", self.natural(natural))
            }
            Expr::Add(a, b) => format!("{} + {}", self.signed(a), self.operand(b, false)),
            Expr::Sub(a, b) if **a == Expr::zero() => format!("-{}", self.operand(b, false)),
            Expr::Sub(a, b) => format!("{} - {}", self.signed(a), self.operand(b, false)),
            Expr::Mul(a, b) => format!("{} * {}", self.factor(a, false), self.operand(b, false)),
            Expr::Floor(a, b) => format!("unisparse_floor({}, {})", self.signed(a), self.signed(b)),
            Expr::Ceil(a, b) => format!("(ptrdiff_t)unisparse_ceil({}, {})", self.clamped(a), self.unsigned(b)),
        }
    }

    /// Returns the first operand of a product, where products associate to the left.
    fn factor(&self, expr: &Expr, natural: bool) -> String {
        match expr {
            Expr::Mul(..) if natural => self.natural(expr),
            _ => self.operand(expr, natural),
        }
    }

    /// Returns an operand of a product, or the right operand of a sum, in parentheses unless it is a name or a number.
    pub(crate) fn operand(&self, expr: &Expr, natural: bool) -> String {
        let printed = if natural { self.natural(expr) } else { self.signed(expr) };
        match expr {
            Expr::Int(value) if *value >= 0 => printed,
            Expr::Var(_) | Expr::Ceil(..) => printed,
            _ => format!("({printed})"),
        }
    }

    /// Returns the conditions that a natural variable is in a range.
    pub(crate) fn inside(&self, var: &str, lows: &[Expr], highs: &[Expr]) -> Vec<String> {
        let compared = |operator: &str, bound: &Expr| match bound.is_natural(self.variables) {
            true => format!("{var} {operator} {}", self.unsigned(bound)),
            false => format!("(ptrdiff_t){var} {operator} {}", self.signed(bound)),
        };
        let lows = lows.iter().filter(|low| **low != Expr::zero());
        let lows = lows.map(|low| compared(">=", low));
        lows.chain(highs.iter().map(|high| compared("<", high))).collect()
    }

    /// Returns the least of these bounds, or `none` without bounds.
    pub(crate) fn least(&self, bounds: &[Expr], none: &str) -> String {
        self.folded(bounds, "unisparse_lesser", none)
    }

    /// Returns the greatest of these bounds, or `none` without bounds.
    pub(crate) fn greatest(&self, bounds: &[Expr], none: &str) -> String {
        self.folded(bounds, "unisparse_greater", none)
    }

    fn folded(&self, bounds: &[Expr], function: &str, none: &str) -> String {
        let bounds = bounds.iter().map(|bound| self.signed(bound));
        bounds
            .reduce(|folded, bound| format!("{function}({folded}, {bound})"))
            .unwrap_or_else(|| none.to_owned())
    }
}
