//! Prints the destinations of values: sums, elements, results.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Arrays, Printer, entries, identity, reduced};
use crate::compiler::loops::{Array, Destination, Entries, Expr, Lvalue, Reduction, Stmt};

impl<A: Arrays> Printer<'_, A> {
    /// Returns `let mut sum = ZERO; body`, or the total of a loop if the sum is unrolled. A sum that is then added to a sum of a tile
    /// starts from `NEUTRAL`: the tile's sum began at zero, so the result is the same, and the compiler drops the first addition.
    pub(super) fn sum(
        &mut self,
        body: &[Stmt],
        reduction: Reduction,
        into: &Destination,
        unrolled: bool,
    ) -> TokenStream {
        let (sum, start) = (self.local("sum"), identity(reduction, self.arrays.runtime()));
        if let Some((last, binds)) = body.split_last().filter(|_| unrolled) {
            let total = match last {
                Stmt::Entries(entries) => self.total(entries, start.as_ref(), reduction),
                Stmt::Range(range) => self.slices_total(range, start.as_ref(), reduction),
                _ => unreachable!("sums over entries or over slices are unrolled"),
            };
            let binds = self.block(binds);
            return quote!(#binds let #sum = #total;);
        }
        let start = match (reduction, into) {
            (
                Reduction::Plus,
                Destination::Element {
                    array: Array::Sums,
                    store: false,
                    ..
                },
            ) => {
                let runtime = self.arrays.runtime();
                Some(quote!(<T::Sum as #runtime::Scalar>::NEUTRAL))
            }
            _ => start,
        };
        let body = self.block(body);
        quote!(let mut #sum = #start; #body)
    }

    /// Returns the statement that moves a sum to its destination.
    pub(super) fn put(&self, into: &Destination, reduction: Reduction) -> TokenStream {
        let sum = self.local("sum");
        match into {
            Destination::Element { array, at, store } => {
                let (array, at) = (self.arrays.array(*array), self.usize(at));
                let value = if *store {
                    quote!(#sum)
                } else {
                    reduced(reduction, &quote!(#array[#at]), &quote!(#sum))
                };
                quote!(#array[#at] = #value;)
            }
            Destination::Item { store } => {
                let item = self.item.as_ref().expect("a loop that has an item");
                self.update(item, (!store).then_some(reduction), &quote!(#sum))
            }
            Destination::Output { coordinate, .. } => self.append(coordinate, &quote!(#sum)),
            Destination::Total => {
                let total = self.local("total");
                let value = reduced(reduction, &quote!(#total), &quote!(#sum));
                quote!(#total = #value;)
            }
        }
    }

    /// Returns a loop that sums one value per position.
    pub(super) fn total(
        &mut self,
        entries: &Entries,
        start: Option<&TokenStream>,
        reduction: Reduction,
    ) -> TokenStream {
        let entries::Iteration {
            pattern,
            iterator,
            inner,
        } = self.iteration(entries, |printer, body| match body {
            [Stmt::Accumulate { value, .. }] => printer.value(value),
            _ => unreachable!("streams keep the statements of a loop"),
        });
        if reduction == Reduction::Plus && entries.is_dot() {
            return quote!(#iterator.dot());
        }
        let combined = self.combined(reduction);
        quote!(#iterator.total(#start, #combined, |#pattern| #inner))
    }

    /// Returns the reduction as a closure.
    pub(super) fn combined(&self, reduction: Reduction) -> TokenStream {
        let combined = reduced(reduction, &quote!(left), &quote!(right));
        quote!(|left, right| #combined)
    }

    pub(super) fn accumulate(&mut self, place: &Lvalue, reduction: Reduction, value: &TokenStream) -> TokenStream {
        match place {
            Lvalue::Sum => {
                let sum = self.local("sum");
                let reduced = reduced(reduction, &quote!(#sum), value);
                let any = self.notes_any.then(|| self.local("any"));
                let any = any.map(|any| quote!(#any = true;));
                quote!(#sum = #reduced; #any)
            }
            Lvalue::Element(array, at) => {
                let (array, at) = (self.arrays.array(*array), self.usize(at));
                let reduced = reduced(reduction, &quote!(#array[#at]), value);
                quote!(#array[#at] = #reduced;)
            }
            Lvalue::Item => {
                let item = self.item.as_ref().expect("a loop that has an item");
                self.update(item, Some(reduction), value)
            }
            Lvalue::Output(coordinate) => self.append(coordinate, value),
            Lvalue::Scattered(coordinate) => {
                let output = self.local("output");
                let coordinate: Vec<TokenStream> = coordinate.iter().map(|at| self.usize(at)).collect();
                quote!(#output.add([#(#coordinate),*], #value);)
            }
            Lvalue::Fiber(at) => {
                let (fiber, at) = (self.local("fiber"), self.usize(at));
                let combined = self.combined(reduction);
                quote!(#fiber.add(#at, #value, #combined);)
            }
            Lvalue::Maybe(number) => {
                let found = self.found(*number);
                quote!(#found = ::core::option::Option::Some(#value);)
            }
        }
    }

    /// Returns the append of an element to the sparse output.
    pub(super) fn append(&self, coordinate: &[Expr], value: &TokenStream) -> TokenStream {
        let output = self.local("output");
        let coordinate: Vec<TokenStream> = coordinate.iter().map(|at| self.usize(at)).collect();
        quote!(#output.append([#(#coordinate),*], T::narrow(#value));)
    }
}
