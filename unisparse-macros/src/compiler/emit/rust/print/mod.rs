//! The loop IR as Rust.
//!
//! A pass over entries becomes an iteration over a stream of all arrays read at its position; an innermost
//! range whose accesses move with it becomes an iteration over slices. Both are checked once, outside.

mod entries;
mod integers;
mod ranges;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Names;
use crate::compiler::loops::{Array, Condition, Expr, Place, Stmt, Value, Var, Variables};
use crate::compiler::syntax::mentions;

/// What the printer calls the arrays and levels of a nest.
pub(crate) trait Arrays {
    /// The identifier of an array.
    fn array(&self, array: Array) -> Ident;
    /// The identifier of a scalar operand.
    fn scalar(&self, number: usize) -> Ident;
    /// The `idx` array of a level.
    fn indices(&self, level: usize) -> Ident;
    /// The `ptr` array of a level, and the name of its parent.
    fn pointers(&self, level: usize) -> Ident;
    /// Whether the values are items of tuples: a stream, not a slice.
    fn values_are_packed(&self) -> bool;
    /// A name that is not that of an operand.
    fn local(&self, name: &str) -> Ident;
    /// The level's name.
    fn level(&self, level: usize) -> &str;
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
    /// Streams over pointers, bound before the loops.
    head: Vec<TokenStream>,
    /// The loops from zero to a size that the statement printed stands in.
    whole: Vec<(Var, Expr)>,
}

/// What printed loops call of the run time.
pub(crate) const RUNTIME: [&str; 10] = [
    "Positions",
    "cells",
    "entries",
    "span",
    "span_signed",
    "strided",
    "strided_signed",
    "window",
    "window_mut",
    "within",
];

impl<'a, A: Arrays> Printer<'a, A> {
    pub(crate) fn new(names: Names, arrays: &'a A, variables: &'a mut Variables) -> Self {
        Printer {
            names,
            arrays,
            variables,
            head: Vec::new(),
            whole: Vec::new(),
        }
    }

    /// The whole nest: what is bound once, then the loops.
    pub(crate) fn print(mut self, nest: &[Stmt]) -> TokenStream {
        let lets = nest.iter().take_while(|stmt| matches!(stmt, Stmt::Let { .. })).count();
        let sizes = self.block(&nest[..lets]);
        let body = self.block(&nest[lets..]);
        let head = &self.head;
        quote!(#sizes #(#head)* #body)
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
        block.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Range(_) | Stmt::Entries(_) => {
                let (hoisted, stmt) = self.hoist_loads(stmt);
                let printed = match &stmt {
                    Stmt::Range(range) => self.range(range),
                    Stmt::Entries(entries) => self.entries(entries),
                    _ => unreachable!("hoisting keeps the kind of a statement"),
                };
                quote!(#hoisted #printed)
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
            Stmt::Lookup { level, var, at } => {
                let (name, indices, at) = (self.var(*var), self.arrays.indices(*level), self.usize(at));
                let read = self.names.public(if self.variables.is_natural(*var) {
                    "coordinate"
                } else {
                    "offset"
                });
                quote!(let #name = #indices.#read(#at);)
            }
            Stmt::If { conditions, body } => {
                let conditions: Vec<TokenStream> =
                    conditions.iter().map(|condition| self.condition(condition)).collect();
                let body = self.block(body);
                quote!(if #(#conditions)&&* { #body })
            }
            Stmt::Accumulate { place, value } => {
                let value = self.value(value);
                match place {
                    Place::Sum => {
                        let sum = self.local("sum");
                        quote!(#sum = #sum.plus(#value);)
                    }
                    Place::Element(array, at) => {
                        let (array, at) = (self.arrays.array(*array), self.usize(at));
                        quote!(#array[#at] = #array[#at].plus(#value);)
                    }
                }
            }
            Stmt::Sum { body, array, at, store } => {
                let body = self.sum(body);
                let (array, at, sum) = (self.arrays.array(*array), self.usize(at), self.local("sum"));
                let value = if *store {
                    quote!(#sum)
                } else {
                    quote!(#array[#at].plus(#sum))
                };
                quote!(#body #array[#at] = #value;)
            }
            Stmt::Visit { coordinate, at, holes } => {
                let values = self.arrays.array(Array::Values);
                let at = self.usize(at);
                self.visit(coordinate, &quote!(#values[#at]), *holes)
            }
        }
    }

    /// `let mut sum = ZERO; body`
    fn sum(&mut self, body: &[Stmt]) -> TokenStream {
        let body = self.block(body);
        let sum = self.local("sum");
        quote!(let mut #sum = T::ZERO; #body)
    }

    fn visit(&self, coordinate: &[Expr], value: &TokenStream, holes: bool) -> TokenStream {
        let coordinate: Vec<TokenStream> = coordinate.iter().map(|dim| self.usize(dim)).collect();
        let visit = self.local("visit");
        let call = quote!(#visit([#(#coordinate),*], #value););
        if holes {
            quote!(if !#value.is_zero() { #call })
        } else {
            call
        }
    }

    fn condition(&self, condition: &Condition) -> TokenStream {
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
            Condition::Divisible(expr, divisor) => {
                if expr.is_natural(self.variables) {
                    let (expr, divisor) = (self.usize(expr), self.usize(divisor));
                    quote!((#expr) % #divisor == 0)
                } else {
                    let (expr, divisor) = (self.isize(expr), self.isize(divisor));
                    quote!((#expr) % (#divisor) == 0)
                }
            }
        }
    }

    // ---- values ----

    fn value(&self, value: &Value) -> TokenStream {
        match value {
            Value::Load(array, at) => {
                let (array, at) = (self.arrays.array(*array), self.usize(at));
                quote!(#array[#at])
            }
            Value::Scalar(number) => {
                let scalar = self.arrays.scalar(*number);
                quote!(#scalar)
            }
            Value::Local(name) => {
                let name = self.local(name);
                quote!(#name)
            }
            Value::Product(factors) => {
                let mut factors = factors.iter().map(|factor| self.value(factor));
                let first = factors.next().unwrap_or_else(|| quote!(T::ONE));
                factors.fold(first, |product, factor| quote!(#product.times(#factor)))
            }
        }
    }

    /// What an item of this array is called: the operand's name, or `value`.
    fn item(&mut self, array: Array) -> String {
        match array {
            // One value at a time is in scope, so it never needs another name.
            Array::Values => "value".to_owned(),
            Array::Dense(_) => format!("{}_item", self.arrays.array(array)),
        }
    }

    /// Reads that no variable of the loop moves, bound before it.
    fn hoist_loads(&mut self, stmt: &Stmt) -> (TokenStream, Stmt) {
        let mut stmt = stmt.clone();
        let bound = stmt.bound();
        let mut lets = Vec::new();
        let mut seen: Vec<(Array, Expr, String)> = Vec::new();
        stmt.for_each_value(&mut |value| {
            let Value::Load(array, at) = value else { return };
            if at.uses_any(&bound) || matches!(at, Expr::Int(_)) {
                return;
            }
            let known = seen.iter().find(|(other, expr, _)| other == array && expr == at);
            let name = match known {
                Some((_, _, name)) => name.clone(),
                None => {
                    let mut name = self.item(*array);
                    if seen.iter().any(|(_, _, taken)| *taken == name) {
                        name = format!("{name}_{}", seen.len());
                    }
                    let (place, source, index) = (self.local(&name), self.arrays.array(*array), self.usize(at));
                    lets.push(quote!(let #place = #source[#index];));
                    seen.push((*array, at.clone(), name.clone()));
                    name
                }
            };
            *value = Value::Local(name);
        });
        (lets.into_iter().collect(), stmt)
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
