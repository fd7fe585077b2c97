//! Passes over entries: iterations over a stream of all arrays read at their position.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::{Arrays, Printer, reduced};
use crate::compiler::loops::{Array, Condition, Entries, Expr, Level, Place, Range, Segment, Stmt, Target, Value, Var};

/// How many streams a tuple of the run time has at most.
pub(super) const STREAMS: usize = 10;

/// What one position of a pass over entries gives: a name and the stream it comes from.
struct Item {
    name: Ident,
    stream: TokenStream,
}

/// What is iterated over, and what is done with each item.
pub(super) struct Pass {
    pub(super) pattern: TokenStream,
    pub(super) iterator: TokenStream,
    pub(super) inner: TokenStream,
}

/// What a pass asks for a while before it is read.
struct Asked {
    /// How many items each row has.
    width: Ident,
    /// Short loops around, of which each number has rows of its own.
    loops: Vec<(Var, Expr)>,
    /// The first item of each.
    rows: Vec<(Array, Expr)>,
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
            // Long passes; those below a parent are asked for by the parent.
            None if is_visit && !matches!(entries.within, Segment::Of(_)) => {
                quote!(#iterator.each(#[inline(always)] |#pattern| { #inner });)
            }
            None => quote!(for #pattern in #iterator { #inner }),
        }
    }

    /// The pass, with its body printed by `print`.
    pub(super) fn pass(&mut self, entries: &Entries, print: impl FnOnce(&mut Self, &[Stmt]) -> TokenStream) -> Pass {
        let mut entries = entries.clone();
        let tensor = entries.tensor;
        let level_of = |level: usize| Level { tensor, level };
        let mut items = Vec::new();
        let mut body = std::mem::take(&mut entries.body);
        let loaded = self.stream_loads(&entries, &mut body, &mut items);
        let widened = self.widen(&loaded, &mut body);
        let in_blocks = self.stream_blocks(&entries, &mut body, &mut items);
        self.blocks.extend(in_blocks.then_some(tensor));
        let scattered = self.stream_place(&entries, &body, &mut items);
        let visited = self.stream_visit(&entries, &body, &mut items);
        let used = |var: Var| {
            let in_body = |stmt: &Stmt| match stmt {
                // The place a cell stands for, and the value a stream gives, are not looked up any more.
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
        let (told, told_outside) = (self.told.len(), self.below.len());
        self.told.extend(entries.coordinates.iter().map(|&(_, var)| var));
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
        self.told.truncate(told);
        let is_told = |parent: &Expr| {
            let here = entries.coordinates.iter().any(|&(_, var)| parent.uses(var));
            here && !parent.uses_any(&body.iter().flat_map(Stmt::bound).collect::<Vec<_>>())
        };
        let (below, others) = self
            .below
            .drain(told_outside..)
            .partition(|(parent, _)| is_told(parent));
        let (below, mut others): (Vec<_>, Vec<_>) = (below, others);
        self.below.append(&mut others);
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
                // Where a loop goes over the parents one by one, their number is checked here, once.
                let all = self.whole.iter().find(|(var, _)| *parent == Expr::Var(*var));
                let first = all.map(|(_, size)| self.usize(size)).map(|size| quote!(.below(#size)));
                self.head.push(quote!(let #name = #pointers.over(#stream)#first;));
                let told = parent.uses_any(&self.told);
                self.below.extend(told.then(|| (parent.clone(), name.clone())));
                let (segment, parent) = (if told { quote!(at) } else { quote!(segment) }, self.usize(parent));
                quote!(#name.#segment(#parent))
            }
            within => {
                let (part, range) = (self.runtime("within"), self.segment(level_of(entries.first), within));
                quote!(#part(#stream, #range, 0))
            }
        };
        let asked = self.asked(&entries, &body);
        let iterator = match asked {
            Some(Asked { width, loops, rows }) => {
                let prefetch = self.runtime("prefetch");
                let (array, mut place) = rows[0].clone();
                for (var, _) in &loops {
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
                let asked = vars.iter().zip(&counts).fold(
                    quote!(#(#rows)*),
                    |asked, (var, count)| quote!(for #var in 0..#count { #asked }),
                );
                let items = quote!(#width #(* #counts)*);
                quote! {
                    #iterator.ahead(
                        #prefetch::distance(#first, #items),
                        #prefetch::FAR * #width,
                        #[inline(always)] |#pattern| #place,
                        #[inline(always)] |#pattern| { #asked },
                    )
                }
            }
            None => self.asking(iterator, &pattern, &below),
        };
        Pass {
            pattern,
            iterator,
            inner,
        }
    }

    /// The iterator, which asks for the segments below the parents that later entries tell.
    fn asking(&self, iterator: TokenStream, pattern: &TokenStream, below: &[(Expr, Ident)]) -> TokenStream {
        let Some((place, first)) = below.first() else {
            return iterator;
        };
        let (prefetch, place) = (self.runtime("prefetch"), self.usize(place));
        let asked = below.iter().map(|(parent, segments)| {
            let parent = self.usize(parent);
            quote!(#segments.ask(#parent);)
        });
        quote! {
            #iterator.ahead(
                #first.distance(),
                #prefetch::FAR,
                #[inline(always)] |#pattern| #place,
                #[inline(always)] |#pattern| { #(#asked)* },
            )
        }
    }

    /// The rows of dense operands that each entry tells, where tiles read them, if they do.
    fn asked(&self, entries: &Entries, body: &[Stmt]) -> Option<Asked> {
        let (mut around, mut block) = (Vec::new(), body);
        let steps = loop {
            let [Stmt::Range(range)] = block else {
                return None;
            };
            if !matches!(range.body.as_slice(), [Stmt::Range(_)]) {
                break range;
            }
            around.push(range);
            block = &range.body;
        };
        let [Expr::Var(width)] = steps.highs.as_slice() else {
            return None;
        };
        if !self.tile.contains(width) || steps.lows != [Expr::zero()] {
            return None;
        }
        // A row for each number of the short loops that it depends on.
        let count = |range: &Range| {
            let plain = range.stride.is_none() && range.lows == [Expr::zero()];
            range
                .highs
                .iter()
                .find(|high| plain && high.is_constant(self.variables))
                .cloned()
        };
        let inner: Vec<Var> = steps.body.iter().flat_map(Stmt::bound).collect();
        let mut rows: Vec<(Array, Expr)> = Vec::new();
        let mut loops: Vec<(Var, Expr)> = Vec::new();
        steps.body.iter().for_each(|stmt| {
            stmt.for_each_load(&mut |array, at| {
                let tells =
                    |&(_, var): &(usize, Var)| matches!(at.split(var), Some((factor, _)) if factor != Expr::zero());
                let first = (array, at.replace(steps.var, &Expr::zero()));
                let moves = matches!(at.split(steps.var), Some((Expr::Int(1), _)));
                let is_row = matches!(array, Array::Dense(_)) && moves && !at.uses_any(&inner);
                let used = around.iter().filter(|range| at.uses(range.var));
                let Some(counts) = used
                    .map(|range| Some((range.var, count(range)?)))
                    .collect::<Option<Vec<_>>>()
                else {
                    return;
                };
                if is_row && entries.coordinates.iter().any(tells) && !rows.contains(&first) {
                    rows.push(first);
                    loops.extend(
                        counts
                            .into_iter()
                            .filter(|short| !loops.contains(short))
                            .collect::<Vec<_>>(),
                    );
                }
            });
        });
        (!rows.is_empty()).then(|| Asked {
            width: self.var(*width),
            loops,
            rows,
        })
    }

    /// The values that belong to each position come from the stream, if they are so many neighbours: then they have the name
    /// of all inside, and are numbered from the first. Whether they do.
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
        let alike = |other: &Option<(Expr, Expr)>| other.as_ref().is_some_and(|(other, _)| other == size);
        let otherwise = body.iter().any(|stmt| reads_otherwise(stmt, entries.tensor));
        if !is_block || otherwise || !others.iter().all(alike) || self.arrays.values_are_packed(entries.tensor) {
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

    /// The key and the value that a pass adds to the fiber, if that is all it does, and how values are put together.
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

    /// Reads at the position, or at a coordinate itself, come from the stream: what they are called.
    fn stream_loads(&mut self, entries: &Entries, body: &mut [Stmt], items: &mut Vec<Item>) -> Vec<String> {
        let mut seen: Vec<(Array, Expr, String)> = Vec::new();
        let mut found: Vec<(Array, Expr)> = Vec::new();
        for stmt in body.iter_mut() {
            stmt.for_each_value(&mut |value| {
                let Value::Load(array, at) = value else { return };
                if self.stream_of(entries, *array, at).is_some() && !found.contains(&(*array, at.clone())) {
                    found.push((*array, at.clone()));
                }
            });
        }
        for (array, at) in found {
            let Some(stream) = self.stream_of(entries, array, &at) else {
                continue;
            };
            let taken: Vec<String> = seen.iter().map(|(_, _, taken)| taken.clone()).collect();
            let name = self.item(array, &taken);
            items.push(Item {
                name: self.local(&name),
                stream,
            });
            seen.push((array, at, name));
        }
        for stmt in body.iter_mut() {
            stmt.for_each_value(&mut |value| {
                let Value::Load(array, at) = value else { return };
                if let Some((_, _, name)) = seen.iter().find(|(other, expr, _)| other == array && expr == at) {
                    *value = Value::Local(name.clone());
                }
            });
        }
        seen.into_iter().map(|(_, _, name)| name).collect()
    }

    /// What items of the stream read as, found once for each entry, where there are loops inside.
    fn widen(&self, items: &[String], body: &mut [Stmt]) -> TokenStream {
        if !body.iter().any(has_loop) {
            return TokenStream::new();
        }
        for stmt in body {
            stmt.for_each_value(&mut |value| match value {
                Value::Local(name) if items.contains(name) => *value = Value::Widened(std::mem::take(name)),
                _ => {}
            });
        }
        let names = items.iter().map(|name| self.local(name));
        names.map(|name| quote!(let #name = #name.wide();)).collect()
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

    /// A place at a coordinate itself becomes a cell of the stream.
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

    /// The value of a visited element, where it is at the position.
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

    /// The one statement that adds to a cell.
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
                },
            ] => {
                let (body, sum) = (self.sum(body, *reduction), self.local("sum"));
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

/// Whether a statement is a loop, or has one inside.
fn has_loop(stmt: &Stmt) -> bool {
    stmt.is_loop() || matches!(stmt, Stmt::Tiles(_)) || stmt.body().iter().any(has_loop)
}

/// A tuple of the items. The run time has streams of at most ten, so those of more are nested: the last item is a tuple of the rest.
fn tuple<I: ToTokens>(items: &[I]) -> TokenStream {
    match items.split_at_checked(STREAMS - 1) {
        Some((first, rest)) if rest.len() > 1 => {
            let rest = tuple(rest);
            quote!((#(#first,)* #rest))
        }
        _ => quote!((#(#items),*)),
    }
}

/// Whether values of the tensor are read where there may be none, or as a condition.
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
