//! Prints loops over entries as iterations over a stream that combines all arrays read at the entries' position.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::{Arrays, Printer};
use crate::compiler::loops::{
    Array, Bind, Cell, Entries, Expr, Lvalue, MOST_STREAMS, Prefetch, Segment, Stmt, TensorLevel, Var,
};

/// The iteration of a loop over entries: pattern, iterator and body.
pub(super) struct Iteration {
    pub(super) pattern: TokenStream,
    pub(super) iterator: TokenStream,
    pub(super) inner: TokenStream,
}

impl<A: Arrays> Printer<'_, A> {
    pub(super) fn entries(&mut self, entries: &Entries) -> TokenStream {
        if let Some(counted) = self.counted(entries) {
            return counted;
        }
        let mut summed = None;
        let is_visit = matches!(entries.body[..], [Stmt::Visit { .. }]);
        let Iteration {
            pattern,
            iterator,
            inner,
        } = self.iteration(entries, |printer, body| {
            summed = printer.summed(body);
            printer.block(body)
        });
        match summed {
            Some((element, combined)) => {
                let fiber = self.local("fiber");
                quote!(#fiber.extend(#iterator.map(|#pattern| #element), #combined);)
            }
            // Long loops use internal iteration; for those below a parent, the parent prefetches.
            None if is_visit && !matches!(entries.within, Segment::Of(_)) => {
                quote!(#iterator.each(#[inline(always)] |#pattern| { #inner });)
            }
            None => quote!(for #pattern in #iterator { #inner }),
        }
    }

    /// Returns the loop as one call, if it counts the values of each entry, and only the last entries have fewer than usual.
    fn counted(&mut self, entries: &Entries) -> Option<TokenStream> {
        let count = entries.falling_count(self.variables)?;
        if entries.prefetch.is_some() {
            return None;
        }
        let Iteration {
            pattern,
            iterator,
            inner,
        } = self.iteration(entries, |printer, _| printer.block(&count.body));
        let (all, usual) = (self.span(true, &count.lows, &count.highs), self.usize(&count.usual));
        let count = self.var(count.var);
        Some(quote! {
            #iterator.each_counted(#usual, |#pattern| #all.len(), #[inline(always)] |#pattern, #count| { #inner });
        })
    }

    /// Returns the iteration of a loop over entries, with its body printed by `print`.
    pub(super) fn iteration(
        &mut self,
        entries: &Entries,
        print: impl FnOnce(&mut Self, &[Stmt]) -> TokenStream,
    ) -> Iteration {
        let level_of = |level: usize| TensorLevel {
            tensor: entries.tensor,
            level,
        };
        let (mut items, mut numbered) = (Vec::new(), Vec::new());
        let used = |var: Var| entries.body.iter().any(|stmt| stmt.uses(var));
        if used(entries.position) {
            let positions = self.runtime("Positions");
            items.push((self.var(entries.position), quote!(#positions)));
        }
        for &(level, var) in entries.coordinates.iter().filter(|(_, var)| used(*var)) {
            let (indices, kind) = (self.arrays.indices(level_of(level)), self.coordinate_stream(var));
            let items = if entries.numbered.contains(&level) {
                &mut numbered
            } else {
                &mut items
            };
            items.push((self.var(var), quote!(#indices.#kind())));
        }
        let widened = self.loads(entries, &mut items, &mut numbered);
        if let Some(size) = &entries.block {
            let (blocks, size) = (self.runtime("Blocks"), self.usize(size));
            let values = self.arrays.array(Array::Values(entries.tensor));
            let stream = quote!(#blocks::new(#values, #size));
            items.push((values, stream));
        }
        let item = entries.item.as_ref().map(|Cell { array, level, first }| {
            let cell = self.cell(*array, first);
            let items = if entries.numbered.contains(&level.level) {
                &mut numbered
            } else {
                &mut items
            };
            items.push((cell.name().clone(), self.places(*level, *array, first)));
            cell
        });
        let outside = std::mem::replace(&mut self.item, item);
        let inner = print(self, &entries.body);
        self.item = outside;
        let inner = quote!(#widened #inner);
        let (pattern, stream) = self.streams(&items);
        if !numbered.is_empty() {
            let (part, tail) = (self.runtime("within"), self.runtime("Tail"));
            let (names, others) = self.streams(&numbered);
            let (range, segment) = (
                self.local("range"),
                self.segment(level_of(entries.first), &entries.within),
            );
            let all = quote!((#tail::new(#stream, #range.start), #others));
            return Iteration {
                pattern: quote!((#pattern, #names)),
                iterator: quote!({ let #range = #segment; #part(#all, 0..#range.len(), 0) }),
                inner,
            };
        }
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
        Iteration {
            pattern,
            iterator,
            inner,
        }
    }

    /// Returns the pattern of the items, and the stream of all of them.
    fn streams(&self, items: &[(Ident, TokenStream)]) -> (TokenStream, TokenStream) {
        match items {
            [] => {
                let positions = self.runtime("Positions");
                (quote!(_), quote!(#positions))
            }
            [(name, stream)] => (quote!(#name), quote!(#stream)),
            items => {
                let (names, streams): (Vec<_>, Vec<_>) = items.iter().map(|(name, stream)| (name, stream)).unzip();
                (tuple(&names), tuple(&streams))
            }
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
                    quote!(#segments.prefetch_at(#parent);)
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

    /// Returns the key and the value that a loop adds to the fiber, if it does nothing else.
    fn summed(&self, body: &[Stmt]) -> Option<(TokenStream, TokenStream)> {
        match body {
            [
                Stmt::Accumulate {
                    place: Lvalue::Fiber(at),
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

    /// Streams the elements that are read at each entry, or at its number. If there are loops inside, the elements are widened
    /// once per entry.
    fn loads(
        &mut self,
        entries: &Entries,
        items: &mut Vec<(Ident, TokenStream)>,
        numbered: &mut Vec<(Ident, TokenStream)>,
    ) -> TokenStream {
        let once = entries.body.iter().any(has_loop);
        let mut widened = TokenStream::new();
        for Bind { var, value } in &entries.loads {
            let name = self.var(*var);
            if once {
                widened.extend(quote!(let #name = #name.wide();));
            } else {
                self.stored.insert(*var);
            }
            let (array, level) = entries.streamed(value);
            let of_level = level.map(|level| {
                self.arrays.indices(TensorLevel {
                    tensor: entries.tensor,
                    level,
                })
            });
            let array = self.arrays.array(array);
            let stream = of_level.map_or(quote!(#array), |indices| quote!(#indices.gather(#array)));
            match level {
                Some(level) if entries.numbered.contains(&level) => numbered.push((name, stream)),
                _ => items.push((name, stream)),
            }
        }
        widened
    }
}

/// Whether a statement is a loop or contains one.
fn has_loop(stmt: &Stmt) -> bool {
    stmt.is_loop() || matches!(stmt, Stmt::Tiles(_)) || stmt.body().iter().any(has_loop)
}

/// Returns a tuple of the items. Run-time streams have at most ten items, so longer tuples are nested in the last item.
fn tuple<I: ToTokens>(items: &[I]) -> TokenStream {
    match items.split_at_checked(MOST_STREAMS - 1) {
        Some((first, rest)) if rest.len() > 1 => {
            let rest = tuple(rest);
            quote!((#(#first,)* #rest))
        }
        _ => quote!((#(#items),*)),
    }
}
