//! What stands around the loops of a kernel: threads, pieces, results.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;

use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::access::{NestArrays, bind_extents, own_name};
use crate::compiler::emit::rust::print::{Arrays as _, Printer, count, identity, import, integer, reduced, start};
use crate::compiler::kernel::{self, Across, Count, Kernel, Nests, Reduction, Shape, Way, pieces};
use crate::compiler::loops::{Expr, Literal, Place, Range, Stmt, Variables};

/// What stands around the loops, by how the output comes out of them.
pub(super) struct Around<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) names: Names,
    pub(super) runtime: &'a TokenStream,
    pub(super) private: &'a TokenStream,
    pub(super) arrays: &'a NestArrays<'a>,
    pub(super) nests: &'a Nests,
    /// The name of the extents that the kernel gets.
    pub(super) given: &'a Ident,
}

impl Around<'_> {
    /// All nests, one after another, and the result.
    pub(super) fn body(&self, summands: &[kernel::Summand<'_>], variables: &mut Variables) -> TokenStream {
        let Around {
            nests, names, private, ..
        } = self;
        let (mut loops, several) = (TokenStream::new(), nests.blocks.len() > 1);
        for number in 0..nests.blocks.len() {
            let printed = self.block(summands, number, variables);
            loops.extend(if several { quote!({ #printed }) } else { printed });
        }
        let body = match &nests.output {
            Shape::Dense => self.dense(loops, variables),
            Shape::Total => self.total(&loops),
            Shape::Fibers(order) => self.fibers(order, &loops, variables),
            Shape::Scattered => self.scattered(&loops, variables),
        };
        let (bound, import) = (self.bind_extents(variables, &body), import(*names, private, &body));
        let literals = self.check_literals();
        quote!(#literals #import #bound #body)
    }

    /// The literals of the statement must fit the elements, which are known when it is called.
    fn check_literals(&self) -> TokenStream {
        let (mut integers, mut floats) = (Vec::new(), Vec::new());
        self.kernel.value.for_each_literal(&mut |literal| match literal {
            Literal::Integer(number) => integers.push(integer(i128::from(number))),
            Literal::Float(number) => floats.push(proc_macro2::Literal::f64_unsuffixed(number)),
        });
        let private = self.private;
        let integers = (!integers.is_empty()).then(|| quote!(#private::integers::<T>(&[#(#integers),*])?;));
        let floats = (!floats.is_empty()).then(|| quote!(#private::floats::<T>(&[#(#floats),*])?;));
        quote!(#integers #floats)
    }

    fn bind_extents(&self, variables: &Variables, body: &TokenStream) -> TokenStream {
        let given = self.given;
        bind_extents(&self.nests.extents, variables, self.names, &quote!(#given), body)
    }

    /// The loops over copies of the operands that loops go across, if those pay; else `body`.
    pub(super) fn unless_turned(&self, turned: &TokenStream, body: &TokenStream, variables: &Variables) -> TokenStream {
        let (private, work) = (self.private, self.work(variables));
        let (mut copied, mut copies, mut used) = (Vec::new(), Vec::new(), Vec::new());
        let mut back = TokenStream::new();
        for Across { operand, along } in &self.nests.across {
            let extents = |indices: &[usize]| {
                let extents = indices.iter().map(|&index| self.extent(index, variables));
                quote!([#(#extents),*])
            };
            let name = self.names.local(&self.arrays.operands[*operand]);
            let copy = self.local(&format!("{}_turned", self.arrays.operands[*operand]));
            let (first, end) = (count(along.first), count(along.end));
            if *operand == 0 {
                let extents = extents(&self.kernel.output);
                let start = match self.kernel.reduction {
                    Reduction::Set => {
                        let runtime = self.runtime;
                        quote!(::core::option::Option::Some(<T::Sum as #runtime::Scalar>::ZERO))
                    }
                    _ => quote!(::core::option::Option::None),
                };
                copies.push(quote!(#private::turned_output(#name, #extents, #first..#end, #work, #start)));
                used.push(quote!(let #name = &mut #copy[..];));
                back = quote!(#private::turn_back(&#copy, #name, #extents, #first..#end););
                copied.push(quote!(mut #copy));
            } else {
                let views = self.kernel.reads_of(*operand).into_iter();
                let views = views.map(|read| extents(&self.kernel.reads[read].indices));
                copies.push(quote!(#private::turned(#name, &[#(#views),*], #first..#end, #work)));
                used.push(quote!(let #name = &#copy[..];));
                copied.push(quote!(#copy));
            }
        }
        let (bound, result) = (
            self.bind_extents(variables, &quote!(#(#copies)* #back)),
            self.local("result"),
        );
        quote! {
            #bound
            if let (#(::core::option::Option::Some(#copied),)*) = (#(#copies,)*) {
                let #result = { #(#used)* #turned };
                #back
                #result
            } else {
                #body
            }
        }
    }

    /// A name that is not that of an operand.
    fn local(&self, name: &str) -> Ident {
        own_name(self.names, name, || self.arrays.operands.iter().map(String::as_str))
    }

    /// The extent of an index.
    fn extent(&self, index: usize, variables: &Variables) -> Ident {
        self.names.local(variables.name(self.nests.extents[index]))
    }

    /// One nest: its outermost loop on threads, if it can be cut.
    fn block(&self, summands: &[kernel::Summand<'_>], number: usize, variables: &mut Variables) -> TokenStream {
        let Nests { blocks, numbers, .. } = self.nests;
        let Some(pieces) = pieces(self.kernel, summands, self.nests, number, variables) else {
            let printed = self.print(&blocks[number], variables);
            let printed = self.vectorized(&blocks[number], printed);
            let (start, given) = (self.start(&quote!(0..1), &quote!(1)), self.give());
            let bind = self.arrays.bind(numbers, variables, &printed);
            return match &self.nests.output {
                Shape::Dense => quote!(#bind #printed),
                _ => self.take(&quote!(#bind [{ #start #printed #given }])),
            };
        };
        let (sizes, printed) = (
            self.print(&pieces.sizes, variables),
            self.printer(variables).of_part(pieces.first).print(&pieces.block),
        );
        let printer = |variables: &mut Variables, expr: &Expr| self.printer(variables).number(expr);
        let (private, local) = (self.private, |var| self.names.local(variables.name(var)));
        let (from, to) = (local(pieces.from), local(pieces.to));
        // A pattern, and a value.
        let range = quote!(::core::ops::Range { start: #from, end: #to });
        let first = match &pieces.way {
            Way::Ascending { first, .. } => Some(local(*first)),
            _ => None,
        };
        let count = match &pieces.count {
            Count::Size(size) => printer(variables, size),
            Count::Entries(level) => {
                let indices = self.arrays.indices(*level);
                quote!(#indices.len())
            }
        };
        let borders = match pieces.tensor {
            Some(tensor) => {
                let tensor = &self.arrays.tensors[tensor].tensor;
                quote!(&|pieces| #tensor.borders(pieces))
            }
            None => quote!(&|pieces| #private::even_borders(#count, pieces)),
        };
        let work = self.work(variables);
        let outer = quote!(&#private::Loop { work: #work, count: #count, borders: #borders });
        let output = self.names.local(&self.arrays.operands[0]);
        let (start, given) = (self.start(&range, &count), self.give());
        let printed = self.vectorized(&blocks[number], printed);
        let threads = match &pieces.way {
            Way::Owned(stride) | Way::Windows(stride) => {
                // One place for each position: a loop over them needs no check.
                let exact = (*stride == Expr::Int(1) && mentions_index(&printed, &output))
                    .then(|| quote!(let #output = &mut #output[..#to - #from];));
                let stride = printer(variables, stride);
                let pointers = pieces.divided.map(|level| self.arrays.pointers(level));
                match pointers.filter(|pointers| occurrences(&printed, pointers) == 1) {
                    Some(pointers) => {
                        let (identity, combined) = (self.identity(), self.combined());
                        quote! {
                            #private::divided(#outer, #stride, #output, #pointers, #identity, #combined, |#range, #output, #pointers| {
                                #exact #printed
                            });
                        }
                    }
                    None => quote!(#private::owned(#outer, #stride, #output, |#range, #output| { #exact #printed });),
                }
            }
            Way::Ascending { level, stride, .. } => {
                let (stride, indices) = (printer(variables, stride), self.arrays.indices(*level));
                quote!(#private::ascending(#outer, |at| #indices.coordinate(at), #stride, #output, |#range, #output, #first| { #printed });)
            }
            Way::Shared { stores } => {
                let (identity, combined) = (self.identity(), self.combined());
                quote!(#private::shared(#outer, #output, #stores, #identity, #combined, |#range, #output| { #printed });)
            }
            Way::Each => quote!(#private::each(#outer, |#range| { #start #printed #given })),
        };
        let bind = self.arrays.bind(numbers, variables, &quote!(#sizes #threads));
        match &pieces.way {
            Way::Each => self.take(&quote!(#bind #sizes #threads)),
            _ => quote!(#bind #sizes #threads),
        }
    }

    /// Takes over what pieces give.
    fn take(&self, pieces: &TokenStream) -> TokenStream {
        let (total, all) = (self.local("total"), self.local("pieces"));
        match &self.nests.output {
            Shape::Total => {
                let combined = self.combined();
                quote!(#total = { #pieces }.into_iter().fold(#total, #combined);)
            }
            _ => quote!(#all.extend({ #pieces });),
        }
    }

    /// The loops compiled for the vectors of the machine, if they go over neighbouring elements anywhere.
    fn vectorized(&self, block: &[Stmt], printed: TokenStream) -> TokenStream {
        if !block.iter().any(has_neighbours) {
            return printed;
        }
        let private = self.private;
        quote!(#private::vectorized(#[inline(always)] || { #printed });)
    }

    fn printer<'v>(&'v self, variables: &'v mut Variables) -> Printer<'v, NestArrays<'v>> {
        Printer::new(self.names, self.arrays, &self.nests.numbers, variables)
    }

    fn print(&self, block: &[Stmt], variables: &mut Variables) -> TokenStream {
        self.printer(variables).print(block)
    }

    /// How many elements are stored in all sparse operands.
    fn stored(&self) -> TokenStream {
        let stored = self.arrays.tensors.iter().map(|of| {
            let tensor = &of.tensor;
            quote!(#tensor.stored())
        });
        stored
            .reduce(|left, right| quote!(#left + #right))
            .unwrap_or_else(|| quote!(0))
    }

    /// About how many multiplications there are: stored elements, and the extents that no sparse operand has.
    fn work(&self, variables: &Variables) -> TokenStream {
        let stored = self.stored();
        let is_sparse = |index: &usize| {
            let reads = self.kernel.reads.iter();
            let mut sparse =
                reads.filter(|read| self.kernel.operands[read.operand].kind == kernel::OperandKind::Sparse);
            sparse.any(|read| read.indices.contains(index))
        };
        let open = (0..self.kernel.indices.len()).filter(|index| !is_sparse(index));
        let open: Vec<Ident> = open.map(|index| self.extent(index, variables)).collect();
        quote!((#stored)#(.saturating_mul(#open))*)
    }

    /// What a piece of the reduction starts from. A conjunction has nothing: no piece of its own, no total.
    fn identity(&self) -> Option<TokenStream> {
        identity(self.kernel.reduction.into(), self.runtime)
    }

    /// The reduction as a function.
    fn combined(&self) -> TokenStream {
        let combined = reduced(self.kernel.reduction.into(), &quote!(left), &quote!(right));
        quote!(|left: T::Sum, right: T::Sum| #combined)
    }

    /// What one piece of a result begins with, of the positions `part` of the outermost loop, which has so many.
    fn start(&self, part: &TokenStream, positions: &TokenStream) -> TokenStream {
        let (private, identity) = (self.private, self.identity());
        let (total, output, fiber) = (self.local("total"), self.local("output"), self.local("workspace"));
        let shape = self.local("shape");
        match &self.nests.output {
            Shape::Dense => TokenStream::new(),
            Shape::Total => quote!(let mut #total = #identity;),
            Shape::Fibers(order) => {
                let dims = count(order.len());
                let (keys, room) = (self.local("keys"), self.local("room"));
                let fiber = self
                    .nests
                    .workspace_dims()
                    .map(|_| quote!(let mut #fiber = #private::Workspace::new(#keys);));
                quote! {
                    let mut #output = #private::Fibers::<T, LoopOrder, #dims, _>::of_part(#shape, #room, #part, #positions);
                    #fiber
                }
            }
            Shape::Scattered => quote!(let mut #output = #private::Scattered::new(#shape);),
        }
    }

    /// The result of one piece.
    fn give(&self) -> TokenStream {
        let (total, output) = (self.local("total"), self.local("output"));
        match &self.nests.output {
            Shape::Dense => TokenStream::new(),
            Shape::Total => quote!(#total),
            Shape::Fibers(_) | Shape::Scattered => quote!(#output),
        }
    }

    fn dense(&self, loops: TokenStream, variables: &Variables) -> TokenStream {
        let (output, runtime) = (self.names.local(&self.arrays.operands[0]), self.runtime);
        // A vector of known length: a loop over it needs no check.
        let exact = match self.kernel.output.as_slice() {
            [index] if mentions_index(&loops, &output) => {
                let extent = self.extent(*index, variables);
                Some(quote!(let #output = &mut #output[..#extent];))
            }
            _ => None,
        };
        let zero = self
            .nests
            .zero_first
            .then(|| quote!(#output.fill(<T::Sum as #runtime::Scalar>::ZERO);));
        quote!(#exact #zero #loops ::core::result::Result::Ok(()))
    }

    fn total(&self, loops: &TokenStream) -> TokenStream {
        let (total, start) = (self.local("total"), start(self.kernel.reduction.into(), self.runtime));
        quote!(let mut #total = #start; #loops ::core::result::Result::Ok(T::narrow(#total)))
    }

    /// The pieces of a result, put together and made the format that is asked for.
    fn result(&self, of: &TokenStream, loops: &TokenStream, into: &TokenStream, variables: &Variables) -> TokenStream {
        let (pieces, shape) = (self.local("pieces"), self.local("shape"));
        let extents = self.kernel.output.iter().map(|&index| self.extent(index, variables));
        quote! {
            let #shape = [#(#extents),*];
            let mut #pieces = ::std::vec::Vec::new();
            #loops
            #of::join(#pieces).unwrap_or_else(|| #of::new(#shape)).into_format(#into)
        }
    }

    fn fibers(&self, order: &[usize], loops: &TokenStream, variables: &Variables) -> TokenStream {
        let (private, runtime, dims) = (self.private, self.runtime, count(order.len()));
        let loop_order = self.loop_order(order);
        let keys = self.nests.workspace_dims().map(|dims| {
            let keys = self.local("keys");
            let extents = dims.iter().map(|&dim| self.extent(self.kernel.output[dim], variables));
            quote!(let #keys = #private::workspace_keys([#(#extents),*])?;)
        });
        let result = self.result(
            &quote!(#private::Fibers::<T, LoopOrder, #dims, _>),
            loops,
            &quote!(#runtime::Limit::default()),
            variables,
        );
        let (room, stored) = (self.local("room"), self.stored());
        quote!(#loop_order #keys let #room = #stored; #result)
    }

    fn scattered(&self, loops: &TokenStream, variables: &Variables) -> TokenStream {
        let (private, runtime, combined) = (self.private, self.runtime, self.combined());
        self.result(
            &quote!(#private::Scattered),
            loops,
            &quote!(#combined, #runtime::Limit::default()),
            variables,
        )
    }

    /// The order of the loops as the encoding of a format: entries down to the last level but one, and a fiber below each.
    fn loop_order(&self, order: &[usize]) -> TokenStream {
        let private = self.private;
        let names: Vec<&str> = self
            .kernel
            .output
            .iter()
            .map(|&index| self.kernel.indices[index].as_str())
            .collect();
        let numbers: Vec<_> = order.iter().map(|&dim| count(dim)).collect();
        let levels = order.iter().enumerate().map(|(level, &dim)| {
            let (name, number, merged) = (names[dim], count(dim), level + 2 == order.len());
            quote! {
                #private::LevelForm {
                    name: #name,
                    text: #name,
                    form: #private::Form { terms: &[(#private::Atom::Dim(#number), 1)], constant: 0 },
                    merged: #merged,
                    trimmed: true,
                }
            }
        });
        quote! {
            struct LoopOrder;
            impl #private::LoopOrder for LoopOrder {
                const ENCODING: &'static #private::Encoding = &#private::Encoding {
                    name: "the loops",
                    dims: &[#(#names),*],
                    levels: &[#(#levels),*],
                    queries: &[],
                    packs: &[],
                    partition: ::core::option::Option::None,
                };
                const DIMS: &'static [usize] = &[#(#numbers),*];
            }
        }
    }
}

/// How often a name occurs.
fn occurrences(tokens: &TokenStream, name: &Ident) -> usize {
    let occurrences = tokens.clone().into_iter().map(|token| match token {
        TokenTree::Ident(ident) => usize::from(ident == *name),
        TokenTree::Group(group) => occurrences(&group.stream(), name),
        _ => 0,
    });
    occurrences.sum()
}

/// Whether the array is accessed by index somewhere in the tokens.
fn mentions_index(tokens: &TokenStream, array: &Ident) -> bool {
    let mut after_array = false;
    tokens.clone().into_iter().any(|token| {
        let found = match &token {
            TokenTree::Group(group) => {
                (after_array && group.delimiter() == Delimiter::Bracket) || mentions_index(&group.stream(), array)
            }
            _ => false,
        };
        after_array = matches!(&token, TokenTree::Ident(ident) if ident == array);
        found
    })
}

/// Whether a loop inside goes over neighbouring elements: adds to them, or adds them up.
fn has_neighbours(stmt: &Stmt) -> bool {
    let moves = |range: &Range, at: &Expr| matches!(at.split(range.var), Some((Expr::Int(1), _)));
    let adds_to = |range: &Range| match range.body.as_slice() {
        [Stmt::Accumulate { place, value, .. }] => match place {
            Place::Element(_, at) => moves(range, at),
            Place::Sum => {
                let mut any = false;
                value.for_each_load(&mut |_, at| any |= moves(range, at));
                any
            }
            _ => false,
        },
        _ => false,
    };
    match stmt {
        Stmt::Tiles(_) => true,
        Stmt::Range(range) if adds_to(range) => true,
        stmt => stmt.body().iter().any(has_neighbours),
    }
}
