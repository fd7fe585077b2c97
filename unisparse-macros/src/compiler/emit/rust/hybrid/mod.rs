//! Prints a hybrid as Rust: its struct, its splitting, and operations on all of its parts.

mod splitting;
mod tensor;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::format::cfgs_in;
use super::format::methods::{consumed, conversions};
use super::format::values::{are_free, map_values, no_map_values};
use super::lookup::lookups;
use super::print::count;
use super::serial::{self, Serial};
use super::{Names, stored};
use crate::compiler::diagnostics;
use crate::compiler::operand::hybrid::Hybrid;
use crate::compiler::syntax::hybrid::HybridDecl;
use crate::compiler::transport::{self, Runtime};

/// The tokens that all sections of an expansion share.
struct Pieces<'a> {
    declaration: &'a HybridDecl,
    hybrid: &'a Hybrid,
    names: Names,
    /// The run time's root, such as `::unisparse`.
    runtime: TokenStream,
    /// The path `::unisparse::__private`.
    private: TokenStream,
    /// The trait of the values: `::unisparse::Stored`, or `::unisparse::Padding` if a part has holes.
    element: TokenStream,
    cfg: TokenStream,
    /// The declared parameters: `const B: usize,` for each.
    declared: TokenStream,
    /// The type, such as `BdiaCsr<T, B>`.
    this: TokenStream,
    dims: Literal,
    /// The fields, one for each part.
    fields: Vec<Ident>,
    /// The types of the fields, such as `Bdia<T, B>`.
    types: Vec<TokenStream>,
}

/// Returns the struct of a hybrid and all of its implementations except kernels.
pub(crate) fn hybrid(declaration: &HybridDecl, hybrid: &Hybrid, runtime: &Runtime) -> TokenStream {
    let names = Names::new(declaration.name.span());
    let runtime = runtime.at(names.span());
    let name = &declaration.name;
    let parameters = declaration.parameters.iter().map(|parameter| &parameter.name);
    let declared = parameters.clone().map(|parameter| quote!(const #parameter: usize,));
    let types = declaration.parts.iter().map(|part| {
        let (path, arguments) = (&part.path, &part.arguments);
        quote!(#path<T, #(#arguments),*>)
    });
    let pieces = Pieces {
        declaration,
        hybrid,
        names,
        private: quote!(#runtime::__private),
        element: stored(hybrid.parts.iter().any(|part| part.storage.holes), &runtime),
        runtime,
        cfg: cfgs_in(&declaration.attributes),
        declared: declared.collect(),
        this: quote!(#name<T, #(#parameters),*>),
        dims: count(hybrid.grouping.dims.len()),
        fields: hybrid.parts.iter().map(|part| names.public(&part.field)).collect(),
        types: types.collect(),
    };
    let (definition, splitting, parts, methods, tensor) = (
        pieces.definition(),
        pieces.splitting(),
        pieces.parts(),
        pieces.methods(),
        pieces.tensor(),
    );
    let serial = pieces.serial();
    quote!(#definition #splitting #parts #methods #tensor #serial)
}

impl Pieces<'_> {
    fn implementation(&self, methods: &TokenStream) -> TokenStream {
        let Pieces {
            element,
            cfg,
            declared,
            this,
            ..
        } = self;
        quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, dead_code, non_snake_case)]
            impl<T: #element, #declared> #this {
                #methods
            }
        }
    }

    /// Returns the traits of `serde`.
    fn serial(&self) -> TokenStream {
        let parameters = self.declaration.parameters.iter();
        let serial = Serial {
            runtime: &self.runtime,
            cfg: &self.cfg,
            name: &self.declaration.name,
            element: &self.element,
            declared: &self.declared,
            given: parameters.map(|parameter| parameter.name.clone()).collect(),
            members: self.fields.iter().cloned().map(serial::Member::Item).collect(),
        };
        serial.implementations()
    }

    /// Returns the parts' fields as a list for documentation.
    fn field_list(&self) -> String {
        diagnostics::list(self.hybrid.parts.iter().map(|part| part.field.as_str()))
    }

    fn definition(&self) -> TokenStream {
        let HybridDecl {
            attributes,
            visibility,
            name,
            parameters,
            ..
        } = self.declaration;
        let (fields, types) = (&self.fields, &self.types);
        let text = format!(
            "# Parts\n\n```text\n{}\n```\n\n{}\n\nWithout given thresholds (`convert`), {}.\n",
            self.hybrid.text,
            self.rule(),
            self.thresholds_rule(),
        );
        quote! {
            #(#attributes)*
            #[doc = ""]
            #[doc = #text]
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #[allow(non_snake_case)]
            #visibility struct #name<T, #(#parameters)*> {
                #(#fields: #types,)*
            }
        }
    }

    fn parts(&self) -> TokenStream {
        let Pieces {
            runtime,
            private,
            fields,
            types,
            dims,
            ..
        } = self;
        let list = self.field_list();
        let from = format!("Creates a tensor from its parts: {list}.");
        let refs = format!("Returns the parts: {list}.");
        let texts: Vec<&str> = self.hybrid.parts.iter().map(|part| part.field.as_str()).collect();
        let name = &self.hybrid.name;
        self.implementation(&quote! {
            #[doc = #from]
            ///
            /// An element may be in any part, whatever part the declaration would choose for it.
            ///
            /// # Errors
            /// `Shape` if their shapes differ, `Duplicate` if two parts have an element of the same coordinates.
            pub fn try_from_parts(#(#fields: #types),*) -> ::core::result::Result<Self, #runtime::Error> {
                #private::Disjoint::<#dims>::new(#name)#(.with(#texts, &#fields)?)*.check()?;
                ::core::result::Result::Ok(Self { #(#fields),* })
            }

            #[doc = #refs]
            #[must_use]
            pub fn parts(&self) -> (#(&#types,)*) {
                (#(&self.#fields,)*)
            }

            #[doc = #refs]
            #[must_use]
            pub fn into_parts(self) -> (#(#types,)*) {
                (#(self.#fields,)*)
            }
        })
    }

    fn methods(&self) -> TokenStream {
        let Pieces {
            runtime,
            private,
            dims,
            fields,
            ..
        } = self;
        let Some((first, rest)) = fields.split_first() else {
            return TokenStream::new();
        };
        let id = transport::id(&self.declaration.name, &self.declaration.tokens);
        let (consumed, conversions) = (consumed(runtime, dims), conversions(runtime, dims));
        let lookups = lookups(runtime, self.hybrid.grouping.dims.len());
        let map_values = self.map_values();
        let title = self.parameters(|name| {
            quote!(::std::format!("{}<{}{}>", #name, #private::short_type_name::<T>(), __parameters))
        });
        self.implementation(&quote! {
            /// Returns the parts and the level table of each.
            #[must_use]
            pub fn describe() -> #runtime::Describe {
                <Self as #runtime::SparseTensor<#dims>>::describe()
            }

            /// Creates a tensor of this shape from its elements, in any order; duplicates are summed. The thresholds
            /// are chosen from the data.
            ///
            /// # Errors
            /// `OutOfBounds` for a coordinate outside the shape; otherwise as `split`.
            pub fn try_from_triplets(
                shape: [usize; #dims],
                triplets: impl ::core::iter::IntoIterator<Item = ([usize; #dims], T)>,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                #runtime::Triplets::try_from_triplets(shape, triplets)?.convert()
            }

            /// Returns the extent of each dim.
            #[must_use]
            pub fn shape(&self) -> [usize; #dims] {
                self.#first.shape()
            }

            /// Returns the number of elements stored in all parts, without holes.
            #[must_use]
            pub fn nnz(&self) -> usize {
                self.#first.nnz() #(+ self.#rest.nnz())*
            }

            /// Returns the number of positions in all parts, including holes.
            #[must_use]
            pub fn stored(&self) -> usize {
                self.#first.stored() #(+ self.#rest.stored())*
            }

            /// Returns the size of all arrays in bytes.
            #[must_use]
            pub fn bytes(&self) -> usize {
                self.#first.bytes() #(+ self.#rest.bytes())*
            }

            /// Iterates over the elements of one part after another, each in its storage order, without holes.
            pub fn iter(&self) -> impl ::core::iter::Iterator<Item = ([usize; #dims], T)> + '_ {
                self.#first.iter() #(.chain(self.#rest.iter()))*
            }

            #lookups

            #consumed

            #conversions

            #map_values

            /// Returns the tensor without its explicit zeros; all other elements stay in their parts.
            ///
            /// # Errors
            /// None in practice, because the result is not larger than the tensor.
            pub fn drop_zeros(&self) -> ::core::result::Result<Self, #runtime::Error> {
                ::core::result::Result::Ok(Self { #(#fields: self.#fields.drop_zeros()?,)* })
            }

            /// Returns the level table of each part with the length of each array, and the size of all arrays in bytes.
            #[must_use]
            pub fn explain(&self) -> #runtime::Explain {
                #private::Explain::of_parts(
                    &#title,
                    &self.shape(),
                    [self.nnz(), self.stored(), self.bytes()],
                    ::std::vec![#(self.#fields.explain()),*],
                )
            }

            /// The hash of the declaration, compared with that of the declaration from which a kernel was compiled.
            #[doc(hidden)]
            pub const __ID: u64 = #id;
        })
    }

    /// Returns `map_values`, or a stand-in that only explains its absence if a query of a part compares values.
    fn map_values(&self) -> TokenStream {
        let (parts, fields) = (&self.hybrid.parts, &self.fields);
        let parameters = self.declaration.parameters.iter().map(|parameter| &parameter.name);
        let this = (&self.declaration.name, &quote!(#(#parameters),*));
        let fields = quote!(#(#fields: self.#fields.map_values(&mut map),)*);
        let holes = parts.iter().any(|part| part.storage.holes);
        if !parts.iter().all(|part| are_free(&part.format)) {
            return no_map_values(this, &self.element, &self.private);
        }
        map_values(this, (&self.element, holes), &fields)
    }

    /// Returns an expression of the hybrid's name, in which `__parameters` is `, B=64` for each parameter.
    fn parameters(&self, expression: impl FnOnce(&str) -> TokenStream) -> TokenStream {
        let template: String = self
            .hybrid
            .grouping
            .parameters
            .iter()
            .map(|parameter| format!(", {}={{}}", parameter.name))
            .collect();
        let given = self
            .hybrid
            .grouping
            .parameters
            .iter()
            .map(|parameter| self.names.public(&parameter.name));
        let expression = expression(&self.hybrid.name);
        quote!({
            let __parameters = ::std::format!(#template, #(#given),*);
            #expression
        })
    }
}
