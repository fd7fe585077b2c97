//! The loop IR as Rust.
//!
//! A pass over entries becomes an iteration over a stream of all arrays read at its position; an innermost
//! range whose accesses move with it becomes an iteration over slices. Both are checked once, outside.

mod conditions;
mod entries;
mod integers;
mod merge;
mod ranges;
mod sums;
mod tiles;
mod values;
mod windows;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Names;
use crate::compiler::loops::{Array, Bind, Expr, Find, Found, Level, Reduction, Segment, Stmt, Target, Var, Variables};
use crate::compiler::syntax::mentions;

/// What the printer calls the arrays, levels and operands of a nest.
pub(crate) trait Arrays {
    /// The identifier of an array.
    fn array(&self, array: Array) -> Ident;
    /// The identifier of a scalar operand.
    fn scalar(&self, operand: usize) -> Ident;
    /// The identifier of a function.
    fn function(&self, number: usize) -> Ident;
    /// The path of the run time's root.
    fn runtime(&self) -> &TokenStream;
    /// The `idx` array of a level.
    fn indices(&self, level: Level) -> Ident;
    /// The `ptr` array of a level, and the name of its parent.
    fn pointers(&self, level: Level) -> Ident;
    /// Whether the values are items of tuples: a stream, not a slice.
    fn values_are_packed(&self, tensor: usize) -> bool;
    /// A loop over the parts of a tensor that is cut apart, with the arrays that the body uses.
    fn parts(&self, tensor: usize, numbers: &[Option<Var>], body: &TokenStream, variables: &Variables) -> TokenStream;
    /// A name that is not that of an operand.
    fn local(&self, name: &str) -> Ident;
    /// The level's name.
    fn level(&self, level: Level) -> &str;
    /// Whether the level's coordinates are never negative.
    fn is_natural(&self, level: Level) -> bool;
}

/// `use ::unisparse::__private::{entries, span};`, of what the printed loops call.
pub(crate) fn import(names: Names, private: &TokenStream, printed: &TokenStream) -> TokenStream {
    let used: Vec<Ident> = RUNTIME
        .iter()
        .map(|name| names.public(name))
        .filter(|name| mentions(printed, name))
        .collect();
    if used.is_empty() {
        TokenStream::new()
    } else {
        quote!(use #private::{#(#used),*};)
    }
}

/// A printer of one nest.
pub(crate) struct Printer<'a, A: Arrays> {
    names: Names,
    arrays: &'a A,
    variables: &'a mut Variables,
    /// Of each tensor, the number of each level that has one.
    numbers: &'a [Vec<Option<Var>>],
    /// Streams over pointers, bound before the loops.
    head: Vec<TokenStream>,
    /// Whether it has to be noted that something was added to the sum.
    notes_any: bool,
    /// What the values in scope are called.
    scope: Vec<String>,
    /// The loops from zero to a size that the statement printed stands in.
    whole: Vec<(Var, Expr)>,
    /// How many neighbours and rows are in the tile that the statement printed stands in.
    tile: Vec<Var>,
    /// The tensors whose values are those of a block where the statement printed stands.
    blocks: Vec<usize>,
    /// Loops whose numbers are counted outside of loops around them.
    counted: Vec<Var>,
    /// The number of the first element of the output that the loops own, if they do not get all.
    first: Option<Expr>,
    /// The bound elements that are as they are stored.
    stored: BTreeSet<Var>,
    /// What the segments are called that passes go over one after another, by the position of the pass.
    segments: BTreeMap<Var, Ident>,
}

/// What printed loops call of the run time.
pub(crate) const RUNTIME: [&str; 24] = [
    "Blocks",
    "TILE",
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
            scope: Vec::new(),
            whole: Vec::new(),
            tile: Vec::new(),
            blocks: Vec::new(),
            counted: Vec::new(),
            first: None,
            stored: BTreeSet::new(),
            segments: BTreeMap::new(),
        }
    }

    /// The same, for loops that add to the part of the output from a coordinate on.
    pub(crate) fn of_part(self, first: Option<Expr>) -> Self {
        Printer { first, ..self }
    }

    /// The whole nest: what is bound once, then the loops.
    pub(crate) fn print(mut self, nest: &[Stmt]) -> TokenStream {
        let lets = nest.iter().take_while(|stmt| matches!(stmt, Stmt::Let { .. })).count();
        let sizes = self.block(&nest[..lets]);
        let body = self.block(&nest[lets..]);
        let head = &self.head;
        quote!(#sizes #(#head)* #body)
    }

    /// A number as a `usize`.
    pub(crate) fn number(&self, expr: &Expr) -> TokenStream {
        self.usize(expr)
    }

    /// A function of the run time: see [`import`].
    fn runtime(&self, name: &str) -> Ident {
        debug_assert!(RUNTIME.contains(&name));
        self.names.public(name)
    }

    /// A name of the printer's own, which is not that of an operand.
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
        let outside = self.scope.len();
        let mut printed = TokenStream::new();
        for stmt in block {
            printed.extend(self.stmt(stmt));
            if let Stmt::Bind(bind) = stmt {
                self.scope.push(self.variables.name(bind.var).to_owned());
            }
        }
        self.scope.truncate(outside);
        printed
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
                let outside =
                    std::mem::replace(&mut self.notes_any, matches!(into, Target::Output { sure: false, .. }));
                let body = self.sum(body, *reduction, *unrolled);
                let any = std::mem::replace(&mut self.notes_any, outside).then(|| self.local("any"));
                let sum = self.local("sum");
                let put = match into {
                    Target::Element { array, at, store } => {
                        let (array, at) = (self.arrays.array(*array), self.usize(at));
                        let value = if *store {
                            quote!(#sum)
                        } else {
                            reduced(*reduction, &quote!(#array[#at]), &quote!(#sum))
                        };
                        quote!(#array[#at] = #value;)
                    }
                    Target::Output { coordinate, .. } => self.append(coordinate, &quote!(#sum)),
                    Target::Total => {
                        let total = self.local("total");
                        let value = reduced(*reduction, &quote!(#total), &quote!(#sum));
                        quote!(#total = #value;)
                    }
                };
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
            Stmt::Visit { coordinate, at, holes } => {
                let values = self.arrays.array(Array::Values(0));
                let at = self.usize(at);
                self.visit(coordinate, &quote!(#values[#at]), *holes)
            }
        }
    }

    /// The value of a lookup.
    fn found(&self, number: usize) -> Ident {
        self.local(&format!("found_{number}"))
    }

    /// The positions of a segment.
    fn segment(&self, level: Level, segment: &Segment) -> TokenStream {
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
        // What is compared decides, not what is asked for: the `0` of a diagonal stands among negative ones.
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

/// What leaves the other value of a reduction as it is, NaN too; a conjunction has nothing.
pub(crate) fn identity(reduction: Reduction, runtime: &TokenStream) -> Option<TokenStream> {
    match reduction {
        Reduction::Plus | Reduction::Or => Some(quote!(<T::Sum as #runtime::Scalar>::ZERO)),
        Reduction::Min => Some(quote!(<T::Sum as #runtime::Ordered>::NO_LESSER)),
        Reduction::Max => Some(quote!(<T::Sum as #runtime::Ordered>::NO_GREATER)),
        Reduction::And => None,
    }
}

/// What a scalar output starts from.
pub(crate) fn start(reduction: Reduction, runtime: &TokenStream) -> Option<TokenStream> {
    match reduction {
        Reduction::Min => Some(quote!(<T::Sum as #runtime::Ordered>::GREATEST)),
        Reduction::Max => Some(quote!(<T::Sum as #runtime::Ordered>::LEAST)),
        Reduction::Plus | Reduction::Or | Reduction::And => identity(reduction, runtime),
    }
}

/// Both values in one.
pub(crate) fn reduced(reduction: Reduction, left: &TokenStream, right: &TokenStream) -> TokenStream {
    match reduction {
        Reduction::Plus => quote!(#left.plus(#right)),
        Reduction::Min => quote!(#left.lesser(#right)),
        Reduction::Max => quote!(#left.greater(#right)),
        Reduction::Or => quote!(#left | #right),
        Reduction::And => quote!(#left & #right),
    }
}

/// A count as a literal without a suffix.
pub(crate) fn count(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

/// An integer literal without a suffix.
pub(crate) fn integer(value: i128) -> TokenStream {
    let literal = Literal::u128_unsuffixed(value.unsigned_abs());
    if value < 0 { quote!(-#literal) } else { quote!(#literal) }
}
