//! Prints passes over entries as iterations over a stream that combines all arrays read at the entries' position.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::{Arrays, Printer, reduced};
use crate::compiler::loops::{
    Array, Bind, Condition, Entries, Expr, Level, Place, Prefetch, Segment, Stmt, Target, Value, Var,
};

/// Maximum number of streams in a run-time tuple.
pub(super) const STREAMS: usize = 10;

/// A name for an item of one stream of a pass.
struct Item {
    name: Ident,
    stream: TokenStream,
}

/// The iteration of a pass: pattern, iterator and body.
pub(super) struct Pass {
    pub(super) pattern: TokenStream,
    pub(super) iterator: TokenStream,
    pub(super) inner: TokenStream,
}

impl<A: Arrays> Printer<'_, A> {
    pub(super) fn entries(&mut self, entries: &Entries) -> TokenStream {
        let mut summed = None;
        let is_visit = matches!(entries.body[..], [Stmt::Visit { .. }]);
        let Pass {
            pattern,
            iterator,
            inner,
        } = self.pass(entries, |printer, body| {
            summed = printer.summed(body);
            printer.block(body)
        });
        match summed {
            Some((element, combined)) => {
                let fiber = self.local("fiber");
                quote!(#fiber.extend(#iterator.map(|#pattern| #element), #combined);)
            }
            // Long passes use internal iteration; for those below a parent, the parent prefetches.
            None if is_visit && !matches!(entries.within, Segment::Of(_)) => {
                quote!(#iterator.each(#[inline(always)] |#pattern| { #inner });)
            }
            None => quote!(for #pattern in #iterator { #inner }),
        }
    }

    /// Returns the pass, with its body printed by `print`.
    pub(super) fn pass(&mut self, entries: &Entries, print: impl FnOnce(&mut Self, &[Stmt]) -> TokenStream) -> Pass {
        let mut entries = entries.clone();
        let tensor = entries.tensor;
        let level_of = |level: usize| Level { tensor, level };
        let mut items = Vec::new();
        let mut body = std::mem::take(&mut entries.body);
        let widened = self.stream_loads(&entries, &body, &mut items);
        let in_blocks = self.stream_blocks(&entries, &mut body, &mut items);
        self.blocks.extend(in_blocks.then_some(tensor));
        let scattered = self.stream_place(&entries, &body, &mut items);
        let visited = self.stream_visit(&entries, &body, &mut items);
        let used = |var: Var| {
            let in_body = |stmt: &Stmt| match stmt {
                // The place of a cell and the value from a stream are not looked up any more.
                Stmt::Accumulate {
                    place: Place::Element(..),
                    value,
                    ..
                } if scattered.is_some() => value.uses(var),
                Stmt::Sum { body, .. } if scattered.is_some() => body.iter().any(|stmt| stmt.uses(var)),
                Stmt::Visit { coordinate, .. } if visited.is_some() => coordinate.iter().any(|dim| dim.uses(var)),
                stmt => stmt.uses(var),
            };
            body.iter().any(in_body)
        };
        let mut known = Vec::new();
        for &(level, var) in &entries.coordinates {
            if used(var) {
                let indices = self.arrays.indices(level_of(level));
                let kind = if self.variables.is_natural(var) {
                    "coordinates"
                } else {
                    "offsets"
                };
                let kind = self.names.public(kind);
                known.push(Item {
                    name: self.var(var),
                    stream: quote!(#indices.#kind()),
                });
            }
        }
        if used(entries.position) {
            let positions = self.runtime("Positions");
            known.insert(
                0,
                Item {
                    name: self.var(entries.position),
                    stream: quote!(#positions),
                },
            );
        }
        items.splice(0..0, known);
        let outside = self.scope.len();
        self.scope.extend(items.iter().map(|item| item.name.to_string()));
        let inner = match (scattered, visited) {
            (Some(cell), _) => self.scatter(&body, &cell),
            (None, Some(value)) => match body.as_slice() {
                [Stmt::Visit { coordinate, holes, .. }] => self.visit(coordinate, &quote!(#value), *holes),
                _ => unreachable!("only a single visit is streamed"),
            },
            (None, None) => print(self, &body),
        };
        let inner = quote!(#widened #inner);
        self.scope.truncate(outside);
        self.blocks.truncate(self.blocks.len() - usize::from(in_blocks));
        let (pattern, stream) = match items.as_slice() {
            [] => {
                let positions = self.runtime("Positions");
                (quote!(_), quote!(#positions))
            }
            [Item { name, stream }] => (quote!(#name), quote!(#stream)),
            items => {
                let names: Vec<_> = items.iter().map(|item| &item.name).collect();
                let streams: Vec<_> = items.iter().map(|item| &item.stream).collect();
                (tuple(&names), tuple(&streams))
            }
        };
        let iterator = match &entries.within {
            Segment::All => {
                let (all, indices) = (self.runtime("entries"), self.arrays.indices(level_of(entries.last)));
                quote!(#all(#indices.len(), #stream))
            }
            Segment::Of(parent) => {
                let pointers = self.arrays.pointers(level_of(entries.first));
                let name = self
                    .variables
                    .fresh(&format!("{}_entries", self.arrays.level(level_of(entries.last))), true);
                let name = self.var(name);
                // If a loop covers all parents, the number of parents is checked once, here.
                let all = self.whole.iter().find(|(var, _)| *parent == Expr::Var(*var));
                let first = all.map(|(_, size)| self.usize(size)).map(|size| quote!(.below(#size)));
                self.head.push(quote!(let #name = #pointers.over(#stream)#first;));
                self.segments.insert(entries.position, name.clone());
                let (segment, parent) = (
                    if entries.indirect { quote!(at) } else { quote!(segment) },
                    self.usize(parent),
                );
                quote!(#name.#segment(#parent))
            }
            within => {
                let (part, range) = (self.runtime("within"), self.segment(level_of(entries.first), within));
                quote!(#part(#stream, #range, 0))
            }
        };
        let iterator = self.prefetching(iterator, &pattern, entries.prefetch.as_ref());
        Pass {
            pattern,
            iterator,
            inner,
        }
    }

    /// Returns the iterator, which prefetches the data that later entries select if `what` is set.
    fn prefetching(&self, iterator: TokenStream, pattern: &TokenStream, what: Option<&Prefetch>) -> TokenStream {
        let prefetch = || self.runtime("prefetch");
        let (distance, far, place, all) = match what {
            None => return iterator,
            Some(Prefetch::Segments(segments)) => {
                let name = |position: &Var| &self.segments[position];
                let (first, place) = (name(&segments[0].0), self.usize(&segments[0].1));
                let all = segments.iter().map(|(position, parent)| {
                    let (segments, parent) = (name(position), self.usize(parent));
                    quote!(#segments.ask(#parent);)
                });
                let prefetch = prefetch();
                (quote!(#first.distance()), quote!(#prefetch::FAR), place, all.collect())
            }
            Some(Prefetch::Rows { width, loops, rows }) => {
                let (prefetch, width) = (prefetch(), self.var(*width));
                let (array, mut place) = rows[0].clone();
                for (var, _) in loops {
                    place = place.replace(*var, &Expr::zero());
                }
                let (first, place) = (self.arrays.array(array), self.usize(&place));
                let rows = rows.iter().map(|(array, first)| {
                    let (array, first) = (self.arrays.array(*array), self.usize(first));
                    quote!(#prefetch::row(#array, #first, #width);)
                });
                let (vars, counts): (Vec<Ident>, Vec<TokenStream>) = loops
                    .iter()
                    .map(|(var, count)| (self.var(*var), self.usize(count)))
                    .unzip();
                let all = vars.iter().zip(&counts).fold(
                    quote!(#(#rows)*),
                    |all, (var, count)| quote!(for #var in 0..#count { #all }),
                );
                let items = quote!(#width #(* #counts)*);
                (
                    quote!(#prefetch::distance(#first, #items)),
                    quote!(#prefetch::FAR * #width),
                    place,
                    all,
                )
            }
        };
        quote! {
            #iterator.ahead(
                #distance,
                #far,
                #[inline(always)] |#pattern| #place,
                #[inline(always)] |#pattern| { #all },
            )
        }
    }

    /// Streams the blocks of values at each position, if they have a constant size. The block then has the name of the
    /// values array inside the pass, and its values count from its first. Returns whether it does.
    fn stream_blocks(&mut self, entries: &Entries, body: &mut [Stmt], items: &mut Vec<Item>) -> bool {
        let values = Array::Values(entries.tensor);
        let mut sizes = Vec::new();
        for stmt in &*body {
            stmt.for_each_load(&mut |array, at| {
                if array == values {
                    sizes.push(at.split(entries.position));
                }
            });
        }
        let Some((Some((size, _)), others)) = sizes.split_first() else {
            return false;
        };
        let is_block = size.is_constant(self.variables) && !matches!(size, Expr::Int(0 | 1));
        let is_same = |other: &Option<(Expr, Expr)>| other.as_ref().is_some_and(|(other, _)| other == size);
        let otherwise = body.iter().any(|stmt| reads_otherwise(stmt, entries.tensor));
        if !is_block || otherwise || !others.iter().all(is_same) || self.arrays.values_are_packed(entries.tensor) {
            return false;
        }
        for stmt in body {
            stmt.for_each_value(&mut |value| {
                if let Value::Load(array, at) = value {
                    if *array == values {
                        *at = at.split(entries.position).map_or_else(Expr::zero, |(_, rest)| rest);
                    }
                }
            });
        }
        let (blocks, name, size) = (self.runtime("Blocks"), self.arrays.array(values), self.usize(size));
        let stream = quote!(#blocks::new(#name, #size));
        items.push(Item { name, stream });
        true
    }

    /// Returns the key and the value that a pass adds to the fiber, if it does nothing else.
    fn summed(&self, body: &[Stmt]) -> Option<(TokenStream, TokenStream)> {
        match body {
            [
                Stmt::Accumulate {
                    place: Place::Fiber(at),
                    reduction,
                    value,
                },
            ] if !value.is_optional() => {
                let (at, value) = (self.usize(at), self.value(value));
                Some((quote!((#at, #value)), self.combined(*reduction)))
            }
            _ => None,
        }
    }

    /// Streams the elements that are read in step. If there are loops inside, the elements are widened once per entry.
    fn stream_loads(&mut self, entries: &Entries, body: &[Stmt], items: &mut Vec<Item>) -> TokenStream {
        let once = body.iter().any(has_loop);
        let mut widened = TokenStream::new();
        for Bind { var, value } in &entries.loads {
            let Value::Load(array, at) = value else {
                unreachable!("elements of arrays are read in step")
            };
            let (name, stream) = (self.var(*var), self.stream_of(entries, *array, at));
            let stream = stream.expect("elements in step are those of the position, or of a coordinate");
            if once {
                widened.extend(quote!(let #name = #name.wide();));
            } else {
                self.stored.insert(*var);
            }
            items.push(Item { name, stream });
        }
        widened
    }

    fn stream_of(&self, entries: &Entries, array: Array, at: &Expr) -> Option<TokenStream> {
        let Expr::Var(var) = at else { return None };
        let name = self.arrays.array(array);
        if *var == entries.position && array == Array::Values(entries.tensor) {
            return Some(quote!(#name));
        }
        let (level, _) = entries.coordinates.iter().find(|(_, coordinate)| coordinate == var)?;
        let indices = self.arrays.indices(Level {
            tensor: entries.tensor,
            level: *level,
        });
        (self.variables.is_natural(*var) && matches!(array, Array::Dense(_))).then(|| quote!(#indices.gather(#name)))
    }

    /// Replaces a place at a coordinate by a cell of the stream.
    fn stream_place(&mut self, entries: &Entries, body: &[Stmt], items: &mut Vec<Item>) -> Option<Ident> {
        let (array, at) = match body {
            [
                Stmt::Accumulate {
                    place: Place::Element(array, at),
                    ..
                }
                | Stmt::Sum {
                    into: Target::Element { array, at, .. },
                    ..
                },
            ] => (*array, at),
            _ => return None,
        };
        let (level, first) = entries
            .coordinates
            .iter()
            .find_map(|&(level, var)| Some((level, self.first_place(at, var)?)))?;
        let level = Level {
            tensor: entries.tensor,
            level,
        };
        let (output, stream) = (self.arrays.array(array), self.places(level, array, &first));
        let name = self.local(&format!("{output}_cell"));
        items.push(Item {
            name: name.clone(),
            stream,
        });
        Some(name)
    }

    /// Streams the value of a visited element, if it is at the position.
    fn stream_visit(&mut self, entries: &Entries, body: &[Stmt], items: &mut Vec<Item>) -> Option<Ident> {
        let [Stmt::Visit { at, .. }] = body else { return None };
        let stream = self.stream_of(entries, Array::Values(entries.tensor), at)?;
        let name = self.local("value");
        items.push(Item {
            name: name.clone(),
            stream,
        });
        Some(name)
    }

    /// Returns the only statement of the body, which adds to a cell.
    fn scatter(&mut self, body: &[Stmt], cell: &Ident) -> TokenStream {
        match body {
            [Stmt::Accumulate { value, reduction, .. }] => {
                let value = self.value(value);
                let reduced = reduced(*reduction, &quote!(#cell.get()), &value);
                self.set(cell, &reduced)
            }
            [
                Stmt::Sum {
                    body,
                    reduction,
                    into: Target::Element { store, .. },
                    unrolled,
                },
            ] => {
                let (body, sum) = (self.sum(body, *reduction, *unrolled), self.local("sum"));
                let value = if *store {
                    quote!(#sum)
                } else {
                    reduced(*reduction, &quote!(#cell.get()), &quote!(#sum))
                };
                let set = self.set(cell, &value);
                quote!(#body #set)
            }
            _ => unreachable!("only a single accumulation is scattered"),
        }
    }
}

/// Whether a statement is a loop or contains one.
fn has_loop(stmt: &Stmt) -> bool {
    stmt.is_loop() || matches!(stmt, Stmt::Tiles(_)) || stmt.body().iter().any(has_loop)
}

/// Returns a tuple of the items. Run-time streams have at most ten items, so longer tuples are nested in the last item.
fn tuple<I: ToTokens>(items: &[I]) -> TokenStream {
    match items.split_at_checked(STREAMS - 1) {
        Some((first, rest)) if rest.len() > 1 => {
            let rest = tuple(rest);
            quote!((#(#first,)* #rest))
        }
        _ => quote!((#(#items),*)),
    }
}

/// Whether the tensor's values are also read as optional values or in conditions.
fn reads_otherwise(stmt: &Stmt, tensor: usize) -> bool {
    let mut found = match stmt {
        Stmt::If { conditions, .. } => conditions
            .iter()
            .any(|condition| matches!(condition, Condition::Nonzero { array: Array::Values(of), .. } if *of == tensor)),
        _ => false,
    };
    if let Stmt::Accumulate { value, .. } = stmt {
        value.clone().for_each(&mut |value| {
            found |= matches!(value, Value::At { tensor: of, .. } | Value::AtPosition { tensor: of, .. } if *of == tensor);
        });
    }
    found || stmt.body().iter().any(|stmt| reads_otherwise(stmt, tensor))
}
