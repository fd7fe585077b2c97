//! Prints the level table and the index map for the run time's algorithms.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Parts, cfgs};
use crate::compiler::emit::rust::algebra;
use crate::compiler::emit::rust::print::count;
use crate::compiler::example::domain;
use crate::compiler::storage::{FieldKind, Kind, parent_name};
use crate::compiler::syntax::format::FormatDecl;

impl Parts<'_> {
    /// Returns the arrays of a level, as the run time's type.
    pub(super) fn level_arrays(&self, level: usize) -> TokenStream {
        let private = &self.private;
        let array = |kind: FieldKind| {
            let field = self
                .fields
                .iter()
                .find(|field| field.level == level && field.kind == kind);
            match field.map(|field| self.array(field)) {
                Some((array, _)) => quote!(::core::option::Option::Some(#array)),
                None => quote!(::core::option::Option::None),
            }
        };
        let (ptr, idx) = (array(FieldKind::Pointers), array(FieldKind::Indices));
        quote!(#private::LevelArrays { ptr: #ptr, idx: #idx })
    }

    /// Returns the kind of a level, as the run time's type.
    pub(super) fn kind(&self, level: usize) -> TokenStream {
        let private = &self.private;
        match self.storage.levels[level].kind {
            Kind::Fixed => quote!(#private::Kind::Fixed),
            Kind::Given => quote!(#private::Kind::Given),
            Kind::Dense => quote!(#private::Kind::Dense),
            Kind::Counted { pointer } => {
                let pointed = pointer.is_some();
                quote!(#private::Kind::Counted { pointed: #pointed })
            }
            Kind::Aligned { .. } => quote!(#private::Kind::Aligned),
            Kind::Indexed {
                pointer, copied, full, ..
            } => {
                let pointed = pointer.is_some();
                quote!(#private::Kind::Indexed { pointed: #pointed, copied: #copied, full: #full })
            }
        }
    }

    /// Returns the levels that the array of a level leaves out.
    pub(super) fn invariant_over(&self, level: usize) -> TokenStream {
        let over = self.storage.levels[level]
            .invariant_over
            .iter()
            .map(|&over| count(over));
        quote!(&[#(#over),*])
    }

    /// Returns the implementation of the level table and the index map.
    pub(super) fn tree(&self, declaration: &FormatDecl) -> TokenStream {
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
        let cfg = cfgs(declaration);
        let (names, holes, format_name) = (self.names, self.storage.holes, &self.format.name);
        let table = self
            .format
            .levels
            .iter()
            .zip(&self.storage.levels)
            .enumerate()
            .map(|(at, (level, stored))| {
                let (level_name, expression, why, storage) =
                    (&level.name, &level.text, &stored.why, stored.kind.to_string());
                let domain = domain(self.format, level);
                let pointer_name = parent_name(self.format, self.storage, at);
                let kind = self.kind(at);
                let measured = level.measured;
                let invariant_over = self.invariant_over(at);
                let invariant = match level.invariant.map(count) {
                    None => quote!(::core::option::Option::None),
                    Some(over) => quote!(::core::option::Option::Some(#over)),
                };
                quote! {
                    #private::Level {
                        name: #level_name,
                        pointer_name: #pointer_name,
                        expression: #expression,
                        domain: #domain,
                        kind: #kind,
                        measured: #measured,
                        invariant: #invariant,
                        invariant_over: #invariant_over,
                        storage: #storage,
                        why: #why,
                    }
                }
            });
        let arrays = (0..self.format.levels.len()).map(|level| self.level_arrays(level));
        let domains = algebra::domains(self.format, self.storage, names, private);
        let encode = algebra::encode(self.format, names);
        let decode = algebra::decode(self.format, names, private);
        let (shape, coordinate, coordinates, sizes) = (
            names.local("shape"),
            names.local("coordinate"),
            names.local("coordinates"),
            names.local("sizes"),
        );
        let sized = self.fields.iter().filter(|field| field.kind == FieldKind::Size);
        let sized: Vec<TokenStream> = sized
            .map(|field| {
                let (at, name) = (count(field.level), self.field(field));
                quote!(sizes[#at] = self.#name;)
            })
            .collect();
        let sizes_of_self = (!sized.is_empty()).then(|| {
            quote! {
                fn sizes(&self) -> [usize; #levels] {
                    let mut sizes = [0; #levels];
                    #(#sized)*
                    sizes
                }
            }
        });
        let (queries, values, value_count) = (count(self.format.queries.len()), self.values(), self.value_count());
        let prefix: Vec<TokenStream> = self
            .storage
            .given()
            .enumerate()
            .map(|(at, level)| {
                let (at, level) = (count(at), count(level));
                quote!(given[#level] = self.prefix[#at];)
            })
            .collect();
        let given_coordinates = (!prefix.is_empty()).then(|| {
            quote! {
                fn given(&self) -> [i64; #levels] {
                    let mut given = [0; #levels];
                    #(#prefix)*
                    given
                }
            }
        });
        quote! {
            #cfg
            #[automatically_derived]
            #[doc(hidden)]
            #[allow(clippy::all, clippy::pedantic, unused_variables, non_snake_case)]
            impl<T: #element, #declared> #private::Tree<#dims, #levels> for #name<T, #given> {
                type Scalar = T;
                const NAME: &'static str = #format_name;
                const HOLES: bool = #holes;
                const QUERIES: usize = #queries;
                const LEVELS: [#private::Level; #levels] = [#(#table),*];

                fn shape(&self) -> [usize; #dims] {
                    self.shape
                }

                #sizes_of_self

                #given_coordinates

                fn domains(#shape: [usize; #dims], #sizes: &[usize; #levels]) -> ::core::result::Result<[#private::Domain; #levels], #runtime::Error> {
                    #private::check_shape(<Self as #private::Tree<#dims, #levels>>::NAME, #shape)?;
                    #domains
                }

                #[inline]
                fn encode(#coordinate: [usize; #dims], queries: &[i64]) -> [i64; #levels] {
                    #encode
                }

                fn decode(#shape: [usize; #dims], #coordinates: &[i64; #levels]) -> ::core::option::Option<[usize; #dims]> {
                    #decode
                }

                fn arrays(&self) -> [#private::LevelArrays<'_>; #levels] {
                    [#(#arrays),*]
                }

                fn stored(&self) -> usize {
                    #value_count
                }

                fn value(&self, position: usize) -> T {
                    #values[position]
                }
            }
        }
    }
}
