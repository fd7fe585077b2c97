//! Prints the assembly of a format from a source, as calls of the run time.

use proc_macro2::TokenStream;
use quote::quote;

use super::Parts;
use super::pack::Member;
use super::queries::{Enumeration, enumeration, evaluate};
use crate::compiler::emit::rust::print::count;
use crate::compiler::storage::{FieldKind, Kind};

/// How a tensor is made from a source.
pub(super) struct Assembly {
    /// The implementation of methods that the body calls, if there are any.
    pub(super) methods: TokenStream,
    /// The body of `assemble`.
    pub(super) body: TokenStream,
}

impl Parts<'_> {
    /// Returns the assembly from a source: the elements in storage order, after evaluating the queries, then the levels.
    pub(super) fn assembly(&self, paddings: &TokenStream) -> Assembly {
        let (private, dims, levels) = (&self.private, &self.dims, &self.levels);
        let (shape, calls, built) = (self.names.local("shape"), self.level_calls(), self.built(paddings));
        let build = quote!(#calls #built);
        let assembly = quote!(#private::Assembly::<Self, _, #dims, #levels>);
        if self.format.queries.is_empty() {
            return Assembly {
                methods: TokenStream::new(),
                body: quote! {
                    let #shape = source.shape();
                    let mut levels = #assembly::new(source, limit)?;
                    #build
                },
            };
        }
        let paths = [&self.runtime, &self.private];
        let evaluate = evaluate(self.format, self.names, paths);
        let queried = quote!(#assembly::with_queries(source, limit, Self::__evaluate)?);
        // Only where there are holes can elements be written to their places.
        let places = self.storage.holes.then(|| enumeration(self.format, self.names, paths));
        match places.flatten() {
            Some(enumeration) => self.enumerated(&enumeration, &evaluate, &build, &[assembly, queried]),
            None => Assembly {
                methods: self.hidden_methods(&evaluate),
                body: quote! {
                    let #shape = source.shape();
                    let mut levels = #queried;
                    #build
                },
            },
        }
    }

    /// Returns an assembly that tries to number the elements while it visits them, and otherwise takes the `queried` levels.
    fn enumerated(
        &self,
        Enumeration {
            checks,
            clauses,
            results,
        }: &Enumeration,
        evaluate: &TokenStream,
        build: &TokenStream,
        [assembly, queried]: &[TokenStream; 2],
    ) -> Assembly {
        let Parts {
            runtime,
            private,
            dims,
            levels,
            ..
        } = self;
        let shape = self.names.local("shape");
        let build = quote! {
            /// Builds the levels, from elements with the results of the queries.
            fn __build<__Elements: #private::Coded<Self, #dims, #levels>>(
                #shape: [usize; #dims],
                mut levels: #private::Assembly<Self, __Elements, #dims, #levels>,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                #build
            }
        };
        Assembly {
            methods: self.hidden_methods(&quote!(#evaluate #build)),
            body: quote! {
                #checks
                if let ::core::option::Option::Some(levels) = #assembly::enumerated(source, limit, #clauses, #results)? {
                    return Self::__build(source.shape(), levels);
                }
                Self::__build(source.shape(), #queried)
            },
        }
    }

    /// Returns the implementation of methods that only generated code calls.
    fn hidden_methods(&self, methods: &TokenStream) -> TokenStream {
        let Parts {
            element,
            name,
            declared,
            given,
            ..
        } = self;
        quote! {
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, dead_code, non_snake_case)]
            impl<T: #element, #declared> #name<T, #given> {
                #methods
            }
        }
    }

    /// Returns the levels from the root down, as calls of the assembly.
    fn level_calls(&self) -> TokenStream {
        let mut calls = TokenStream::new();
        for (level, stored) in self.storage.levels.iter().enumerate() {
            let number = count(level);
            let pointers = self.name_of(level, FieldKind::Pointers);
            let indices = self.name_of(level, FieldKind::Indices);
            let size = self.name_of(level, FieldKind::Size);
            for below in self.storage.invariant_from(level) {
                let (indices, below) = (self.name_of(below, FieldKind::Indices), count(below));
                calls.extend(quote!(let #indices = levels.invariant(#below)?;));
            }
            match stored.kind {
                Kind::Aligned { .. } if self.storage.is_invariant(level) => {}
                Kind::Fixed | Kind::Given => {}
                Kind::Dense => {
                    calls.extend(quote!(levels.dense(#number)?;));
                    calls.extend(size.map(|size| quote!(let #size = levels.size(#number);)));
                }
                Kind::Counted { .. } => {
                    calls.extend(size.map(|size| quote!(let #size = levels.counted_root(#number)?;)));
                    calls.extend(pointers.map(|pointers| quote!(let #pointers = levels.counted(#number)?;)));
                }
                Kind::Aligned { .. } => calls.extend(quote!(let #indices = levels.aligned(#number)?;)),
                Kind::Indexed { .. } => {
                    if self.storage.starts_chain(level) {
                        let last = count(self.storage.chain_end(level));
                        calls.extend(match pointers {
                            Some(pointers) => quote!(let #pointers = levels.entries(#number, #last)?;),
                            None => quote!(levels.root_entries(#number, #last)?;),
                        });
                    }
                    calls.extend(size.map(|size| quote!(let #size = levels.size(#number);)));
                    calls.extend(quote!(let #indices = levels.indices(#number)?;));
                }
            }
        }
        calls
    }

    /// Returns the tensor, from the arrays of all levels and the values of `levels`. `paddings` accounts for the
    /// padding of tuples.
    pub(super) fn built(&self, paddings: &TokenStream) -> TokenStream {
        let (members, shape) = (self.members(), self.names.local("shape"));
        let members = members.iter().map(|member| self.member(member));
        let held = self.member(&Member::Values);
        let packed = self.storage.tuple_arrays.iter().map(|tuples| self.interleave(tuples));
        quote! {
            #paddings
            let #held = levels.values()?;
            #(#packed)*
            ::core::result::Result::Ok(Self { #shape, #(#members,)* })
        }
    }
}
