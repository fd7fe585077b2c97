//! Prints innermost ranges as iterations over slices, if every access is invariant or moves with the variable.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::entries::STREAMS;
use super::tiles::known_count;
use super::{Arrays, Printer, identity, reduced};
use crate::compiler::loops::{Array, Expr, Level, Place, Range, Reduction, Stmt, Value, Var};
use crate::compiler::syntax::mentions;

/// The slices over which an innermost range iterates in step.
struct Windows {
    /// The name of the range.
    over: Ident,
    /// The variables bound inside the range, on which the offset of a slice cannot depend.
    inside: Vec<Var>,
    lets: Vec<TokenStream>,
    sides: Vec<Side>,
}

/// One of the slices or iterators.
struct Side {
    name: Ident,
    source: TokenStream,
    kind: Source,
}

#[derive(Clone, Copy, PartialEq)]
enum Source {
    Slice,
    SliceMut,
    Iterator,
}

impl Side {
    fn pattern(&self) -> TokenStream {
        let name = &self.name;
        match self.kind {
            Source::Slice => quote!(&#name),
            Source::SliceMut | Source::Iterator => quote!(#name),
        }
    }
}

/// A coordinate that is looked up inside an innermost range.
struct Lookup<'a> {
    level: Level,
    var: Var,
    at: &'a Expr,
}

impl<'a> Lookup<'a> {
    fn new(stmt: &'a Stmt) -> Option<Self> {
        match stmt {
            Stmt::Lookup { level, var, at, .. } => Some(Lookup {
                level: *level,
                var: *var,
                at,
            }),
            _ => None,
        }
    }
}

/// The destination to which an innermost range adds.
enum Target {
    Item(Ident),
    Cell(Ident),
}

impl Windows {
    fn new(over: Ident, lookups: &[Lookup<'_>]) -> Self {
        Windows {
            over,
            inside: lookups.iter().map(|lookup| lookup.var).collect(),
            lets: Vec::new(),
            sides: Vec::new(),
        }
    }

    /// Returns the distance from the loop variable to the place, if the place moves only with the range.
    fn offset(&self, range: &Range, at: &Expr) -> Option<Expr> {
        match at.split(range.var)? {
            (Expr::Int(1), rest) => (!rest.uses_any(&self.inside)).then_some(rest),
            _ => None,
        }
    }

    /// Returns the loop over all slices and iterators.
    fn print(self, bounds: &TokenStream, body: &TokenStream, count: &Count, name: &Ident) -> TokenStream {
        let Windows { over, lets, sides, .. } = self;
        if sides.is_empty() {
            return quote!(for _ in #bounds { #body });
        }
        let counted = !matches!(count, Count::Any);
        let each = |(number, side): (usize, &Side)| {
            let source = &side.source;
            match (side.kind, number) {
                (Source::Slice, _) if counted => quote!(#source[..#name].iter()),
                (Source::SliceMut, _) if counted => quote!(#source[..#name].iter_mut()),
                (Source::Iterator, _) if counted => quote!(#source.take(#name)),
                (_, 0) if sides.len() > 1 => quote!(#source.into_iter()),
                _ => quote!(#source),
            }
        };
        let patterns = sides.iter().map(Side::pattern);
        let pattern = patterns.reduce(|all, next| quote!((#all, #next)));
        let sources = sides.iter().enumerate().map(each);
        let iterator = sources.reduce(|all, next| quote!(#all.zip(#next)));
        let all = quote!(for #pattern in #iterator { #body });
        let all = match count {
            Count::Any => all,
            Count::Mostly { steps, whole } => quote!(#steps(#over.len(), #whole, #[inline(always)] |#name| { #all });),
            Count::Part {
                part,
                sums,
                start,
                combined,
            } => quote! {
                #part(#sums, #over.clone(), #start, #combined, #[inline(always)] |#sums| {
                    let #name = #sums.len();
                    #all
                });
            },
        };
        quote! {
            let #over = #bounds;
            #(#lets)*
            #all
        }
    }
}

/// The number of iterations of an innermost range.
enum Count {
    Any,
    /// It is mostly a number known at compile time: the name of the run-time function, and that number.
    Mostly {
        steps: Ident,
        whole: TokenStream,
    },
    /// It is mostly the width of a tile: the name of the run-time function, and the sums that it updates.
    Part {
        part: Ident,
        sums: Ident,
        start: Option<TokenStream>,
        combined: TokenStream,
    },
}

impl<A: Arrays> Printer<'_, A> {
    /// Returns the name of the range.
    fn over(&self, range: &Range) -> Ident {
        self.local(&format!("{}_range", self.variables.name(range.var)))
    }

    /// Returns an innermost range as an iteration over slices, if every access is invariant or moves with the range.
    ///
    /// Lookups move with the range too: a read at a looked-up coordinate becomes part of the iteration.
    pub(super) fn windows(&mut self, range: &Range, lookups: &[Stmt], leaf: &Stmt) -> Option<TokenStream> {
        let mut leaf = leaf.clone();
        let lookups: Vec<Lookup<'_>> = lookups.iter().map(Lookup::new).collect::<Option<_>>()?;
        let mut windows = Windows::new(self.over(range), &lookups);
        // Most runs of a loop that is cut short at edges have the known number of iterations.
        let cut = range.highs.len() > 1 && !self.counted.contains(&range.var);
        let known = known_count(range, &self.tile, self.variables).filter(|_| cut);
        let of_tile = known.is_some() && is_of_tile(&leaf);
        let target = match &leaf {
            Stmt::Accumulate {
                place: Place::Element(array, at),
                ..
            } => {
                let (of, array) = (*array, self.arrays.array(*array));
                Some(match self.looked_up(&lookups, at) {
                    Some((lookup, first)) => {
                        let name = self.local(&format!("{array}_cell"));
                        let stream = self.places(lookup.level, of, &first);
                        self.within(&mut windows, range, &stream, lookup.at, &name)?;
                        Target::Cell(name)
                    }
                    None => {
                        let name = self.local(&format!("{array}_item"));
                        if of_tile && *at == Expr::Var(range.var) {
                            windows.sides.push(Side {
                                name: name.clone(),
                                source: quote!(#array),
                                kind: Source::SliceMut,
                            });
                        } else {
                            self.window(&mut windows, range, of, at, &name, true)?;
                        }
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
        self.loads(&mut windows, range, &lookups, &mut leaf)?;
        for lookup in &lookups {
            if is_numbered(&leaf, lookup.var) {
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
                self.count_along(&mut windows, range, &leaf);
                let value = self.value(value);
                match target {
                    Some(Target::Item(target)) => {
                        let reduced = reduced(*reduction, &quote!((*#target)), &value);
                        quote!(*#target = #reduced;)
                    }
                    Some(Target::Cell(target)) => {
                        let reduced = reduced(*reduction, &quote!(#target.get()), &value);
                        self.set(&target, &reduced)
                    }
                    None => self.accumulate(place, *reduction, &value),
                }
            }
            Stmt::Visit { coordinate, holes, .. } => {
                self.count_along(&mut windows, range, &leaf);
                let value = visited?;
                self.visit(coordinate, &quote!(#value), *holes)
            }
            _ => return None,
        };
        let count = match (&leaf, known) {
            (Stmt::Accumulate { reduction, .. }, Some(_)) if of_tile => Count::Part {
                part: self.runtime("tile_part"),
                sums: self.arrays.array(Array::Sums),
                start: identity(*reduction, self.arrays.runtime()),
                combined: self.combined(*reduction),
            },
            (Stmt::Accumulate { .. }, Some(whole)) => Count::Mostly {
                steps: self.runtime("steps"),
                whole: self.usize(&whole),
            },
            _ => Count::Any,
        };
        Some(windows.print(&self.bounds(range), &inner, &count, &self.local("count")))
    }

    /// Adds the loop variable to the iteration, if the leaf uses its value.
    fn count_along(&self, windows: &mut Windows, range: &Range, leaf: &Stmt) {
        if is_numbered(leaf, range.var) {
            let over = &windows.over;
            let side = Side {
                name: self.var(range.var),
                source: quote!(#over.clone()),
                kind: Source::Iterator,
            };
            windows.sides.insert(0, side);
        }
    }

    /// Returns the sum over an innermost range of slices as a total, or `None` if the range has a known length, with
    /// which the compiler unrolls it.
    pub(super) fn range_total(
        &mut self,
        range: &Range,
        start: Option<&TokenStream>,
        reduction: Reduction,
    ) -> Option<TokenStream> {
        let [lookups @ .., leaf @ Stmt::Accumulate { place: Place::Sum, .. }] = range.body.as_slice() else {
            return None;
        };
        if self.counted.contains(&range.var) {
            return None;
        }
        let mut leaf = leaf.clone();
        let lookups: Vec<Lookup<'_>> = lookups.iter().map(Lookup::new).collect::<Option<_>>()?;
        let mut windows = Windows::new(self.over(range), &lookups);
        self.loads(&mut windows, range, &lookups, &mut leaf)?;
        let Windows {
            over,
            lets,
            sides,
            inside,
        } = windows;
        let are_slices = sides.iter().all(|side| side.kind == Source::Slice);
        let Stmt::Accumulate { value, .. } = &leaf else {
            return None;
        };
        let is_numbered = value.uses(range.var) || inside.iter().any(|&var| value.uses(var));
        if sides.is_empty() || sides.len() > STREAMS || !are_slices || is_numbered {
            return None;
        }
        let (names, sources): (Vec<_>, Vec<_>) = sides.iter().map(|side| (&side.name, &side.source)).unzip();
        let (bounds, entries, value) = (self.bounds(range), self.runtime("entries"), self.value(value));
        let combined = self.combined(reduction);
        Some(quote! {{
            let #over = #bounds;
            #(#lets)*
            #entries(#over.len(), (#(#sources,)*)).total(#start, #combined, |(#(#names,)*)| #value)
        }})
    }

    /// Adds all arrays that the value of a statement reads to the iteration.
    fn loads(&mut self, windows: &mut Windows, range: &Range, lookups: &[Lookup<'_>], leaf: &mut Stmt) -> Option<()> {
        let mut loads = Vec::new();
        leaf.for_each_value(&mut |value| {
            if let Value::Load(array, at) = value {
                loads.push((*array, at.clone()));
            }
        });
        loads.dedup();
        for (array, at) in loads {
            let taken: Vec<String> = windows.sides.iter().map(|side| side.name.to_string()).collect();
            let name = self.item(array, &taken);
            let local = self.local(&name);
            match self
                .looked_up(lookups, &at)
                .filter(|(_, first)| matches!(array, Array::Dense(_)) && *first == Expr::zero())
            {
                Some((lookup, _)) => {
                    let (indices, source) = (self.arrays.indices(lookup.level), self.arrays.array(array));
                    let stream = quote!(#indices.gather(#source));
                    self.within(windows, range, &stream, lookup.at, &local)?;
                }
                None => self.read(windows, range, array, &at, &local)?,
            }
            let bound = self.variables.local_element(&local.to_string());
            self.stored.insert(bound);
            leaf.for_each_value(&mut |value| {
                if *value == Value::Load(array, at.clone()) {
                    *value = Value::Bound(bound);
                }
            });
        }
        Some(())
    }

    /// Returns the lookup of this coordinate and the coordinate of the array's first element, if a stream can be read
    /// at it.
    fn looked_up<'l>(&self, lookups: &'l [Lookup<'l>], at: &Expr) -> Option<(&'l Lookup<'l>, Expr)> {
        lookups
            .iter()
            .find_map(|lookup| Some((lookup, self.first_place(at, lookup.var)?)))
    }

    /// Returns the coordinate of the array's first element, if its elements are numbered by the coordinate.
    pub(super) fn first_place(&self, at: &Expr, coordinate: Var) -> Option<Expr> {
        match at.split(coordinate)? {
            (Expr::Int(1), less) if self.variables.is_natural(coordinate) => {
                let first = Expr::zero().sub(less);
                (first == Expr::zero() || Some(&first) == self.first.as_ref()).then_some(first)
            }
            _ => None,
        }
    }

    /// Returns the cells of an array at the coordinates of a level, where its first element has the coordinate `first`.
    pub(super) fn places(&self, level: Level, array: Array, first: &Expr) -> TokenStream {
        let (cells, indices, array) = (
            self.runtime("cells"),
            self.arrays.indices(level),
            self.arrays.array(array),
        );
        if *first == Expr::zero() {
            return quote!(#indices.scatter(#cells(#array)));
        }
        let first = self.usize(first);
        quote!(#indices.scatter_from(#cells(#array), #first))
    }

    /// Returns code that sets a cell from [`places`](Self::places).
    pub(super) fn set(&self, cell: &Ident, value: &TokenStream) -> TokenStream {
        match self.first {
            // The cell of a hole may be outside the piece; nothing is added to it.
            Some(_) => quote!(if let ::core::option::Option::Some(#cell) = #cell { #cell.set(#value); }),
            None => quote!(#cell.set(#value);),
        }
    }

    /// Adds the section of an array that an innermost range reads to the iteration, if the access moves with the range.
    fn read(&self, windows: &mut Windows, range: &Range, array: Array, at: &Expr, name: &Ident) -> Option<()> {
        let source = self.arrays.array(array);
        if matches!(array, Array::Values(tensor) if self.arrays.values_are_packed(tensor)) {
            return self.within(windows, range, &quote!(#source), at, name);
        }
        self.window(windows, range, array, at, name, false)
    }

    /// Adds the section of a stream that an innermost range reads to the iteration, if its position moves with the
    /// range.
    fn within(
        &self,
        windows: &mut Windows,
        range: &Range,
        stream: &TokenStream,
        at: &Expr,
        name: &Ident,
    ) -> Option<()> {
        let rest = windows.offset(range, at)?;
        let (offset, over, within) = (self.isize(&rest), &windows.over, self.runtime("within"));
        windows.sides.push(Side {
            name: name.clone(),
            source: quote!(#within(#stream, #over.clone(), #offset)),
            kind: Source::Iterator,
        });
        Some(())
    }

    /// Adds the section of an array that an innermost range reads or writes to the iteration, if the access moves with
    /// the range.
    fn window(
        &self,
        windows: &mut Windows,
        range: &Range,
        of: Array,
        at: &Expr,
        item: &Ident,
        mutable: bool,
    ) -> Option<()> {
        let array = self.arrays.array(of);
        let rest = windows.offset(range, at)?;
        let offset = self.isize(&rest);
        let over = &windows.over;
        // The values of blocks are prefetched where their positions come from.
        let in_tile = self.tile.iter().any(|width| range.highs.contains(&Expr::Var(*width)));
        let window = self.runtime(match of {
            _ if mutable => "window_mut",
            Array::Values(tensor) if in_tile && !self.blocks.contains(&tensor) => "window_ahead",
            _ => "window",
        });
        let name = self.local(&format!("{array}_window"));
        let name = if windows.lets.iter().any(|binding| mentions(binding, &name)) {
            self.local(&format!("{array}_window_{}", windows.lets.len()))
        } else {
            name
        };
        windows
            .lets
            .push(quote!(let #name = #window(#array, #over.clone(), #offset);));
        windows.sides.push(Side {
            name: item.clone(),
            source: quote!(#name),
            kind: if mutable { Source::SliceMut } else { Source::Slice },
        });
        Some(())
    }
}

/// Whether slices can replace the accesses of a statement: it uses no coordinates, and its value cannot be missing.
pub(super) fn is_windowed(leaf: &Stmt) -> bool {
    match leaf {
        Stmt::Accumulate { place, value, .. } => {
            matches!(place, Place::Element(..) | Place::Sum) && !value.is_optional()
        }
        _ => true,
    }
}

/// Whether the leaf uses the value of a variable: in a visited coordinate or in a value.
fn is_numbered(leaf: &Stmt, var: Var) -> bool {
    match leaf {
        Stmt::Visit { coordinate, .. } => coordinate.iter().any(|dim| dim.uses(var)),
        Stmt::Accumulate { value, .. } => value.uses(var),
        _ => false,
    }
}

/// Whether a statement adds to the sums of a tile.
fn is_of_tile(leaf: &Stmt) -> bool {
    matches!(
        leaf,
        Stmt::Accumulate {
            place: Place::Element(Array::Sums, _),
            ..
        }
    )
}
