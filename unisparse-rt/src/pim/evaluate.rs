//! Values of integer expressions, what their quotients take, and their use as places.

use super::device::Opcode;
use super::program::Expr;
use crate::error::{Error, ErrorKind};

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

/// Returns the instruction of a quotient, or of a remainder: by a power of two it is a shift, or a mask.
pub(super) fn quotient(divisor: &Expr) -> Opcode {
    if is_power(divisor) {
        Opcode::Shift
    } else {
        Opcode::Divide
    }
}

pub(super) fn is_power(expr: &Expr) -> bool {
    matches!(expr, Expr::Int(number) if *number > 0 && number.count_ones() == 1)
}

/// Returns a place as a number of an entry.
pub(super) fn inside(name: &str, at: i128, len: usize) -> Result<usize, Error> {
    usize::try_from(at).ok().filter(|at| *at < len).ok_or_else(|| {
        Error::new(
            ErrorKind::OutOfBounds,
            name,
            None,
            format!("an access to entry {at}"),
            format!("one of {len} entries"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_by_powers_of_two_are_shifts() {
        let of = |divisor| quotient(&Expr::Int(divisor));
        assert_eq!([1, 2, 64].map(of), [Opcode::Shift; 3]);
        assert_eq!([0, -4, 3, 6].map(of), [Opcode::Divide; 4]);
        assert_eq!(quotient(&Expr::Var(0)), Opcode::Divide);
    }
}
