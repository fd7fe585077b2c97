//! Prints the conditions under which a body runs.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Arrays, Printer};
use crate::compiler::loops::{Condition, Expr};

impl<A: Arrays> Printer<'_, A> {
    pub(super) fn condition(&self, condition: &Condition) -> TokenStream {
        match condition {
            Condition::Nonnegative(Expr::Sub(left, right))
                if left.is_natural(self.variables) && right.is_natural(self.variables) =>
            {
                let (left, right) = (self.usize(left), self.usize(right));
                quote!(#right <= #left)
            }
            Condition::Nonnegative(expr) => {
                let expr = self.isize(expr);
                quote!(#expr >= 0)
            }
            Condition::Zero(Expr::Sub(left, right)) => {
                if left.is_natural(self.variables) && right.is_natural(self.variables) {
                    let (left, right) = (self.usize(left), self.usize(right));
                    quote!(#left == #right)
                } else {
                    let (left, right) = (self.isize(left), self.isize(right));
                    quote!(#left == #right)
                }
            }
            Condition::Zero(expr) => {
                let expr = self.isize(expr);
                quote!(#expr == 0)
            }
            Condition::Nonzero { array, at, negated } => {
                let (array, at) = (self.arrays.array(*array), self.usize(at));
                let not = (!negated).then(|| quote!(!));
                quote!(#not #array[#at].reads_zero())
            }
            Condition::Missing(number) => {
                let found = self.found(*number);
                quote!(#found.is_none())
            }
            Condition::Divisible(expr, divisor) => {
                if expr.is_natural(self.variables) {
                    let product = matches!(divisor, Expr::Mul(..));
                    let (expr, divisor) = (self.usize(expr), self.usize(divisor));
                    // A product has the same precedence as the remainder.
                    if product {
                        quote!((#expr) % (#divisor) == 0)
                    } else {
                        quote!((#expr) % #divisor == 0)
                    }
                } else {
                    let (expr, divisor) = (self.isize(expr), self.isize(divisor));
                    quote!((#expr) % (#divisor) == 0)
                }
            }
        }
    }
}
