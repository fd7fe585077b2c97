//! Values of integer expressions.

use super::program::Expr;

/// Returns the value of an expression. Numbers that do not fit saturate, and are then out of bounds of every array.
pub(super) fn evaluate(expr: &Expr, variables: &[i128]) -> i128 {
    let both = |a: &Expr, b: &Expr| (evaluate(a, variables), evaluate(b, variables));
    match *expr {
        Expr::Int(number) => number,
        Expr::Var(var) => variables[var],
        Expr::Add(a, b) => {
            let (a, b) = both(a, b);
            a.saturating_add(b)
        }
        Expr::Sub(a, b) => {
            let (a, b) = both(a, b);
            a.saturating_sub(b)
        }
        Expr::Mul(a, b) => {
            let (a, b) = both(a, b);
            a.saturating_mul(b)
        }
        Expr::Floor(a, b) => {
            let (a, b) = both(a, b);
            a.div_euclid(b.max(1))
        }
        Expr::Ceil(a, b) => {
            let (a, b) = both(a, b);
            -(a.saturating_neg().div_euclid(b.max(1)))
        }
    }
}
