//! A hybrid as Rust: its struct, how it is split, and its parts taken together.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::format::cfgs_in;
use super::format::methods::consumed;
use super::format::queries::evaluate;
use super::format::values::{are_free, map_values};
use super::print::count;
use super::{Names, stored};
use crate::compiler::diagnostics;
use crate::compiler::hybrid::{Hybrid, Threshold};
use crate::compiler::runtime::Runtime;
use crate::compiler::syntax::hybrid::HybridDecl;
use crate::compiler::transport;

/// The pieces that every part of an expansion names.
struct Pieces<'a> {
    declaration: &'a HybridDecl,
    hybrid: &'a Hybrid,
    names: Names,
    /// `::unisparse`
    runtime: TokenStream,
    /// `::unisparse::__private`
    private: TokenStream,
    /// What values are: `::unisparse::Stored`, or `::unisparse::Padding` where a part has holes.
    element: TokenStream,
    cfg: TokenStream,
    /// `const B: usize,` for each parameter.
    declared: TokenStream,
    /// `BdiaCsr<T, B>`
    this: TokenStream,
    dims: Literal,
    /// The fields, one for each part.
    fields: Vec<Ident>,
    /// `Bdia<T, B>`
    types: Vec<TokenStream>,
}

/// The struct of a hybrid and everything implemented for it, except kernels.
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
    quote!(#definition #splitting #parts #methods #tensor)
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

    /// The parts' fields as a list for documentation.
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
            "# Parts\n\n```text\n{}\n```\n\n{}\n\nWhere the thresholds are not given (`convert`), {}.\n",
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

    /// Which elements go where.
    fn rule(&self) -> String {
        let mut text = format!("By `{}` of an element's group:", self.hybrid.query().text);
        for (part, threshold) in self.hybrid.parts.iter().zip(&self.hybrid.thresholds) {
            text += &format!(" more than `{}` to `{}`,", threshold.text(), part.field);
        }
        let last = self.hybrid.parts.last().map_or("", |part| &part.field);
        format!("{text} the rest to `{last}`.")
    }

    /// How thresholds are chosen that are not given.
    fn thresholds_rule(&self) -> String {
        let count = self.hybrid.thresholds.len();
        let named = self
            .hybrid
            .thresholds
            .iter()
            .enumerate()
            .filter_map(|(at, threshold)| match threshold {
                Threshold::Name(name) => Some(format!("`{name}` is {}/{} of it", count - at, count + 1)),
                Threshold::Number(_) => None,
            });
        let named: Vec<String> = named.collect();
        if named.is_empty() {
            return "they are the numbers of the declaration".to_owned();
        }
        format!(
            "they follow the greatest of all groups: {}, rounded down",
            named.join(", ")
        )
    }

    fn splitting(&self) -> TokenStream {
        let Pieces {
            runtime,
            private,
            dims,
            fields,
            names,
            ..
        } = self;
        let named = self.hybrid.thresholds.iter().filter_map(|threshold| match threshold {
            Threshold::Name(name) => Some(names.public(name)),
            Threshold::Number(_) => None,
        });
        let named: Vec<Ident> = named.collect();
        let thresholds = |given: bool| {
            let thresholds = self.hybrid.thresholds.iter().map(|threshold| match threshold {
                Threshold::Name(name) if given => {
                    let name = names.public(name);
                    quote!(::core::option::Option::Some(#name))
                }
                Threshold::Name(_) => quote!(::core::option::Option::None),
                Threshold::Number(number) => {
                    let number = Literal::i64_unsuffixed(*number);
                    quote!(::core::option::Option::Some(#number))
                }
            });
            quote!([#(#thresholds),*])
        };
        let (given, automatic) = (thresholds(true), thresholds(false));
        let thresholds = count(self.hybrid.thresholds.len());
        let (source, limit) = (names.local("source"), names.local("limit"));
        let numbers = (0..fields.len()).map(count);
        let evaluate = evaluate(&self.hybrid.grouping, *names, private);
        let name = &self.hybrid.name;
        let parameters = self.declaration.parameters.iter().map(|parameter| &parameter.name);
        let messages = parameters
            .clone()
            .map(|parameter| format!("const parameter `{parameter}` of `{name}` is at least 1"));
        let (rule, chosen) = (self.rule(), format!("\n\nThresholds: {}.", self.thresholds_rule()));
        self.implementation(&quote! {
            /// The elements of a source, each in its part.
            ///
            #[doc = #rule]
            ///
            /// # Errors
            /// `Limit` if the storage of a part would take more bytes than the default limit, `Overflow` if an
            /// index, a pointer or the number of a group does not fit, `Duplicate` if the source rejects its own.
            pub fn split(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
                #(#named: i64,)*
            ) -> ::core::result::Result<Self, #runtime::Error> {
                Self::__split(#source, #given, #runtime::Limit::default())
            }

            /// `split`, under a limit of the caller's for all parts together.
            ///
            /// # Errors
            /// As `split`.
            pub fn split_within(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
                #(#named: i64,)*
                #limit: #runtime::Limit,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                Self::__split(#source, #given, #limit)
            }

            /// `split` by thresholds that are chosen from the data, as conversion into this format does.
            #[doc = #chosen]
            ///
            /// # Errors
            /// As `split`.
            pub fn split_auto(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                Self::__split(#source, #automatic, #runtime::Limit::default())
            }

            fn __split_auto_within(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
                #limit: #runtime::Limit,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                Self::__split(#source, #automatic, #limit)
            }

            fn __evaluate(
                queries: &mut #private::Queries<'_, T, #dims, 1>,
            ) -> ::core::result::Result<(), #runtime::Error> {
                (#evaluate)(queries)
            }

            fn __split(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
                thresholds: [::core::option::Option<i64>; #thresholds],
                #limit: #runtime::Limit,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                let mut split = Self::__divide(#source, thresholds, #limit)?;
                ::core::result::Result::Ok(Self { #(#fields: split.part(#numbers)?,)* })
            }

            fn __divide(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
                thresholds: [::core::option::Option<i64>; #thresholds],
                #limit: #runtime::Limit,
            ) -> ::core::result::Result<#private::Split<T, #dims>, #runtime::Error> {
                #(const { ::core::assert!(#parameters > 0, #messages) };)*
                #private::Split::new(#name, #source, #limit, thresholds, Self::__evaluate)
            }
        })
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
        let from = format!("The tensor of these parts: {list}.");
        let refs = format!("The parts: {list}.");
        let texts: Vec<&str> = self.hybrid.parts.iter().map(|part| part.field.as_str()).collect();
        let name = &self.hybrid.name;
        self.implementation(&quote! {
            #[doc = #from]
            ///
            /// Which element is in which part is not looked at, whatever the declaration would have chosen.
            ///
            /// # Errors
            /// `Shape` if their shapes differ, `Duplicate` if two of them hold one element.
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
        let consumed = consumed(runtime, dims);
        let map_values = self.map_values();
        let title = self
            .parameters(|name| quote!(::std::format!("{}<{}{}>", #name, ::core::any::type_name::<T>(), __parameters)));
        self.implementation(&quote! {
            /// The parts, and the level table of each.
            #[must_use]
            pub fn describe() -> #runtime::Describe {
                <Self as #runtime::SparseTensor<#dims>>::describe()
            }

            /// A tensor of this shape with these elements, in any order; duplicates are summed. It is split by
            /// thresholds that are chosen from the data.
            ///
            /// # Errors
            /// `OutOfBounds` for a coordinate outside the shape, and as `split`.
            pub fn try_from_triplets(
                shape: [usize; #dims],
                triplets: impl ::core::iter::IntoIterator<Item = ([usize; #dims], T)>,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                #runtime::Triplets::try_from_triplets(shape, triplets)?.convert()
            }

            /// The extent of each dimension.
            #[must_use]
            pub fn shape(&self) -> [usize; #dims] {
                self.#first.shape()
            }

            /// How many elements are stored in all parts, holes not counted.
            #[must_use]
            pub fn nnz(&self) -> usize {
                self.#first.nnz() #(+ self.#rest.nnz())*
            }

            /// How many positions are held in all parts, holes counted.
            #[must_use]
            pub fn stored(&self) -> usize {
                self.#first.stored() #(+ self.#rest.stored())*
            }

            /// The bytes of all arrays.
            #[must_use]
            pub fn bytes(&self) -> usize {
                self.#first.bytes() #(+ self.#rest.bytes())*
            }

            /// The elements of part after part, each in its storage order, holes left out.
            pub fn iter(&self) -> impl ::core::iter::Iterator<Item = ([usize; #dims], T)> + '_ {
                self.#first.iter() #(.chain(self.#rest.iter()))*
            }

            #consumed

            /// This tensor in another format.
            ///
            /// # Errors
            /// `Limit` if the storage would take more bytes than the default limit, `Overflow` if an
            /// index or pointer does not fit.
            pub fn convert<__Format: #runtime::SparseTensor<#dims, Scalar = T>>(&self) -> ::core::result::Result<__Format, #runtime::Error> {
                __Format::assemble(self, #runtime::Limit::default())
            }

            /// This tensor in another format, under a limit of the caller's.
            ///
            /// # Errors
            /// As `convert`.
            pub fn convert_within<__Format: #runtime::SparseTensor<#dims, Scalar = T>>(
                &self,
                limit: #runtime::Limit,
            ) -> ::core::result::Result<__Format, #runtime::Error> {
                __Format::assemble(self, limit)
            }

            #map_values

            /// This tensor without its explicit zeros; every other element stays in its part.
            ///
            /// # Errors
            /// None in practice: what fitted before fits after.
            pub fn drop_zeros(&self) -> ::core::result::Result<Self, #runtime::Error> {
                ::core::result::Result::Ok(Self { #(#fields: self.#fields.drop_zeros()?,)* })
            }

            /// The level table of each part with what each array holds, and the bytes.
            #[must_use]
            pub fn explain(&self) -> #runtime::Explain {
                #private::Explain::of_parts(
                    &#title,
                    &self.shape(),
                    [self.nnz(), self.stored(), self.bytes()],
                    ::std::vec![#(self.#fields.explain()),*],
                )
            }

            /// Which declaration this is: what a kernel was told is compared with it.
            #[doc(hidden)]
            pub const __ID: u64 = #id;
        })
    }

    /// `map_values`, unless a query of a part looks at values.
    fn map_values(&self) -> Option<TokenStream> {
        let (parts, fields) = (&self.hybrid.parts, &self.fields);
        let parameters = self.declaration.parameters.iter().map(|parameter| &parameter.name);
        let this = (&self.declaration.name, &quote!(#(#parameters),*));
        let fields = quote!(#(#fields: self.#fields.map_values(&mut map),)*);
        let holes = parts.iter().any(|part| part.storage.holes);
        let free = parts.iter().all(|part| are_free(&part.format));
        free.then(|| map_values(this, (&self.element, holes), &fields))
    }

    /// An expression of the hybrid's name, in which `__parameters` is `, B=64` for each parameter.
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

    fn tensor(&self) -> TokenStream {
        let Pieces {
            runtime,
            private,
            element,
            cfg,
            declared,
            this,
            dims,
            fields,
            types,
            ..
        } = self;
        let none = self.hybrid.thresholds.iter().map(|threshold| match threshold {
            Threshold::Name(_) => quote!(::core::option::Option::None),
            Threshold::Number(number) => {
                let number = Literal::i64_unsuffixed(*number);
                quote!(::core::option::Option::Some(#number))
            }
        });
        let automatic = quote!([#(#none),*]);
        let numbers = (0..fields.len()).map(count);
        let (name, text) = (&self.hybrid.name, &self.hybrid.text);
        let values = fields
            .iter()
            .map(|field| quote!(#runtime::SparseTensor::<#dims>::values(&self.#field)));
        let values: Vec<TokenStream> = values.collect();
        let Some((first, rest)) = values.split_first() else {
            return TokenStream::new();
        };
        let (visit, source) = (self.names.local("visit"), self.names.local("source"));
        let parameters = self.parameters(|_| {
            quote!(match __parameters.strip_prefix(", ") {
                ::core::option::Option::Some(parameters) => ::std::format!("<{parameters}>"),
                ::core::option::Option::None => __parameters,
            })
        });
        let head = quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
        };
        quote! {
            #head
            impl<T: #element, #declared> #runtime::Source<#dims> for #this {
                type Scalar = T;

                fn shape(&self) -> [usize; #dims] {
                    Self::shape(self)
                }

                fn count(&self) -> usize {
                    self.nnz()
                }

                fn for_each(&self, mut #visit: impl ::core::ops::FnMut([usize; #dims], T)) {
                    #(#runtime::Source::for_each(&self.#fields, &mut #visit);)*
                }
            }

            #head
            impl<T, #declared> #runtime::Encoded for #this {
                const ENCODINGS: &'static [#runtime::Encoding] = &[#(<#types as #runtime::Encoded>::ENCODINGS[0]),*];
                const STORAGE: &'static [#private::Storage] = &[#(<#types as #runtime::Encoded>::STORAGE[0]),*];
            }

            #head
            impl<T: #element, #declared> #runtime::SparseTensor<#dims> for #this {
                const NAME: &'static str = #name;

                fn describe() -> #runtime::Describe {
                    #private::Describe::of_parts(#name, #text, #parameters, ::std::vec![#(<#types>::describe()),*])
                }

                fn nnz(&self) -> usize {
                    Self::nnz(self)
                }

                fn stored(&self) -> usize {
                    Self::stored(self)
                }

                fn bytes(&self) -> usize {
                    Self::bytes(self)
                }

                fn values(&self) -> impl ::core::iter::ExactSizeIterator<Item = T> + '_ {
                    #private::Exactly::new(#first #(.chain(#rest))*, self.stored())
                }

                fn assemble<__Source: #runtime::Source<#dims, Scalar = T>>(
                    #source: &__Source,
                    limit: #runtime::Limit,
                ) -> ::core::result::Result<Self, #runtime::Error> {
                    #private::conversion(#name, || Self::__split_auto_within(#source, limit))
                }

                fn estimate_of<__Source: #runtime::Source<#dims, Scalar = T>>(
                    #source: &__Source,
                ) -> ::core::result::Result<#runtime::Estimate, #runtime::Error> {
                    let split = Self::__divide(#source, #automatic, #runtime::Limit::default())?;
                    ::core::result::Result::Ok(#(split.estimate::<#types>(#numbers)?)+*)
                }
            }

            #head
            impl<T: #element, #declared> ::core::cmp::PartialEq for #this {
                /// Whether the two are equal as tensors, however they are split.
                fn eq(&self, other: &Self) -> bool {
                    #private::same_elements::<Self, #dims>(self, other)
                }
            }
        }
    }
}
