//! Prints merges of several sorted levels.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Arrays, Printer};
use crate::compiler::loops::{Expr, Lvalue, Merge, Stmt, Value, Var};

impl<A: Arrays> Printer<'_, A> {
    pub(super) fn merge(&mut self, merge: &Merge) -> TokenStream {
        let coordinate = self.var(merge.coordinate);
        let at: Vec<Ident> = merge.cursors.iter().map(|cursor| self.var(cursor.at)).collect();
        let (cursors, pattern) = if merge.union {
            (self.union(merge), quote!((#coordinate, (#(#at),*))))
        } else {
            let at: Vec<TokenStream> = at.iter().map(|at| quote!(#at)).collect();
            let at = nested(&at, |left, right| quote!((#left, #right)));
            (self.intersection(merge), quote!((#coordinate, #at)))
        };
        let missing = merge.cursors.iter().zip(&at).filter(|_| merge.union);
        let ranges: TokenStream = missing
            .map(|(cursor, at)| match cursor.runs {
                true => quote!(let #at = #at.unwrap_or(0..0);),
                false => quote!(let #at = #at.map_or(0..0, |at| at..at + 1);),
            })
            .collect();
        match appended(merge) {
            Some((outer, last, value)) => {
                let output = self.local("output");
                let outer: Vec<TokenStream> = outer.iter().map(|at| self.usize(at)).collect();
                let last = self.usize(last);
                let element = if value.is_optional() {
                    let (maybe, value) = (self.maybe(value), self.local("value"));
                    quote!(#maybe.map(|#value| (#last, T::narrow(#value))))
                } else {
                    let value = self.value(value);
                    quote!(::core::option::Option::Some((#last, T::narrow(#value))))
                };
                quote!(#output.extend([#(#outer,)* 0], #cursors, |#pattern| { #ranges #element });)
            }
            None => {
                let body = self.block(&merge.body);
                quote!(for #pattern in #cursors { #ranges #body })
            }
        }
    }

    fn union(&self, merge: &Merge) -> TokenStream {
        let cursors = self.cursors(merge);
        let union = self.runtime(match cursors.len() {
            2 => "union",
            3 => "union3",
            _ => "union4",
        });
        quote!(#union(#(#cursors),*))
    }

    fn intersection(&self, merge: &Merge) -> TokenStream {
        let intersect = self.runtime("intersect");
        nested(&self.cursors(merge), |left, right| quote!(#intersect(#left, #right)))
    }

    fn cursors(&self, merge: &Merge) -> Vec<TokenStream> {
        let natural = self.variables.is_natural(merge.coordinate);
        let cursors = merge.cursors.iter().map(|cursor| {
            let (indices, range) = (
                self.arrays.indices(cursor.level),
                self.segment(cursor.level, &cursor.within),
            );
            let kind = self.names.public(match (cursor.runs, natural) {
                (false, true) => "ascending",
                (false, false) => "ascending_signed",
                (true, true) => "runs",
                (true, false) => "runs_signed",
            });
            quote!(#indices.#kind(#range))
        });
        cursors.collect()
    }
}

/// Combines all items pairwise from the left.
fn nested(all: &[TokenStream], pair: impl Fn(&TokenStream, &TokenStream) -> TokenStream) -> TokenStream {
    let all = all.iter().cloned();
    all.reduce(|left, right| pair(&left, &right)).unwrap_or_default()
}

/// Returns the coordinates of the fiber, the last coordinate and the value that a merge appends to one fiber of the
/// output, if it does nothing else.
fn appended(merge: &Merge) -> Option<(&[Expr], &Expr, &Value)> {
    let [
        Stmt::Accumulate {
            place: Lvalue::Output(coordinate),
            value,
            ..
        },
    ] = merge.body.as_slice()
    else {
        return None;
    };
    let (last, outer) = coordinate.split_last()?;
    let mut bound: Vec<Var> = merge.cursors.iter().map(|cursor| cursor.at).collect();
    bound.push(merge.coordinate);
    (!outer.iter().any(|at| at.uses_any(&bound))).then_some((outer, last, value))
}
