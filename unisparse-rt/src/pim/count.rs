//! Counts the instructions of integer expressions and addresses, as a core evaluates them.

use super::core::Core;
use super::device::Opcode;
use super::evaluate::{evaluate, is_power, quotient};
use super::memory::Memory;
use super::program::{Array, Expr};
use crate::element::{Scalar, Stored};
use crate::format::Tree;

impl<P, T, M, A, const N: usize, const L: usize> Core<'_, P, T, M, A, N, L>
where
    P: Tree<N, L>,
    P::Scalar: Stored<Value = T>,
    T: Scalar,
    M: Memory,
{
    pub(super) fn count(&mut self, opcode: Opcode, times: u64) {
        let count = &mut self.counts[opcode as usize];
        *count = count.saturating_add(times);
    }

    /// Evaluates an expression, and counts its instructions.
    pub(super) fn expr(&mut self, expr: &Expr) -> i128 {
        self.count_expr(expr);
        evaluate(expr, &self.variables)
    }

    fn count_expr(&mut self, expr: &Expr) {
        let (opcode, a, b) = match *expr {
            Expr::Int(_) | Expr::Var(_) => return,
            Expr::Add(a, b) | Expr::Sub(a, b) => (Opcode::Add, a, b),
            Expr::Mul(a, b) if is_power(a) || is_power(b) => (Opcode::Shift, a, b),
            Expr::Mul(a, b) => (Opcode::Multiply, a, b),
            Expr::Floor(a, b) | Expr::Ceil(a, b) => (quotient(b), a, b),
        };
        self.count(opcode, 1);
        self.count_expr(a);
        self.count_expr(b);
    }

    /// Evaluates the place of an access, and counts the instructions that compute its address. At the position of a loop over
    /// entries, there is a pointer, which this access moves on if it `advances`.
    pub(super) fn address(&mut self, at: &Expr, advances: bool) -> i128 {
        if let Expr::Var(var) = *at {
            if self.is_position[var] {
                self.count(Opcode::Add, u64::from(advances));
                return self.variables[var];
            }
        }
        let place = self.expr(at);
        self.count(Opcode::Shift, 1);
        self.count(Opcode::Add, 1);
        place
    }

    /// As `address`, but for registers there is none.
    pub(super) fn place_of(&mut self, array: Array, at: &Expr) -> i128 {
        match array {
            Array::Sums => evaluate(at, &self.variables),
            Array::Values => self.address(at, self.places.values.advances),
            Array::Dense(_) => self.address(at, true),
        }
    }
}
