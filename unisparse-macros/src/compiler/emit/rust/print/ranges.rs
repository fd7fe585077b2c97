//! Prints loops over ranges of numbers.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Arrays, Printer};
use crate::compiler::loops::{Destination, Expr, Nonempty, Range, Reduction, Segment, Stmt};

impl<A: Arrays> Printer<'_, A> {
    pub(super) fn range(&mut self, range: &Range) -> TokenStream {
        if let Some(slices) = &range.slices {
            return self.slices(range, slices);
        }
        let (var, numbers) = (self.var(range.var), self.numbers(range));
        let whole = range.stride.is_none() && range.lows.len() == 1 && range.highs.len() == 1;
        if whole {
            self.whole.push((range.var, range.highs[0].clone()));
        }
        let dots = self.dots(range);
        let body = dots.is_none().then(|| self.block(&range.body));
        if whole {
            self.whole.pop();
        }
        if let Some(dots) = dots {
            return dots;
        }
        let numbers = self.nonempty(range).unwrap_or(numbers);
        quote!(for #var in #numbers { #body })
    }

    /// Returns the loop as one call, if it stores the dot product of the entries below each of its values, in consecutive elements.
    fn dots(&mut self, range: &Range) -> Option<TokenStream> {
        let [
            Stmt::Sum {
                body,
                reduction: Reduction::Plus,
                into: Destination::Element { array, at, store: true },
                unrolled: true,
            },
        ] = &range.body[..]
        else {
            return None;
        };
        let ([Stmt::Entries(entries)], [low]) = (&body[..], &range.lows[..]) else {
            return None;
        };
        let is_below = entries.within == Segment::Of(Expr::Var(range.var)) && !entries.indirect;
        let is_plain = range.stride.is_none() && range.nonempty.is_none() && self.variables.is_natural(range.var);
        let is_in_order = *at == Expr::Var(range.var).sub(low.clone());
        if !is_below || !is_plain || !is_in_order || !entries.is_dot() {
            return None;
        }
        // Binds the segments before all loops; the iteration over one of them is not printed.
        self.iteration(entries, |_, _| TokenStream::new());
        let (segments, numbers) = (self.segments[&entries.position].clone(), self.numbers(range));
        let array = self.arrays.array(*array);
        Some(quote!(#segments.dots(#numbers, #array);))
    }

    /// Returns the values of a range whose parents have entries, if the range skips the others.
    fn nonempty(&self, range: &Range) -> Option<TokenStream> {
        let Nonempty { level, first } = range.nonempty.as_ref()?;
        let (pointers, first, numbers) = (self.arrays.pointers(*level), self.usize(first), self.bounds(range));
        Some(quote!(#pointers.nonempty(#first, #numbers)))
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
        self.span(self.variables.is_natural(range.var), &range.lows, &range.highs)
    }

    /// Returns the numbers from the greatest of `lows` to below the least of `highs`.
    pub(super) fn span(&self, natural: bool, lows: &[Expr], highs: &[Expr]) -> TokenStream {
        match (lows, highs) {
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
