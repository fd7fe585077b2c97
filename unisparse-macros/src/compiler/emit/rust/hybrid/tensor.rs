//! Prints the trait implementations of a hybrid.

use proc_macro2::TokenStream;
use quote::quote;

use super::Pieces;
use crate::compiler::emit::rust::HAS_DEVICE;
use crate::compiler::emit::rust::format::{coordinate, summands, upload};
use crate::compiler::emit::rust::lookup::{Head, Reading};
use crate::compiler::emit::rust::print::count;
use crate::compiler::storage::Storage;

/// Returns iterators, one after the other.
fn chained(iterators: impl Iterator<Item = TokenStream>) -> TokenStream {
    iterators.fold(quote!(::core::iter::empty()), |chain, next| quote!(#chain.chain(#next)))
}

impl Pieces<'_> {
    /// Returns the implementations that generic code uses.
    pub(super) fn tensor(&self) -> TokenStream {
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
        let numbers = (0..fields.len()).map(count);
        let (name, text) = (&self.hybrid.name, &self.hybrid.text);
        let values = fields
            .iter()
            .map(|field| quote!(#runtime::SparseTensor::<#dims>::values(&self.#field)));
        let within = fields
            .iter()
            .map(|field| quote!(#runtime::SparseTensor::<#dims>::within(&self.#field, ranges.clone())));
        let positions = fields.iter().enumerate().map(|(number, field)| {
            let before = &fields[..number];
            quote!({
                let start = 0 #(+ self.#before.stored())*;
                #runtime::SparseTensor::<#dims>::positions(&self.#field, ranges.clone(), holes)
                    .map(move |(at, position)| (at, start + position))
            })
        });
        let values = chained(values);
        let reading = Reading {
            values: quote!(#private::Exactly::new(#values, self.stored())),
            within: chained(within),
            positions: chained(positions),
            visit: quote!(#(#runtime::SparseTensor::<#dims>::visit_values(&mut self.#fields, &mut visit);)*),
        };
        let reading = reading.print(dims);
        let (visit, source) = (self.names.local("visit"), self.names.local("source"));
        let parameters = self.parameters(|_| {
            quote!(match __parameters.strip_prefix(", ") {
                ::core::option::Option::Some(parameters) => ::std::format!("<{parameters}>"),
                ::core::option::Option::None => __parameters,
            })
        });
        let storages: Vec<&Storage> = self.hybrid.parts.iter().map(|part| &part.storage).collect();
        let coordinate = coordinate(&storages);
        let head = quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
        };
        let uploaded = quote! {
            [#(#private::cuda::Summands::summands(&self.#fields, stream)?),*].into_iter().flatten().collect()
        };
        let upload = upload(
            runtime,
            cfg,
            &quote!(T: #element, #declared),
            this,
            &uploaded,
            &quote!(Self::shape(self)),
            &TokenStream::new(),
        );
        let copied = quote! {
            [#(#private::hls::Summands::summands(&self.#fields)),*].into_iter().flatten().collect()
        };
        let copied = summands(runtime, cfg, &quote!(T: #element, #declared), this, &copied);
        let placing = HAS_DEVICE.then(|| self.placing());
        let read = Head {
            attributes: cfg,
            element,
            declared,
            this,
            private,
            dims,
        };
        let is_matrix = self.hybrid.grouping.dims.len() == 2;
        let (read, operators) = (read.boxed_iteration_and_text(), read.operators(runtime, is_matrix));
        quote! {
            #upload

            #copied

            #placing

            #read

            #operators

            #head
            #[diagnostic::do_not_recommend]
            impl<T: #element, #declared> #runtime::Source<#dims> for #this {
                type Scalar = T;
                const IS_CHECKED: bool = true;

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
                type Coordinate = #coordinate;

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

                #reading

                fn keeps_place(old: T, new: T) -> bool {
                    #(<#types as #runtime::SparseTensor<#dims>>::keeps_place(old, new))&&*
                }

                fn assemble<__Source: #runtime::Source<#dims, Scalar = T>>(
                    #source: &__Source,
                    limit: #runtime::Limit,
                ) -> ::core::result::Result<Self, #runtime::Error> {
                    let _conversion = #private::conversion(#name);
                    Self::__of(Self::__split_auto(#source, limit)?)
                }

                fn profiles_of<__Source: #runtime::Source<#dims, Scalar = T>>(
                    #source: &__Source,
                    counting: &#private::Counting,
                ) -> ::core::result::Result<::std::vec::Vec<#private::Profile>, #runtime::Error> {
                    let split = Self::__split_auto(#source, #runtime::Limit::default())?;
                    let mut profiles = ::std::vec::Vec::new();
                    #(profiles.extend(<#types as #runtime::SparseTensor<#dims>>::profiles_of(&split.elements(#numbers), counting)?);)*
                    ::core::result::Result::Ok(profiles)
                }
            }

            #head
            impl<T: #element, #declared> ::core::cmp::PartialEq for #this {
                /// Whether both have the same shape and elements, however these are split among the parts.
                fn eq(&self, other: &Self) -> bool {
                    #private::same_elements::<Self, #dims>(self, other)
                }
            }
        }
    }
    /// Returns the implementation for parts in different places.
    fn placing(&self) -> TokenStream {
        let Pieces {
            runtime,
            element,
            cfg,
            declared,
            this,
            fields,
            types,
            ..
        } = self;
        let (numbers, parts) = ((0..fields.len()).map(count), count(fields.len()));
        quote! {
            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
            impl<T: #element, #declared> #runtime::cuda::Hybrid for #this
            where <T as #runtime::Stored>::Value: #runtime::cuda::Element
            {
                type Places = [#runtime::cuda::Place; #parts];

                fn only(
                    &self,
                    keep: impl ::core::ops::Fn(usize) -> bool,
                ) -> ::core::result::Result<Self, #runtime::Error> {
                    ::core::result::Result::Ok(Self {
                        #(#fields: if keep(#numbers) {
                            ::core::clone::Clone::clone(&self.#fields)
                        } else {
                            <#types>::try_from_triplets(self.shape(), ::core::iter::empty())?
                        },)*
                    })
                }
            }
        }
    }
}
