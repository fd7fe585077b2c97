//! Prints the code around the loops of a kernel: threads, pieces, results.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::checks;
use crate::compiler::emit::reductions;
use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::access::{NestArrays, bind_extents, own_name};
use crate::compiler::emit::rust::print::{Arrays as _, Printer, count, identity, import};
use crate::compiler::kernel::{Kernel, Reduction};
use crate::compiler::loops::{Expr, Ownership, Parallel, Piece, Positions, Stmt, Variables};
use crate::compiler::lower::{Across, Nest, Output, Program, Vectors};

/// The code around the loops, which depends on the form of the output.
pub(super) struct Around<'a> {
    pub(super) program: &'a Program<'a>,
    pub(super) names: Names,
    pub(super) runtime: &'a TokenStream,
    pub(super) private: &'a TokenStream,
    pub(super) arrays: &'a NestArrays<'a>,
    /// The name of the extents that the kernel's method receives.
    pub(super) given: &'a Ident,
}

impl Around<'_> {
    /// Returns all nests, in order, and the result.
    pub(super) fn body(&self, variables: &mut Variables) -> TokenStream {
        let Around {
            program,
            names,
            private,
            ..
        } = self;
        let (mut loops, several) = (TokenStream::new(), program.nests.len() > 1);
        for nest in &program.nests {
            let printed = self.nest(nest, variables);
            loops.extend(if several { quote!({ #printed }) } else { printed });
        }
        let body = match &program.output {
            Output::Dense { zero_first } => self.dense(*zero_first, loops, variables),
            Output::Scalar => self.total(&loops),
            Output::Fibers { order, workspace } => self.fibers(order, workspace.as_deref(), &loops, variables),
            Output::Unordered => self.scattered(&loops, variables),
        };
        let (bound, import) = (self.bind_extents(variables, &body), import(*names, private, &body));
        let literals = checks::literals(self.kernel(), &quote!(T), private);
        quote!(#(#literals?;)* #import #bound #body)
    }

    fn kernel(&self) -> &Kernel {
        &self.program.kernel
    }

    fn bind_extents(&self, variables: &Variables, body: &TokenStream) -> TokenStream {
        let given = self.given;
        bind_extents(&self.program.extents, variables, self.names, &quote!(#given), body)
    }

    /// Returns code that runs `over_copies` on transposed copies of operands if the copies pay, else `body`.
    pub(super) fn with_transposed_copies(
        &self,
        copies_of: &[Across],
        over_copies: &TokenStream,
        body: &TokenStream,
        variables: &Variables,
    ) -> TokenStream {
        let (private, work) = (self.private, self.work(variables));
        let (mut copied, mut copies, mut used) = (Vec::new(), Vec::new(), Vec::new());
        let mut back = TokenStream::new();
        for Across { operand, along } in copies_of {
            let extents = |indices: &[usize]| {
                let extents = indices.iter().map(|&index| self.extent(index, variables));
                quote!([#(#extents),*])
            };
            let name = self.names.local(&self.arrays.operands[*operand]);
            let copy = self.local(&format!("{}_transposed", self.arrays.operands[*operand]));
            let (first, end) = (count(along.first), count(along.end));
            if *operand == 0 {
                let extents = extents(&self.kernel().output);
                let start = match self.kernel().reduction {
                    Reduction::Set => {
                        let runtime = self.runtime;
                        quote!(::core::option::Option::Some(<T::Sum as #runtime::Scalar>::ZERO))
                    }
                    _ => quote!(::core::option::Option::None),
                };
                copies.push(quote!(#private::transposed_output(#name, #extents, #first..#end, #work, #start)));
                used.push(quote!(let #name = &mut #copy[..];));
                back = quote!(#private::transpose_back(&#copy, #name, #extents, #first..#end););
                copied.push(quote!(mut #copy));
            } else {
                let views = self.kernel().reads_of(*operand).into_iter();
                let views = views.map(|read| extents(&self.kernel().reads[read].indices));
                copies.push(quote!(#private::transposed_copy(#name, &[#(#views),*], #first..#end, #work)));
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
                let #result = { #(#used)* #over_copies };
                #back
                #result
            } else {
                #body
            }
        }
    }

    /// Returns a name that no operand has.
    fn local(&self, name: &str) -> Ident {
        own_name(self.names, name, || self.arrays.operands.iter().map(String::as_str))
    }

    /// Returns the extent of an index.
    fn extent(&self, index: usize, variables: &Variables) -> Ident {
        self.names.local(variables.name(self.program.extents[index]))
    }

    /// Returns one nest, whose outermost loop runs on threads if it is parallel.
    fn nest(&self, nest: &Nest, variables: &mut Variables) -> TokenStream {
        if let Some((Stmt::Parallel(parallel), sizes)) = nest.body.split_last() {
            return self.parallel(nest, sizes, parallel, variables);
        }
        let printed = self.print(&nest.body, variables);
        let printed = self.vectorised(nest, &self.of_piece(&quote!(0..1), &quote!(1), &printed));
        let bind = self.arrays.bind(&self.program.numbers, variables, &printed);
        match &self.program.output {
            Output::Dense { .. } if nest.vectors == Vectors::Unused => quote!(#bind #printed),
            Output::Dense { .. } => {
                let output = self.names.local(&self.arrays.operands[0]);
                quote!(#bind { let #output = &mut *#output; #printed })
            }
            _ => self.take(&quote!(#bind [{ #printed }])),
        }
    }

    /// Returns a nest whose outermost loop is cut into pieces, after the definitions of sizes that all pieces share.
    fn parallel(&self, nest: &Nest, sizes: &[Stmt], parallel: &Parallel, variables: &mut Variables) -> TokenStream {
        let Some(Piece { from, to, .. }) = &parallel.piece else {
            unreachable!("the run time of Rust runs pieces of loops");
        };
        let (sizes, printed) = (self.print(sizes, variables), self.print(&parallel.body, variables));
        let number = |variables: &mut Variables, expr: &Expr| self.printer(variables).number(expr);
        let (private, local) = (self.private, |var| self.names.local(variables.name(var)));
        let (from, to) = (local(*from), local(*to));
        // This is used as a pattern and as a value.
        let range = quote!(::core::ops::Range { start: #from, end: #to });
        let first = match &parallel.ownership {
            Ownership::Ascending { first, .. } => Some(local(*first)),
            _ => None,
        };
        let count = match &parallel.over {
            Positions::Size(size) => number(variables, size),
            Positions::Entries(level) => {
                let indices = self.arrays.indices(*level);
                quote!(#indices.len())
            }
        };
        let borders = match parallel.balance {
            Some(tensor) => {
                let tensor = &self.arrays.tensors[tensor].tensor;
                quote!(|pieces| #tensor.borders(pieces))
            }
            None => quote!(|pieces| #private::even_borders(#count, pieces)),
        };
        let work = self.work(variables);
        let outer = quote!(#private::Loop { work: #work, count: #count, borders: #borders });
        let output = self.names.local(&self.arrays.operands[0]);
        let printed = self.vectorised(nest, &self.of_piece(&range, &count, &printed));
        let threads = match &parallel.ownership {
            Ownership::Owned(stride) | Ownership::Windows(stride) => {
                // With one element per position, a loop over the elements needs no bounds check.
                let exact = (*stride == Expr::Int(1)).then(|| quote!(let #output = &mut #output[..#to - #from];));
                let stride = number(variables, stride);
                match parallel.split {
                    Some(level) => {
                        let (identity, combined) = (self.identity(), self.combined());
                        let pointers = self.arrays.pointers(level);
                        quote! {
                            #private::divided(#outer, #stride, #output, #pointers, #identity, #combined, |#range, #output, #pointers| {
                                #exact #printed
                            });
                        }
                    }
                    None => quote!(#private::owned(#outer, #stride, #output, |#range, #output| { #exact #printed });),
                }
            }
            Ownership::Ascending { level, stride, .. } => {
                let (stride, indices) = (number(variables, stride), self.arrays.indices(*level));
                quote!(#private::ascending(#outer, |at| #indices.coordinate(at), #stride, #output, |#range, #output, #first| { #printed });)
            }
            Ownership::Shared { stores } => {
                let (identity, combined) = (self.identity(), self.combined());
                quote!(#private::shared(#outer, #output, #stores, #identity, #combined, |#range, #output| { #printed });)
            }
            Ownership::Each => {
                let each = match &self.program.output {
                    Output::Scalar => quote!(each),
                    _ => quote!(built),
                };
                quote!(#private::#each(#outer, |#range| { #printed }))
            }
        };
        let bind = self
            .arrays
            .bind(&self.program.numbers, variables, &quote!(#sizes #threads));
        match &parallel.ownership {
            Ownership::Each => self.take(&quote!(#bind #sizes #threads)),
            _ => quote!(#bind #sizes #threads),
        }
    }

    /// Combines the results of pieces.
    fn take(&self, pieces: &TokenStream) -> TokenStream {
        let (total, all) = (self.local("total"), self.local("pieces"));
        match &self.program.output {
            Output::Scalar => {
                let combined = self.combined();
                quote!(#total = { #pieces }.into_iter().fold(#total, #combined);)
            }
            // A small result would take as long to move into another array as to compute.
            _ if self.program.nests.len() == 1 => quote!(let #all = ::std::vec::Vec::from({ #pieces });),
            _ => quote!(#all.extend({ #pieces });),
        }
    }

    /// Returns a block that runs the outermost loop over the positions `part`, out of `positions`. Its value is the result of these
    /// loops, unless the output is dense.
    fn of_piece(&self, part: &TokenStream, positions: &TokenStream, loops: &TokenStream) -> TokenStream {
        let (start, given) = (self.start(part, positions), self.give());
        quote!(#start #loops #given)
    }

    /// Returns the loops, compiled for the machine's vector instructions if that pays.
    ///
    /// The function that is compiled for these takes what it uses by value: behind references, the compiler would load extents and array
    /// addresses again in each iteration, and check bounds again.
    fn vectorised(&self, nest: &Nest, loops: &TokenStream) -> TokenStream {
        let compiled = match nest.vectors {
            Vectors::Unused => return loops.clone(),
            Vectors::Usual => quote!(multiversioned),
            Vectors::Widest => quote!(multiversioned_wide),
        };
        let (private, registers) = (self.private, self.names.local("registers"));
        quote!(#private::#compiled(#[inline(always)] move |#registers| { #loops }))
    }

    fn printer<'v>(&'v self, variables: &'v mut Variables) -> Printer<'v, NestArrays<'v>> {
        Printer::new(self.names, self.arrays, &self.program.numbers, variables)
    }

    fn print(&self, block: &[Stmt], variables: &mut Variables) -> TokenStream {
        self.printer(variables).print(block)
    }

    /// Returns the number of positions stored in all sparse operands.
    fn stored(&self) -> TokenStream {
        let stored = self.arrays.tensors.iter().map(|of| {
            let tensor = &of.tensor;
            quote!(#tensor.stored())
        });
        stored
            .reduce(|left, right| quote!(#left + #right))
            .unwrap_or_else(|| quote!(0))
    }

    /// Returns the approximate number of multiplications: stored elements times the extents that no sparse operand has.
    fn work(&self, variables: &Variables) -> TokenStream {
        let stored = self.stored();
        let open = self.program.free_extents.iter();
        let open: Vec<Ident> = open.map(|&extent| self.names.local(variables.name(extent))).collect();
        quote!((#stored)#(.saturating_mul(#open))*)
    }

    /// Returns the start value of a piece of the reduction. A conjunction has none, and neither pieces nor a total.
    fn identity(&self) -> Option<TokenStream> {
        identity(self.kernel().reduction.into(), self.runtime)
    }

    /// Returns the function that reduces the results of two pieces.
    fn combined(&self) -> TokenStream {
        reductions::function(self.kernel().reduction.into(), &quote!(T::Sum), self.runtime)
    }

    /// Returns the start of one piece of a result, for the positions `part` of the `positions` of the outermost loop.
    fn start(&self, part: &TokenStream, positions: &TokenStream) -> TokenStream {
        let (private, identity) = (self.private, self.identity());
        let (total, output, fiber) = (self.local("total"), self.local("output"), self.local("workspace"));
        let shape = self.local("shape");
        match &self.program.output {
            Output::Dense { .. } => TokenStream::new(),
            Output::Scalar => quote!(let mut #total = #identity;),
            Output::Fibers { order, workspace } => {
                let fibers = self.fibers_type(order);
                let (keys, room) = (self.local("keys"), self.local("room"));
                let fiber = workspace
                    .as_ref()
                    .map(|_| quote!(let mut #fiber = #private::Workspace::new(#keys);));
                quote! {
                    let mut #output = #fibers::of_part(#shape, #room, #part, #positions);
                    #fiber
                }
            }
            Output::Unordered => quote!(let mut #output = #private::Scattered::new(#shape);),
        }
    }

    /// Returns the result of one piece.
    fn give(&self) -> TokenStream {
        let (total, output) = (self.local("total"), self.local("output"));
        match &self.program.output {
            Output::Dense { .. } => TokenStream::new(),
            Output::Scalar => quote!(#total),
            Output::Fibers { .. } | Output::Unordered => quote!(#output),
        }
    }

    fn dense(&self, zero_first: bool, loops: TokenStream, variables: &Variables) -> TokenStream {
        let (output, runtime) = (self.names.local(&self.arrays.operands[0]), self.runtime);
        // The slice has the length of the loop, so the loop needs no bounds check.
        let exact = match self.kernel().output.as_slice() {
            [index] => {
                let extent = self.extent(*index, variables);
                Some(quote!(let #output = &mut #output[..#extent];))
            }
            _ => None,
        };
        let zero = zero_first.then(|| quote!(#output.fill(<T::Sum as #runtime::Scalar>::ZERO);));
        quote!(#exact #zero #loops ::core::result::Result::Ok(()))
    }

    fn total(&self, loops: &TokenStream) -> TokenStream {
        let start = reductions::start(self.kernel().reduction.into(), &quote!(T::Sum), self.runtime);
        let total = self.local("total");
        quote!(let mut #total = #start; #loops ::core::result::Result::Ok(T::narrow(#total)))
    }

    /// Returns the joined pieces of a result, converted to the requested format.
    fn result(&self, of: &TokenStream, loops: &TokenStream, into: &TokenStream, variables: &Variables) -> TokenStream {
        let (pieces, shape) = (self.local("pieces"), self.local("shape"));
        let extents = self.kernel().output.iter().map(|&index| self.extent(index, variables));
        let several = self.program.nests.len() != 1;
        let collected = several.then(|| quote!(let mut #pieces = ::std::vec::Vec::new();));
        quote! {
            let #shape = [#(#extents),*];
            #collected
            #loops
            #of::join(#pieces).unwrap_or_else(|| #of::new(#shape)).into_format(#into)
        }
    }

    fn fibers(
        &self,
        order: &[usize],
        workspace: Option<&[usize]>,
        loops: &TokenStream,
        variables: &Variables,
    ) -> TokenStream {
        let (private, runtime) = (self.private, self.runtime);
        let keys = workspace.map(|dims| {
            let keys = self.local("keys");
            let extents = dims
                .iter()
                .map(|&dim| self.extent(self.kernel().output[dim], variables));
            quote!(let #keys = #private::workspace_keys([#(#extents),*])?;)
        });
        let result = self.result(
            &self.fibers_type(order),
            loops,
            &quote!(#runtime::Limit::default()),
            variables,
        );
        let (room, stored) = (self.local("room"), self.stored());
        quote!(#keys let #room = #stored; #result)
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

    /// Returns the type of a sparse output whose loops are in this order of dims.
    fn fibers_type(&self, order: &[usize]) -> TokenStream {
        let (private, dims) = (self.private, count(order.len()));
        let order = order.iter().map(|&dim| count(dim));
        quote!(#private::Fibers::<T, #dims, { #private::loop_order([#(#order),*]) }, _>)
    }
}
