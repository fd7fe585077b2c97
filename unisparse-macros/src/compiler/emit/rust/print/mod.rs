//! Prints the loop IR as Rust.
//!
//! A loop over entries becomes an iteration over a stream of all arrays read at its position. An innermost range with
//! slices becomes an iteration over them. Both are bounds-checked once, outside the loop.

mod conditions;
mod entries;
mod integers;
mod merge;
mod ranges;
mod slices;
mod sums;
mod tiles;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Names;
use crate::compiler::emit::reductions;
use crate::compiler::loops::{
    Array, Bind, Destination, Expr, Find, Found, Reduction, Segment, Stmt, TensorLevel, Var, Variables,
};
use crate::compiler::syntax::Identifiers;
use slices::Item;

/// The names of the arrays, levels and operands of a nest.
pub(crate) trait Arrays {
    /// Returns the identifier of an array.
    fn array(&self, array: Array) -> Ident;
    /// Returns the identifier of a scalar operand.
    fn scalar(&self, operand: usize) -> Ident;
    /// Returns the identifier of a function.
    fn function(&self, number: usize) -> Ident;
    /// Returns the path of the run time's root.
    fn runtime(&self) -> &TokenStream;
    /// Returns the `idx` array of a level.
    fn indices(&self, level: TensorLevel) -> Ident;
    /// Returns the `ptr` array of a level.
    fn pointers(&self, level: TensorLevel) -> Ident;
    /// Returns a loop over the parts of a partitioned tensor, with the arrays that the body uses.
    fn parts(&self, tensor: usize, numbers: &[Option<Var>], body: &TokenStream, variables: &Variables) -> TokenStream;
    /// Returns a name that no operand has.
    fn local(&self, name: &str) -> Ident;
    /// Returns the name of a level.
    fn level(&self, level: TensorLevel) -> &str;
    /// Whether the coordinates of a level are never negative.
    fn is_natural(&self, level: TensorLevel) -> bool;
}

/// Returns `use ::unisparse::__private::{entries, span};` for the run-time items that the printed loops use.
pub(crate) fn import(names: Names, private: &TokenStream, printed: &TokenStream) -> TokenStream {
    let printed = Identifiers::of(printed);
    let names = RUNTIME.iter().map(|name| names.public(name));
    let used: Vec<Ident> = names.filter(|name| printed.contain(name)).collect();
    if used.is_empty() {
        TokenStream::new()
    } else {
        quote!(use #private::{#(#used),*};)
    }
}

/// The printer of one nest.
pub(crate) struct Printer<'a, A: Arrays> {
    names: Names,
    arrays: &'a A,
    variables: &'a mut Variables,
    /// For each tensor, the variable of each level's size or given coordinate, if the level has one.
    numbers: &'a [Vec<Option<Var>>],
    /// Streams over pointers, bound before the loops.
    head: Vec<TokenStream>,
    /// Whether additions to the current sum must be recorded.
    notes_any: bool,
    /// The loops with one lower and one upper bound around the current statement, with the upper bound.
    whole: Vec<(Var, Expr)>,
    /// The element at which the current loop is.
    item: Option<Item>,
    /// The bound elements that still have their stored type.
    stored: BTreeSet<Var>,
    /// The names of the segment streams, by the position variable of the loop over them.
    segments: BTreeMap<Var, Ident>,
}

/// The run-time items that printed loops use.
pub(crate) const RUNTIME: [&str; 25] = [
    "Blocks",
    "TILE",
    "Tail",
    "Positions",
    "cells",
    "child",
    "either",
    "entries",
    "intersect",
    "prefetch",
    "tile_part",
    "span",
    "span_signed",
    "steps",
    "strided",
    "strided_signed",
    "tiles",
    "union",
    "union3",
    "union4",
    "window",
    "window_ahead",
    "window_mut",
    "within",
    "digit",
];

impl<'a, A: Arrays> Printer<'a, A> {
    pub(crate) fn new(
        names: Names,
        arrays: &'a A,
        numbers: &'a [Vec<Option<Var>>],
        variables: &'a mut Variables,
    ) -> Self {
        Printer {
            names,
            arrays,
            variables,
            numbers,
            head: Vec::new(),
            notes_any: false,
            whole: Vec::new(),
            item: None,
            stored: BTreeSet::new(),
            segments: BTreeMap::new(),
        }
    }

    /// Returns the whole nest: definitions that are bound once, then the loops.
    pub(crate) fn print(mut self, nest: &[Stmt]) -> TokenStream {
        let lets = nest.iter().take_while(|stmt| matches!(stmt, Stmt::Let { .. })).count();
        let sizes = self.block(&nest[..lets]);
        let body = self.block(&nest[lets..]);
        let head = &self.head;
        quote!(#sizes #(#head)* #body)
    }

    /// Returns a number as a `usize`.
    pub(crate) fn number(&self, expr: &Expr) -> TokenStream {
        self.usize(expr)
    }

    /// Returns the name of a run-time item, which must be in [`RUNTIME`]: see [`import`].
    fn runtime(&self, name: &str) -> Ident {
        debug_assert!(RUNTIME.contains(&name));
        self.names.public(name)
    }

    /// Returns a name for the printer's own use, which no operand has.
    fn local(&self, name: &str) -> Ident {
        self.arrays.local(name)
    }

    fn var(&self, var: Var) -> Ident {
        let name = self.variables.name(var);
        if self.variables.is_parameter(var) {
            self.names.public(name)
        } else {
            self.names.local(name)
        }
    }

    fn block(&mut self, block: &[Stmt]) -> TokenStream {
        block.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Range(range) => self.range(range),
            Stmt::Tiles(tiles) => self.tiles(tiles),
            Stmt::Entries(entries) => self.entries(entries),
            Stmt::Bind(Bind { var, value }) => {
                let (name, value) = (self.var(*var), self.value(value));
                quote!(let #name = #value;)
            }
            Stmt::Let { var, value } => {
                let name = self.var(*var);
                let value = if self.variables.is_natural(*var) {
                    self.clamped(value)
                } else {
                    self.isize(value)
                };
                quote!(let #name = #value;)
            }
            Stmt::Lookup { level, var, at, .. } => {
                let (name, indices, at) = (self.var(*var), self.arrays.indices(*level), self.usize(at));
                let read = self.names.public(if self.variables.is_natural(*var) {
                    "coordinate"
                } else {
                    "offset"
                });
                quote!(let #name = #indices.#read(#at);)
            }
            Stmt::Merge(merge) => self.merge(merge),
            Stmt::Parallel(_) => {
                unreachable!("the outermost loop alone is parallel: what stands around the loops prints it")
            }
            Stmt::Parts { tensor, body, .. } => {
                let outside = std::mem::take(&mut self.head);
                let body = self.block(body);
                let head = std::mem::replace(&mut self.head, outside);
                let numbers = self.numbers.get(*tensor).map_or(&[][..], Vec::as_slice);
                self.arrays
                    .parts(*tensor, numbers, &quote!(#(#head)* #body), self.variables)
            }
            Stmt::First {
                level,
                within,
                to,
                body,
            } => {
                let (first, positions) = (self.var(*to), self.segment(*level, within));
                let body = self.block(body);
                quote!(if let ::core::option::Option::Some(#first) = #positions.next() { #body })
            }
            Stmt::Open { finder, level, within } => {
                let (name, indices, range) = (
                    self.var(*finder),
                    self.arrays.indices(*level),
                    self.segment(*level, within),
                );
                quote!(let mut #name = #indices.finder(#range);)
            }
            Stmt::Between {
                level,
                within,
                lows,
                highs,
                to,
            } => {
                let (name, indices, range) = (self.var(*to), self.arrays.indices(*level), self.segment(*level, within));
                let bounds = |bounds: &[Expr]| bounds.iter().map(|bound| self.isize(bound)).collect::<Vec<_>>();
                let (lows, highs) = (bounds(lows), bounds(highs));
                quote!(let #name = #indices.between(#range, &[#(#lows),*], &[#(#highs),*]);)
            }
            Stmt::Find(find) => self.find(find),
            Stmt::Step {
                from, size, offset, to, ..
            } => {
                let (child, from, to) = (self.runtime("child"), self.var(*from), self.var(*to));
                let (size, offset) = (self.usize(size), self.usize(offset));
                quote!(let #to = #child(&#from, #size, #offset);)
            }
            Stmt::If { conditions, body } => {
                let conditions: Vec<TokenStream> =
                    conditions.iter().map(|condition| self.condition(condition)).collect();
                let body = self.block(body);
                quote!(if #(#conditions)&&* { #body })
            }
            Stmt::Accumulate {
                place,
                reduction,
                value,
            } => {
                if value.is_optional() {
                    let (maybe, name) = (self.maybe(value), self.local("value"));
                    let added = self.accumulate(place, *reduction, &quote!(#name));
                    quote!(if let ::core::option::Option::Some(#name) = #maybe { #added })
                } else {
                    let value = self.value(value);
                    self.accumulate(place, *reduction, &value)
                }
            }
            Stmt::Sum {
                body,
                reduction,
                into,
                unrolled,
            } => {
                let outside = std::mem::replace(
                    &mut self.notes_any,
                    matches!(into, Destination::Output { sure: false, .. }),
                );
                let body = self.sum(body, *reduction, into, *unrolled);
                let any = std::mem::replace(&mut self.notes_any, outside).then(|| self.local("any"));
                let put = self.put(into, *reduction);
                match any {
                    Some(any) => quote!(let mut #any = false; #body if #any { #put }),
                    None => quote!(#body #put),
                }
            }
            Stmt::Fiber { outer, extents, body } => {
                let body = self.block(body);
                let (workspace, fiber, output) = (self.local("workspace"), self.local("fiber"), self.local("output"));
                let outer: Vec<TokenStream> = outer.iter().map(|at| self.usize(at)).collect();
                let give = if let [_] = extents.as_slice() {
                    quote!(#fiber.append_to(&mut #output, [#(#outer,)* 0]);)
                } else {
                    let (at, sum) = (self.local("at"), self.local("sum"));
                    let inner = (0..extents.len()).map(|digit| {
                        let below: Vec<TokenStream> =
                            extents[digit + 1..].iter().map(|extent| self.usize(extent)).collect();
                        let (number, extent) = (self.runtime("digit"), self.usize(&extents[digit]));
                        quote!(#number(#at, &[#(#below),*], #extent))
                    });
                    quote!(#fiber.drain(|#at, #sum| #output.append([#(#outer,)* #(#inner),*], T::narrow(#sum)));)
                };
                quote!(let mut #fiber = #workspace.open(); #fiber.fill(#[inline(always)] |#fiber| { #body }); #give)
            }
            Stmt::Fill { array, at, count } => {
                let (array, at, count) = (self.arrays.array(*array), self.usize(at), self.usize(count));
                let zero = identity(Reduction::Plus, self.arrays.runtime());
                quote!(#array[#at..][..#count].fill(#zero);)
            }
            Stmt::Maybe { number, body } => {
                let body = self.block(body);
                let found = self.found(*number);
                quote!(let mut #found = ::core::option::Option::None; #body)
            }
            Stmt::Visit {
                coordinate,
                value,
                holes,
            } => {
                let value = self.stored_value(value);
                self.visit(coordinate, &value, *holes)
            }
            Stmt::Count(count) => {
                let (steps, all) = (self.runtime("steps"), self.span(true, &count.lows, &count.highs));
                let (var, usual, body) = (self.var(count.var), self.usize(&count.usual), self.block(&count.body));
                quote!(#steps(#all.len(), #usual, #[inline(always)] |#var| { #body });)
            }
        }
    }

    /// Returns the variable that holds the value of a lookup.
    fn found(&self, number: usize) -> Ident {
        self.local(&format!("found_{number}"))
    }

    /// Returns the positions of a segment.
    fn segment(&self, level: TensorLevel, segment: &Segment) -> TokenStream {
        match segment {
            Segment::All => {
                let indices = self.arrays.indices(level);
                quote!(0..#indices.len())
            }
            Segment::Of(parent) => {
                let (pointers, parent) = (self.arrays.pointers(level), self.usize(parent));
                quote!(#pointers.range(#parent))
            }
            Segment::Between(low, high) => {
                let (low, high) = (self.usize(low), self.usize(high));
                quote!(#low..#high)
            }
            Segment::Run(range) => {
                let range = self.var(*range);
                quote!(#range.clone())
            }
            Segment::Below(range) => {
                let (pointers, range) = (self.arrays.pointers(level), self.var(*range));
                quote!(#pointers.below(&#range))
            }
        }
    }

    fn find(&mut self, find: &Find) -> TokenStream {
        let finder = self.var(find.finder);
        // Coordinates are compared as unsigned only if the level's are natural too: `0` may be searched among negative
        // diagonals.
        let natural = self.arrays.is_natural(find.level) && find.coordinate.is_natural(self.variables);
        let coordinate = if natural {
            self.usize(&find.coordinate)
        } else {
            self.isize(&find.coordinate)
        };
        let name =
            |natural: bool, unsigned: &str, signed: &str| self.names.public(if natural { unsigned } else { signed });
        let (one, run) = (name(natural, "find", "find_signed"), name(natural, "run", "run_signed"));
        match find.found {
            Found::Position(at) => {
                let at = self.var(at);
                let body = self.block(&find.body);
                quote!(if let ::core::option::Option::Some(#at) = #finder.#one(#coordinate) { #body })
            }
            Found::Run(first, end) => {
                let (first, end) = (self.var(first), self.var(end));
                let body = self.block(&find.body);
                quote! {
                    if let ::core::option::Option::Some(::core::ops::Range { start: #first, end: #end }) = #finder.#run(#coordinate) {
                        #body
                    }
                }
            }
            Found::Any { range, runs: true } => {
                let (range, body) = (self.var(range), self.block(&find.body));
                quote!(let #range = #finder.#run(#coordinate).unwrap_or(0..0); #body)
            }
            Found::Any { range, runs: false } => {
                let (range, body) = (self.var(range), self.block(&find.body));
                quote!(let #range = #finder.#one(#coordinate).map_or(0..0, |at| at..at + 1); #body)
            }
        }
    }

    fn visit(&self, coordinate: &[Expr], value: &TokenStream, holes: bool) -> TokenStream {
        let coordinate: Vec<TokenStream> = coordinate.iter().map(|dim| self.usize(dim)).collect();
        let visit = self.local("visit");
        let call = quote!(#visit([#(#coordinate),*], #value););
        if holes {
            quote!(if !#value.reads_zero() { #call })
        } else {
            call
        }
    }
}

/// Returns the identity of a reduction of the kernel's sums; `None` for a conjunction.
pub(crate) fn identity(reduction: Reduction, runtime: &TokenStream) -> Option<TokenStream> {
    reductions::identity(reduction, &quote!(T::Sum), runtime)
}

/// Returns the reduction of both values.
pub(crate) fn reduced(reduction: Reduction, left: &TokenStream, right: &TokenStream) -> TokenStream {
    match reduction {
        Reduction::Plus => quote!(#left.plus(#right)),
        Reduction::Min => quote!(#left.lesser(#right)),
        Reduction::Max => quote!(#left.greater(#right)),
        Reduction::Or => quote!(#left | #right),
        Reduction::And => quote!(#left & #right),
    }
}

/// Returns a count as a literal without a suffix.
pub(crate) fn count(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

/// Returns an integer literal without a suffix.
pub(crate) fn integer(value: i128) -> TokenStream {
    let literal = Literal::u128_unsuffixed(value.unsigned_abs());
    if value < 0 { quote!(-#literal) } else { quote!(#literal) }
}
