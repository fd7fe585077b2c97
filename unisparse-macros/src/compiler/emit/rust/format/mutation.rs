//! Prints conversions on arrays: the arrays that a tensor lends, and the construction of a tensor from lent arrays.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Parts, cfgs};
use crate::compiler::emit::rust::print::count;
use crate::compiler::storage::{FieldKind, Kind};
use crate::compiler::syntax::format::FormatDecl;

impl Parts<'_> {
    /// Whether operators on single levels can convert from or to the format's arrays.
    fn has_operators(&self) -> bool {
        let known = |kind| match kind {
            Kind::Fixed | Kind::Dense => true,
            Kind::Indexed { full, .. } => !full,
            Kind::Given | Kind::Counted { .. } | Kind::Aligned { .. } => false,
        };
        self.format.queries.is_empty() && self.storage.levels.iter().all(|level| known(level.kind))
    }

    /// Returns `KINDS`, `lend` and `give` of a source.
    pub(super) fn lent_and_given(&self) -> TokenStream {
        if !self.has_operators() {
            return TokenStream::new();
        }
        let (private, lent, given) = (
            &self.private,
            self.handed_over(&|array| quote!(Borrowed(&#array))),
            self.handed_over(&|array| quote!(Owned(#array))),
        );
        let kinds = (0..self.format.levels.len()).map(|level| self.kind(level));
        let values = match self.packed_values() {
            None => quote!(self.values.iter().copied()),
            Some(_) => quote!(Self::values(self)),
        };
        quote! {
            const KINDS: &'static [#private::Kind] = &[#(#kinds),*];

            fn lent_values(&self) -> impl ::core::iter::ExactSizeIterator<Item = T> + '_ {
                #values
            }

            fn lend<'__a>(&'__a self, to: &mut #private::Arrays<'__a, T>) {
                #lent
            }

            fn give(self, to: &mut #private::Arrays<'_, T>) {
                #given
            }
        }
    }

    /// Returns all arrays. Arrays inside tuples are copied out of them.
    fn handed_over(&self, hand: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
        let arrays = self.array_fields().map(|field| {
            let level = count(field.level);
            let kind = match field.kind {
                FieldKind::Pointers => quote!(pointers),
                FieldKind::Indices | FieldKind::Size => quote!(indices),
            };
            let array = if self.is_packed(field) {
                let (reference, _) = self.array(field);
                quote!(Owned((#reference).unpacked()))
            } else {
                let name = self.field(field);
                hand(quote!(self.#name))
            };
            quote!(to.#kind(#level, ::std::borrow::Cow::#array);)
        });
        let values = match self.packed_values() {
            None => hand(quote!(self.values)),
            Some(_) => {
                let values = self.values();
                quote!(Owned(#values.iter().collect()))
            }
        };
        quote!(#(#arrays)* to.values(::std::borrow::Cow::#values);)
    }

    /// Returns the start of `assemble`, and `assemble_from`.
    pub(super) fn assembly_from_arrays(&self) -> (TokenStream, TokenStream) {
        if !self.has_operators() {
            return (TokenStream::new(), TokenStream::new());
        }
        let Parts {
            runtime,
            private,
            dims,
            levels,
            ..
        } = self;
        let mutation = quote!(#private::Mutation::<Self, #dims, #levels>);
        let borrowed = quote! {
            if const { #private::reaches::<__Source, Self, #dims>() } {
                if let ::core::option::Option::Some(mutation) = #mutation::lent(source) {
                    return Self::__mutated(mutation, limit);
                }
            }
        };
        let consumed = quote! {
            fn assemble_from<__Source: #runtime::Source<#dims, Scalar = T>>(
                mut source: __Source,
                limit: #runtime::Limit,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                if const { #private::reaches::<__Source, Self, #dims>() } {
                    match #mutation::given(source) {
                        ::core::result::Result::Ok(mutation) => return Self::__mutated(mutation, limit),
                        ::core::result::Result::Err(kept) => source = kept,
                    }
                }
                Self::assemble(&source, limit)
            }
        };
        (borrowed, consumed)
    }

    /// Returns the construction of a tensor from the arrays of another. `paddings` accounts for the padding of tuples.
    pub(super) fn mutated(&self, declaration: &FormatDecl, paddings: &TokenStream) -> TokenStream {
        if !self.has_operators() {
            return TokenStream::new();
        }
        let Parts {
            element,
            runtime,
            private,
            name,
            declared,
            given,
            dims,
            levels,
            ..
        } = self;
        let arrays = self.array_fields().map(|field| {
            let (name, level) = (self.field(field), count(field.level));
            match field.kind {
                FieldKind::Pointers => quote!(let #name = levels.pointers(#level)?;),
                FieldKind::Indices | FieldKind::Size => quote!(let #name = levels.indices(#level)?;),
            }
        });
        let cfg = cfgs(declaration);
        let (shape, built) = (self.names.local("shape"), self.built(paddings));
        quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
            impl<T: #element, #declared> #name<T, #given> {
                fn __mutated(
                    mut levels: #private::Mutation<'_, Self, #dims, #levels>,
                    limit: #runtime::Limit,
                ) -> ::core::result::Result<Self, #runtime::Error> {
                    let #shape = levels.shape();
                    levels.mutate(limit)?;
                    #(#arrays)*
                    #built
                }
            }
        }
    }
}
