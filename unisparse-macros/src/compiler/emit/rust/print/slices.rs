//! Prints innermost ranges as iterations over slices.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Arrays, Printer, identity, reduced};
use crate::compiler::loops::{Access, Array, Expr, Range, Reduction, Slices, Stmt, TensorLevel, Var};
use crate::compiler::syntax::Identifiers;

/// The slices and iterators over which a range iterates.
struct Sides {
    /// The name of the range.
    over: Ident,
    lets: Vec<TokenStream>,
    sides: Vec<Side>,
}

/// One of the slices or iterators.
struct Side {
    name: Ident,
    source: TokenStream,
    kind: Source,
}

#[derive(Clone, Copy)]
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

impl Sides {
    /// Adds the slice of an array that begins `offset` after the range.
    fn slice(
        &mut self,
        name: Ident,
        array: &Ident,
        function: &Ident,
        window: Ident,
        offset: &TokenStream,
        kind: Source,
    ) {
        let over = &self.over;
        self.lets
            .push(quote!(let #window = #function(#array, #over.clone(), #offset);));
        self.sides.push(Side {
            name,
            source: quote!(#window),
            kind,
        });
    }

    /// Returns the loop over all slices and iterators, cut to `count` items if that is given.
    fn iterate(&self, count: Option<&Ident>, body: &TokenStream) -> TokenStream {
        let each = |(number, side): (usize, &Side)| {
            let source = &side.source;
            match (side.kind, count) {
                (Source::Slice, Some(count)) => quote!(#source[..#count].iter()),
                (Source::SliceMut, Some(count)) => quote!(#source[..#count].iter_mut()),
                (Source::Iterator, Some(count)) => quote!(#source.take(#count)),
                (_, None) if number == 0 && self.sides.len() > 1 => quote!(#source.into_iter()),
                _ => quote!(#source),
            }
        };
        let patterns = self.sides.iter().map(Side::pattern);
        let pattern = patterns.reduce(|all, next| quote!((#all, #next)));
        let sources = self.sides.iter().enumerate().map(each);
        let iterator = sources.reduce(|all, next| quote!(#all.zip(#next)));
        quote!(for #pattern in #iterator { #body })
    }
}

impl<A: Arrays> Printer<'_, A> {
    /// Returns the only statement of a range as an iteration over slices.
    pub(super) fn slices(&mut self, range: &Range, slices: &Slices) -> TokenStream {
        let mut sides = self.sides(range);
        if slices.uses_variable {
            let over = &sides.over;
            let side = Side {
                name: self.var(range.var),
                source: quote!(#over.clone()),
                kind: Source::Iterator,
            };
            sides.sides.push(side);
        }
        let item = slices.item.as_ref().map(|item| self.item(&mut sides, item, slices));
        self.reads(&mut sides, slices);
        let outside = std::mem::replace(&mut self.item, item);
        let body = self.block(&range.body);
        self.item = outside;
        let (bounds, over, count) = (self.bounds(range), &sides.over, self.local("count"));
        if sides.sides.is_empty() {
            return quote!(for _ in #bounds { #body });
        }
        let loops = match &slices.usual {
            None => sides.iterate(None, &body),
            Some(usual) => self.usual_slices(&sides, slices, &range.body, (&count, usual), &body),
        };
        let lets = &sides.lets;
        quote! {
            let #over = #bounds;
            #(#lets)*
            #loops
        }
    }

    /// Returns the loop with a version for the usual number of iterations.
    fn usual_slices(
        &self,
        sides: &Sides,
        slices: &Slices,
        body: &[Stmt],
        (count, usual): (&Ident, &Expr),
        inner: &TokenStream,
    ) -> TokenStream {
        let (over, all) = (&sides.over, sides.iterate(Some(count), inner));
        match (body, &slices.item) {
            (
                [Stmt::Accumulate { reduction, .. }],
                Some(Access::Element {
                    array: sums @ Array::Sums,
                    ..
                }),
            ) => {
                let (part, sums) = (self.runtime("tile_part"), self.arrays.array(*sums));
                let (start, combined) = (identity(*reduction, self.arrays.runtime()), self.combined(*reduction));
                quote! {
                    #part(#sums, #over.clone(), #start, #combined, #[inline(always)] |#sums| {
                        let #count = #sums.len();
                        #all
                    });
                }
            }
            _ => {
                let (steps, usual) = (self.runtime("steps"), self.usize(usual));
                quote!(#steps(#over.len(), #usual, #[inline(always)] |#count| { #all });)
            }
        }
    }

    /// Returns the sum over an innermost range of slices as a total.
    pub(super) fn slices_total(
        &mut self,
        range: &Range,
        start: Option<&TokenStream>,
        reduction: Reduction,
    ) -> TokenStream {
        let mut sides = self.sides(range);
        if let Some(slices) = &range.slices {
            self.reads(&mut sides, slices);
        }
        let Sides { over, lets, sides } = sides;
        let (names, sources): (Vec<_>, Vec<_>) = sides.iter().map(|side| (&side.name, &side.source)).unzip();
        let value = match range.body.as_slice() {
            [Stmt::Accumulate { value, .. }] => self.value(value),
            _ => unreachable!("a sum over slices adds one value per iteration"),
        };
        let (bounds, entries, combined) = (self.bounds(range), self.runtime("entries"), self.combined(reduction));
        quote! {{
            let #over = #bounds;
            #(#lets)*
            #entries(#over.len(), (#(#sources,)*)).total(#start, #combined, |(#(#names,)*)| #value)
        }}
    }

    fn sides(&self, range: &Range) -> Sides {
        Sides {
            over: self.local(&format!("{}_range", self.variables.name(range.var))),
            lets: Vec::new(),
            sides: Vec::new(),
        }
    }

    /// Adds the elements to which the iterations add. Returns how the body updates one of them.
    fn item(&self, sides: &mut Sides, access: &Access, slices: &Slices) -> Item {
        match access {
            Access::Element { array, offset, .. } => {
                let name = self.arrays.array(*array);
                let item = self.local(&format!("{name}_item"));
                if *array == Array::Sums && *offset == Expr::zero() && slices.usual.is_some() {
                    // The run time passes the sums of the part.
                    sides.sides.push(Side {
                        name: item.clone(),
                        source: quote!(#name),
                        kind: Source::SliceMut,
                    });
                } else {
                    let window = self.local(&format!("{name}_window"));
                    let (function, offset) = (self.runtime("window_mut"), self.isize(offset));
                    sides.slice(item.clone(), &name, &function, window, &offset, Source::SliceMut);
                }
                Item::Reference(item)
            }
            Access::Selected {
                array,
                level,
                offset,
                first,
            } => {
                let cell = self.cell(*array, first);
                let places = self.places(*level, *array, first);
                self.within(sides, cell.name().clone(), &places, offset);
                cell
            }
            Access::Packed { .. } | Access::Coordinate { .. } => {
                unreachable!("the loops of a kernel write to elements of dense arrays")
            }
        }
    }

    /// Adds everything that an iteration reads.
    fn reads(&mut self, sides: &mut Sides, slices: &Slices) {
        for (var, access) in &slices.reads {
            let name = self.var(*var);
            match access {
                Access::Element { array, offset, ahead } => {
                    let (array, offset) = (self.arrays.array(*array), self.isize(offset));
                    let window = self.local(&format!("{array}_window"));
                    let is_taken = sides
                        .lets
                        .iter()
                        .any(|binding| Identifiers::of(binding).contain(&window));
                    let window = if is_taken {
                        self.local(&format!("{array}_window_{}", sides.lets.len()))
                    } else {
                        window
                    };
                    let function = self.runtime(if *ahead { "window_ahead" } else { "window" });
                    sides.slice(name, &array, &function, window, &offset, Source::Slice);
                }
                Access::Packed { tensor, offset } => {
                    let values = self.arrays.array(Array::Values(*tensor));
                    self.within(sides, name, &quote!(#values), offset);
                }
                Access::Selected {
                    array, level, offset, ..
                } => {
                    let (indices, array) = (self.arrays.indices(*level), self.arrays.array(*array));
                    self.within(sides, name, &quote!(#indices.gather(#array)), offset);
                }
                Access::Coordinate { level, offset } => {
                    let (indices, kind) = (self.arrays.indices(*level), self.coordinate_stream(*var));
                    self.within(sides, name, &quote!(#indices.#kind()), offset);
                    continue;
                }
            }
            self.stored.insert(*var);
        }
    }

    /// Adds the part of a stream that begins `offset` after the range.
    fn within(&self, sides: &mut Sides, name: Ident, stream: &TokenStream, offset: &Expr) {
        let (offset, over, within) = (self.isize(offset), &sides.over, self.runtime("within"));
        sides.sides.push(Side {
            name,
            source: quote!(#within(#stream, #over.clone(), #offset)),
            kind: Source::Iterator,
        });
    }

    /// Returns the name of the method that returns a level's coordinates.
    pub(super) fn coordinate_stream(&self, var: Var) -> Ident {
        self.names.public(if self.variables.is_natural(var) {
            "coordinates"
        } else {
            "offsets"
        })
    }
}

/// How a body updates the element at which the loop around it is.
#[derive(Clone)]
pub(super) enum Item {
    /// A mutable reference.
    Reference(Ident),
    /// A cell of a stream.
    Cell(Ident),
    /// A cell that is missing if the element of a hole is outside the piece.
    MaybeCell(Ident),
}

impl Item {
    pub(super) fn name(&self) -> &Ident {
        match self {
            Item::Reference(name) | Item::Cell(name) | Item::MaybeCell(name) => name,
        }
    }
}

impl<A: Arrays> Printer<'_, A> {
    /// Returns the cell of an array whose first element has the coordinate `first`.
    pub(super) fn cell(&self, array: Array, first: &Expr) -> Item {
        let name = self.local(&format!("{}_cell", self.arrays.array(array)));
        if *first == Expr::zero() {
            Item::Cell(name)
        } else {
            Item::MaybeCell(name)
        }
    }

    /// Returns the cells of an array at the coordinates of a level, where its first element has the coordinate `first`.
    pub(super) fn places(&self, level: TensorLevel, array: Array, first: &Expr) -> TokenStream {
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

    /// Returns code that reduces a value into the element at which the loop is, or stores it.
    pub(super) fn update(&self, item: &Item, reduction: Option<Reduction>, value: &TokenStream) -> TokenStream {
        let with = |old: TokenStream| match reduction {
            Some(reduction) => reduced(reduction, &old, value),
            None => value.clone(),
        };
        match item {
            Item::Reference(item) => {
                let value = with(quote!((*#item)));
                quote!(*#item = #value;)
            }
            Item::Cell(cell) => {
                let value = with(quote!(#cell.get()));
                quote!(#cell.set(#value);)
            }
            // Nothing is added to the missing cell of a hole.
            Item::MaybeCell(cell) => {
                let value = with(quote!(#cell.get()));
                quote!(if let ::core::option::Option::Some(#cell) = #cell { #cell.set(#value); })
            }
        }
    }
}
