//! Prints integer expressions: as `usize` if they cannot be negative, else as `isize`.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Arrays, Printer, integer};
use crate::compiler::loops::Expr;

impl<A: Arrays> Printer<'_, A> {
    /// Returns the expression as a `usize`.
    pub(super) fn usize(&self, expr: &Expr) -> TokenStream {
        if expr.is_natural(self.variables) {
            self.natural(expr)
        } else {
            let expr = self.isize(expr);
            quote!((#expr) as usize)
        }
    }

    fn natural(&self, expr: &Expr) -> TokenStream {
        let binary = |a: &Expr, b: &Expr| (self.operand(a, true), self.operand(b, true));
        match expr {
            Expr::Int(value) => integer(*value),
            Expr::Var(var) => {
                let name = self.var(*var);
                quote!(#name)
            }
            Expr::Add(a, b) => {
                let (a, b) = (self.natural(a), self.operand(b, true));
                quote!(#a + #b)
            }
            Expr::Mul(a, b) => {
                let (a, b) = binary(a, b);
                quote!(#a * #b)
            }
            Expr::Floor(a, b) => {
                let (a, divisor) = binary(a, b);
                // A product has the same precedence as the division.
                match **b {
                    Expr::Mul(..) => quote!(#a / (#divisor)),
                    _ => quote!(#a / #divisor),
                }
            }
            Expr::Ceil(a, b) => {
                let (a, b) = (self.natural(a), self.natural(b));
                quote!(usize::div_ceil(#a, #b))
            }
            Expr::Sub(..) => unreachable!("a difference is not natural"),
        }
    }

    /// Returns the expression as a `usize`, or zero where it is negative, as for the size of an empty box.
    pub(super) fn clamped(&self, expr: &Expr) -> TokenStream {
        if expr.is_natural(self.variables) {
            return self.natural(expr);
        }
        let expr = self.isize(expr);
        quote!((#expr).max(0) as usize)
    }

    /// Returns the expression as an `isize`.
    pub(super) fn isize(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Int(value) => integer(*value),
            Expr::Var(var) => {
                let name = self.var(*var);
                if self.variables.is_natural(*var) {
                    quote!(#name as isize)
                } else {
                    quote!(#name)
                }
            }
            natural @ (Expr::Mul(..) | Expr::Floor(..) | Expr::Ceil(..)) if natural.is_natural(self.variables) => {
                let value = self.natural(natural);
                quote!((#value) as isize)
            }
            Expr::Add(a, b) => {
                let (a, b) = (self.isize(a), self.operand(b, false));
                quote!(#a + #b)
            }
            Expr::Sub(a, b) if **a == Expr::zero() => {
                let b = self.operand(b, false);
                quote!(-#b)
            }
            Expr::Sub(a, b) => {
                let (a, b) = (self.isize(a), self.operand(b, false));
                quote!(#a - #b)
            }
            Expr::Mul(a, b) => {
                let (a, b) = (self.operand(a, false), self.operand(b, false));
                quote!(#a * #b)
            }
            Expr::Floor(a, b) => {
                let (a, b) = (self.isize(a), self.isize(b));
                quote!(isize::div_euclid(#a, #b))
            }
            Expr::Ceil(a, b) => {
                let (a, b) = (self.clamped(a), self.usize(b));
                quote!(usize::div_ceil(#a, #b) as isize)
            }
        }
    }

    /// Returns an operand of a product, or the right operand of a sum, in parentheses unless it is a name or a number.
    fn operand(&self, expr: &Expr, natural: bool) -> TokenStream {
        let printed = if natural { self.natural(expr) } else { self.isize(expr) };
        match expr {
            Expr::Int(value) if *value >= 0 => printed,
            Expr::Var(var) if natural || !self.variables.is_natural(*var) => printed,
            Expr::Mul(..) if natural => printed,
            _ => quote!((#printed)),
        }
    }
}
