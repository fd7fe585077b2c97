//! Prints statements and values as data.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::Printer;
use crate::compiler::loops::{Array, Condition, Destination, Entries, Expr, Lvalue, Range, Segment, Stmt, Tiles};

impl Printer<'_> {
    pub(super) fn block(&self, block: &[Stmt]) -> TokenStream {
        let stmts = block.iter().map(|stmt| self.statement(stmt));
        quote!(&[#(#stmts),*])
    }

    fn statement(&self, stmt: &Stmt) -> TokenStream {
        let path = &self.path;
        match stmt {
            Stmt::Range(range) => self.range(range),
            Stmt::Tiles(tiles) => self.tiles(tiles),
            Stmt::Entries(entries) => self.entries(entries),
            Stmt::Let { var, value } => {
                let (var, value) = (self.number(*var), self.expr(value));
                quote!(#path::Stmt::Let { var: #var, value: #value })
            }
            Stmt::Bind(bind) => {
                let (var, value) = (self.number(bind.var), self.value(&bind.value));
                quote!(#path::Stmt::Bind { var: #var, value: #value })
            }
            Stmt::Lookup { level, var, at, .. } => {
                let (level, var, at) = (level.level, self.number(*var), self.expr(at));
                quote!(#path::Stmt::Lookup { level: #level, var: #var, at: #at })
            }
            Stmt::If { conditions, body } => {
                let conditions = conditions.iter().map(|condition| self.condition(condition));
                let body = self.block(body);
                quote!(#path::Stmt::If { conditions: &[#(#conditions),*], body: #body })
            }
            Stmt::Accumulate {
                place,
                reduction,
                value,
            } => {
                let (place, reduction, value) = (self.place(place), self.reduction(*reduction), self.value(value));
                quote!(#path::Stmt::Accumulate { place: #place, reduction: #reduction, value: #value })
            }
            Stmt::Sum {
                body, reduction, into, ..
            } => {
                let (array, at, store) = match into {
                    Destination::Element { array, at, store } => (self.array(*array), self.expr(at), *store),
                    // The result is the only element of the output.
                    Destination::Total => (self.array(Array::Dense(0)), self.expr(&Expr::Int(0)), false),
                    Destination::Item { .. } | Destination::Output { .. } => {
                        unreachable!("`reason` refuses other destinations")
                    }
                };
                let (body, reduction) = (self.block(body), self.reduction(*reduction));
                quote! {
                    #path::Stmt::Sum { body: #body, reduction: #reduction, array: #array, at: #at, store: #store }
                }
            }
            Stmt::Fill { array, at, count } => {
                let (array, at, count) = (self.array(*array), self.expr(at), self.expr(count));
                quote!(#path::Stmt::Fill { array: #array, at: #at, count: #count })
            }
            _ => unreachable!("`reason` refuses other statements"),
        }
    }

    fn range(&self, range: &Range) -> TokenStream {
        let path = &self.path;
        let natural = self.program.variables.is_natural(range.var);
        let (var, lows, highs) = (
            self.number(range.var),
            self.exprs(&range.lows),
            self.exprs(&range.highs),
        );
        let stride = match &range.stride {
            Some((residue, modulus)) => {
                let (residue, modulus) = (self.expr(residue), self.expr(modulus));
                quote!(Some((#residue, #modulus)))
            }
            None => quote!(None),
        };
        let body = self.block(&range.body);
        quote! {
            #path::Stmt::Range {
                var: #var, natural: #natural, lows: #lows, highs: #highs, stride: #stride, body: #body,
            }
        }
    }

    fn tiles(&self, tiles: &Tiles) -> TokenStream {
        let path = &self.path;
        let (var, width) = (self.number(tiles.var), self.number(tiles.width));
        let (lows, highs) = (self.exprs(&tiles.lows), self.exprs(&tiles.highs));
        let (array, at, store) = (self.array(tiles.array), self.expr(&tiles.at), tiles.store);
        let (reduction, body) = (self.reduction(tiles.reduction), self.block(&tiles.body));
        quote! {
            #path::Stmt::Tiles {
                var: #var, width: #width, lows: #lows, highs: #highs, array: #array, at: #at, store: #store,
                reduction: #reduction, body: #body,
            }
        }
    }

    fn entries(&self, entries: &Entries) -> TokenStream {
        let path = &self.path;
        let (level, position) = (entries.first, self.number(entries.position));
        let within = match &entries.within {
            Segment::All => quote!(All),
            Segment::Of(parent) => {
                let parent = self.expr(parent);
                quote!(Of(#parent))
            }
            Segment::Between(low, high) => {
                let (low, high) = (self.expr(low), self.expr(high));
                quote!(Between(#low, #high))
            }
            Segment::Run(_) | Segment::Below(_) => unreachable!("`reason` refuses other segments"),
        };
        let coordinates = entries.coordinates.iter().map(|(level, var)| {
            let var = self.number(*var);
            quote!((#level, #var))
        });
        let coordinates: Vec<TokenStream> = coordinates.collect();
        let streams = self.streams(entries);
        let body = self.block(&entries.body);
        quote! {
            #path::Stmt::Entries {
                level: #level, within: #path::Segment::#within, position: #position,
                coordinates: &[#(#coordinates),*], streams: #streams, body: #body,
            }
        }
    }

    fn condition(&self, condition: &Condition) -> TokenStream {
        let path = &self.path;
        let kind = match condition {
            Condition::Nonnegative(expr) => {
                let expr = self.expr(expr);
                quote!(Nonnegative(#expr))
            }
            Condition::Zero(expr) => {
                let expr = self.expr(expr);
                quote!(Zero(#expr))
            }
            Condition::Divisible(expr, divisor) => {
                let (expr, divisor) = (self.expr(expr), self.expr(divisor));
                quote!(Divisible(#expr, #divisor))
            }
            Condition::Nonzero { array, at, negated } => {
                let (array, at) = (self.array(*array), self.expr(at));
                quote!(Nonzero { array: #array, at: #at, negated: #negated })
            }
            Condition::Missing(_) => unreachable!("`reason` refuses missing values"),
        };
        quote!(#path::Condition::#kind)
    }

    fn place(&self, place: &Lvalue) -> TokenStream {
        let path = &self.path;
        match place {
            Lvalue::Element(array, at) => {
                let (array, at) = (self.array(*array), self.expr(at));
                quote!(#path::Lvalue::Element(#array, #at))
            }
            Lvalue::Sum => quote!(#path::Lvalue::Sum),
            _ => unreachable!("`reason` refuses other places"),
        }
    }

    pub(super) fn array(&self, array: Array) -> TokenStream {
        let path = &self.path;
        match array {
            Array::Values(_) => quote!(#path::Array::Values),
            Array::Dense(operand) => quote!(#path::Array::Dense(#operand)),
            Array::Sums => quote!(#path::Array::Sums),
        }
    }

    /// Returns the number of arrays that are read at the position of a loop: each has a pointer that advances with it.
    fn streams(&self, entries: &Entries) -> usize {
        let mut arrays = BTreeSet::new();
        for stmt in &entries.body {
            stmt.for_each_load(&mut |array, at| {
                if *at == Expr::Var(entries.position) {
                    arrays.insert(array);
                }
            });
        }
        let reads = arrays.len() + entries.coordinates.len();
        // The members of a struct have one pointer.
        let tuple_arrays = self
            .program
            .tensors
            .iter()
            .flat_map(|tensor| &tensor.storage.tuple_arrays);
        let shared = tuple_arrays.map(|tuples| {
            let levels = entries
                .coordinates
                .iter()
                .filter(|(level, _)| tuples.levels.contains(level));
            let values = arrays
                .iter()
                .filter(|array| tuples.values && matches!(array, Array::Values(_)));
            (levels.count() + values.count()).saturating_sub(1)
        });
        reads - shared.sum::<usize>()
    }
}
