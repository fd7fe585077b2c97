//! Ranges: loops over numbers, or over slices where every access moves with the number.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

use super::{Arrays, Printer, reduced};
use crate::compiler::loops::{Array, Expr, Level, Place, Range, Stmt, Value, Var};
use crate::compiler::syntax::mentions;

/// Slices that an innermost range is iterated over in step.
struct Windows {
    /// The name of the range.
    over: Ident,
    lets: Vec<TokenStream>,
    /// The pattern and the iterator of each.
    sides: Vec<(TokenStream, TokenStream)>,
}

/// A coordinate looked up inside an innermost range.
struct Lookup<'a> {
    level: Level,
    var: Var,
    at: &'a Expr,
}

impl<'a> Lookup<'a> {
    fn new(stmt: &'a Stmt) -> Option<Self> {
        match stmt {
            Stmt::Lookup { level, var, at } => Some(Lookup {
                level: *level,
                var: *var,
                at,
            }),
            _ => None,
        }
    }
}

/// What an innermost range adds to.
enum Target {
    Item(Ident),
    Cell(Ident),
}

impl Windows {
    /// The loop over all of them.
    fn print(self, bounds: &TokenStream, body: &TokenStream) -> TokenStream {
        let Windows { over, lets, sides } = self;
        let mut sides = sides.into_iter();
        let Some((mut pattern, mut iterator)) = sides.next() else {
            return quote!(for _ in #bounds { #body });
        };
        for (at, (next, side)) in sides.enumerate() {
            iterator = if at == 0 {
                quote!(#iterator.into_iter().zip(#side))
            } else {
                quote!(#iterator.zip(#side))
            };
            pattern = quote!((#pattern, #next));
        }
        quote! {
            let #over = #bounds;
            #(#lets)*
            for #pattern in #iterator { #body }
        }
    }
}

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
        let body = self.block(&range.body);
        if whole {
            self.whole.pop();
        }
        quote!(for #var in #numbers { #body })
    }

    /// The numbers a range runs over.
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

    fn bounds(&self, range: &Range) -> TokenStream {
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

    /// An innermost range as an iteration over slices, if every access stands still or moves with it.
    ///
    /// What is looked up moves with it, too: a read at a coordinate itself becomes part of the iteration.
    fn windows(&mut self, range: &Range, lookups: &[Stmt], leaf: &Stmt) -> Option<TokenStream> {
        let mut leaf = leaf.clone();
        let lookups: Vec<Lookup<'_>> = lookups.iter().map(Lookup::new).collect::<Option<_>>()?;
        let mut windows = Windows {
            over: self.local(&format!("{}_range", self.variables.name(range.var))),
            lets: Vec::new(),
            sides: Vec::new(),
        };
        let target = match &leaf {
            Stmt::Accumulate {
                place: Place::Element(array, at),
                ..
            } => {
                let array = self.arrays.array(*array);
                Some(match self.looked_up(&lookups, at) {
                    Some(lookup) => {
                        let (cells, indices) = (self.runtime("cells"), self.arrays.indices(lookup.level));
                        let name = self.local(&format!("{array}_cell"));
                        let stream = quote!(#indices.scatter(#cells(#array)));
                        self.within(&mut windows, range, &stream, lookup.at, &name)?;
                        Target::Cell(name)
                    }
                    None => {
                        let name = self.local(&format!("{array}_item"));
                        self.window(&mut windows, range, &array, at, &quote!(#name), true)?;
                        Target::Item(name)
                    }
                })
            }
            _ => None,
        };
        let visited = match &leaf {
            Stmt::Visit { at, .. } => {
                let name = self.local("value");
                self.read(&mut windows, range, Array::Values(0), at, &name)?;
                Some(name)
            }
            _ => None,
        };
        let mut loads = Vec::new();
        leaf.for_each_value(&mut |value| {
            if let Value::Load(array, at) = value {
                loads.push((*array, at.clone()));
            }
        });
        loads.dedup();
        for (array, at) in loads {
            let taken: Vec<String> = windows
                .sides
                .iter()
                .flat_map(|(pattern, _)| names_in(pattern))
                .collect();
            let name = self.item(array, &taken);
            let local = self.local(&name);
            match self
                .looked_up(&lookups, &at)
                .filter(|_| matches!(array, Array::Dense(_)))
            {
                Some(lookup) => {
                    let (indices, source) = (self.arrays.indices(lookup.level), self.arrays.array(array));
                    let stream = quote!(#indices.gather(#source));
                    self.within(&mut windows, range, &stream, lookup.at, &local)?;
                }
                None => self.read(&mut windows, range, array, &at, &local)?,
            }
            leaf.for_each_value(&mut |value| {
                if *value == Value::Load(array, at.clone()) {
                    *value = Value::Local(name.clone());
                }
            });
        }
        for lookup in &lookups {
            let read = match &leaf {
                Stmt::Visit { coordinate, .. } => coordinate.iter().any(|dim| dim.uses(lookup.var)),
                _ => false,
            };
            if read {
                let (name, indices) = (self.var(lookup.var), self.arrays.indices(lookup.level));
                let kind = self.names.public(if self.variables.is_natural(lookup.var) {
                    "coordinates"
                } else {
                    "offsets"
                });
                self.within(&mut windows, range, &quote!(#indices.#kind()), lookup.at, &name)?;
            }
        }
        let inner = match &leaf {
            Stmt::Accumulate {
                place,
                reduction,
                value,
            } => {
                let value = self.value(value);
                match target {
                    Some(Target::Item(target)) => {
                        let reduced = reduced(*reduction, &quote!((*#target)), &value);
                        quote!(*#target = #reduced;)
                    }
                    Some(Target::Cell(target)) => {
                        let reduced = reduced(*reduction, &quote!(#target.get()), &value);
                        quote!(#target.set(#reduced);)
                    }
                    None => self.accumulate(place, *reduction, &value),
                }
            }
            Stmt::Visit { coordinate, holes, .. } => {
                if coordinate.iter().any(|dim| dim.uses(range.var)) {
                    let (var, over) = (self.var(range.var), &windows.over);
                    windows.sides.insert(0, (quote!(#var), quote!(#over.clone())));
                }
                let value = visited?;
                self.visit(coordinate, &quote!(#value), *holes)
            }
            _ => return None,
        };
        Some(windows.print(&self.bounds(range), &inner))
    }

    /// The lookup whose coordinate this is, if a stream can be read at it.
    fn looked_up<'l>(&self, lookups: &'l [Lookup<'l>], at: &Expr) -> Option<&'l Lookup<'l>> {
        lookups
            .iter()
            .find(|lookup| *at == Expr::Var(lookup.var) && self.variables.is_natural(lookup.var))
    }

    /// The part of an array that an innermost range reads, if the access moves with it.
    fn read(&self, windows: &mut Windows, range: &Range, array: Array, at: &Expr, name: &Ident) -> Option<()> {
        let source = self.arrays.array(array);
        if matches!(array, Array::Values(tensor) if self.arrays.values_are_packed(tensor)) {
            return self.within(windows, range, &quote!(#source), at, name);
        }
        self.window(windows, range, &source, at, &quote!(&#name), false)
    }

    /// The part of a stream that an innermost range reads, if its position moves with the range.
    fn within(
        &self,
        windows: &mut Windows,
        range: &Range,
        stream: &TokenStream,
        at: &Expr,
        name: &Ident,
    ) -> Option<()> {
        let Some((Expr::Int(1), rest)) = at.split(range.var) else {
            return None;
        };
        let (offset, over, within) = (self.isize(&rest), &windows.over, self.runtime("within"));
        windows
            .sides
            .push((quote!(#name), quote!(#within(#stream, #over.clone(), #offset))));
        Some(())
    }

    /// The part of an array that an innermost range reads or writes, if the access moves with it.
    fn window(
        &self,
        windows: &mut Windows,
        range: &Range,
        array: &Ident,
        at: &Expr,
        pattern: &TokenStream,
        mutable: bool,
    ) -> Option<()> {
        let Some((Expr::Int(1), rest)) = at.split(range.var) else {
            return None;
        };
        let offset = self.isize(&rest);
        let over = &windows.over;
        let window = self.runtime(if mutable { "window_mut" } else { "window" });
        let name = self.local(&format!("{array}_window"));
        let name = if windows.lets.iter().any(|binding| mentions(binding, &name)) {
            self.local(&format!("{array}_window_{}", windows.lets.len()))
        } else {
            name
        };
        windows
            .lets
            .push(quote!(let #name = #window(#array, #over.clone(), #offset);));
        windows.sides.push((pattern.clone(), quote!(#name)));
        Some(())
    }
}

/// Whether a statement is one that slices can be iterated over for: it needs no coordinates, and its value is sure.
fn is_windowed(leaf: &Stmt) -> bool {
    match leaf {
        Stmt::Accumulate { place, value, .. } => {
            matches!(place, Place::Element(..) | Place::Sum) && !value.is_optional()
        }
        _ => true,
    }
}

/// The names that a pattern binds.
fn names_in(pattern: &TokenStream) -> Vec<String> {
    pattern
        .clone()
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(ident) => vec![ident.to_string()],
            TokenTree::Group(group) => names_in(&group.stream()),
            _ => Vec::new(),
        })
        .collect()
}
