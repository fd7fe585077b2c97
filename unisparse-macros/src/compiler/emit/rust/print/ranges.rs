//! Prints loops over ranges of numbers.

use proc_macro2::TokenStream;
use quote::quote;

use super::tiles::known_count;
use super::windows::is_windowed;
use super::{Arrays, Printer};
use crate::compiler::loops::{Expr, Nonempty, Range, Stmt};

impl<A: Arrays> Printer<'_, A> {
    pub(super) fn range(&mut self, range: &Range) -> TokenStream {
        if range.stride.is_none() && self.variables.is_natural(range.var) {
            if let [lookups @ .., leaf @ (Stmt::Accumulate { .. } | Stmt::Visit { .. })] = range.body.as_slice() {
                if let Some(windows) = Some(leaf)
                    .filter(|leaf| is_windowed(leaf))
                    .and_then(|leaf| self.windows(range, lookups, leaf))
                {
                    return windows;
                }
            }
        }
        let (var, numbers) = (self.var(range.var), self.numbers(range));
        let whole = range.stride.is_none() && range.lows.len() == 1 && range.highs.len() == 1;
        if whole {
            self.whole.push((range.var, range.highs[0].clone()));
        }
        let counted = self.counted_outside(range);
        self.counted.extend(counted.as_ref().map(|(inner, _)| inner.var));
        let body = self.block(&range.body);
        self.counted
            .truncate(self.counted.len() - usize::from(counted.is_some()));
        if whole {
            self.whole.pop();
        }
        let numbers = self.nonempty(range).unwrap_or(numbers);
        let all = quote!(for #var in #numbers { #body });
        match counted {
            Some((inner, known)) => {
                let (steps, bounds, known) = (self.runtime("steps"), self.bounds(inner), self.usize(&known));
                let count = self.local("count");
                quote!(#steps(#bounds.len(), #known, #[inline(always)] |#count| { #all });)
            }
            None => all,
        }
    }

    /// Returns a loop inside that is cut short at edges, whose bounds do not depend on this loop, with its most
    /// frequent number of iterations.
    fn counted_outside<'r>(&self, range: &'r Range) -> Option<(&'r Range, Expr)> {
        let mut body = range.body.as_slice();
        while let [Stmt::Sum { body: inner, .. }] = body {
            body = inner;
        }
        let binds = body.iter().take_while(|stmt| matches!(stmt, Stmt::Bind(_))).count();
        let [Stmt::Range(inner)] = &body[binds..] else {
            return None;
        };
        let moves = |bound: &Expr| bound.uses(range.var);
        let is_cut = inner.highs.len() > 1 && inner.lows == [Expr::zero()] && inner.stride.is_none();
        if !is_cut || !self.variables.is_natural(inner.var) || inner.highs.iter().any(moves) || !self.counted.is_empty()
        {
            return None;
        }
        Some((inner, known_count(inner, &self.tile, self.variables)?))
    }

    /// Returns the values of a range whose parents have entries, if the range skips the others.
    fn nonempty(&self, range: &Range) -> Option<TokenStream> {
        let Nonempty { level, first } = range.nonempty.as_ref()?;
        let (pointers, first, numbers) = (self.arrays.pointers(*level), self.usize(first), self.bounds(range));
        Some(quote!(#pointers.occupied(#first, #numbers)))
    }

    /// Returns the values over which a range runs.
    fn numbers(&self, range: &Range) -> TokenStream {
        let natural = self.variables.is_natural(range.var);
        let numbers = self.bounds(range);
        let Some((residue, modulus)) = &range.stride else {
            return numbers;
        };
        let (residue, modulus) = (self.isize(residue), self.usize(modulus));
        let strided = self.runtime(if natural { "strided" } else { "strided_signed" });
        quote!(#strided(#numbers, #residue, #modulus))
    }

    pub(super) fn bounds(&self, range: &Range) -> TokenStream {
        if self.counted.contains(&range.var) {
            let count = self.local("count");
            return quote!(0..#count);
        }
        let natural = self.variables.is_natural(range.var);
        match (range.lows.as_slice(), range.highs.as_slice()) {
            ([low], [high]) if natural && low.is_natural(self.variables) && high.is_natural(self.variables) => {
                let (low, high) = (self.usize(low), self.usize(high));
                quote!(#low..#high)
            }
            ([low], [high]) if !natural => {
                let (low, high) = (self.isize(low), self.isize(high));
                quote!(#low..#high)
            }
            (lows, highs) => {
                // A natural range starts at zero anyway.
                let lows = lows.iter().filter(|low| !natural || **low != Expr::zero());
                let lows: Vec<TokenStream> = lows.map(|low| self.isize(low)).collect();
                let highs: Vec<TokenStream> = highs.iter().map(|high| self.isize(high)).collect();
                let span = self.runtime(if natural { "span" } else { "span_signed" });
                quote!(#span([#(#lows),*], [#(#highs),*]))
            }
        }
    }
}
