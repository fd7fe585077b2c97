//! Prints the type of the whole tensor: its arrays down to the cut, and what it returns for all of its parts.

use proc_macro2::TokenStream;
use quote::quote;

use super::Partition;
use crate::compiler::emit::rust::docs;
use crate::compiler::emit::rust::format::values::{are_free, map_values, no_map_values};
use crate::compiler::emit::rust::format::{Parts, cfgs};
use crate::compiler::emit::rust::lookup::{Reading, lookups};
use crate::compiler::emit::rust::print::count;
use crate::compiler::emit::rust::serial;
use crate::compiler::storage::FieldKind;
use crate::compiler::transport;

impl Partition<'_> {
    pub(super) fn whole(&self) -> TokenStream {
        let declaration = self.declaration;
        let (attributes, visibility, cfg) = (&declaration.attributes, &declaration.visibility, cfgs(declaration));
        let Parts {
            element,
            runtime,
            declared,
            private,
            given,
            dims,
            levels,
            ..
        } = &self.whole;
        let encoding = self.whole.encoding(declaration);
        let (name, part, visit) = (&declaration.name, &self.part.name, self.whole.names.local("visit"));
        let text = docs::format(
            self.whole.format,
            &self.whole.stored.joined(),
            self.whole.picture.as_ref(),
        );
        let (upload, serial) = (self.whole.upload_of_parts(declaration), self.serial());
        let words = self.part.word_parts(declaration, &declaration.name);
        let parameters = declaration.parameters.iter();
        let (upper, types) = (self.upper_names(), self.upper());
        let types = types.iter().map(|member| self.whole.member_type(member));
        let methods = self.methods();
        let parts = quote!(.field("parts", &#private::First(&self.parts)));
        let debug = self.whole.debug(declaration, &self.upper(), &parts);
        let uncut = &self.uncut.name;
        let tensor = self.whole.tensor_of(
            declaration,
            name,
            &self.reading(),
            &quote!(<#uncut<T, #given> as #runtime::SparseTensor<#dims>>::profiles_of(source, counting)),
            &quote! {
                Self::__cut(<#uncut<T, #given> as #runtime::SparseTensor<#dims>>::assemble(source, limit)?)
            },
            &TokenStream::new(),
        );
        let this = quote!(#name<T, #given>);
        let read = self.whole.head(&cfg, &this).boxed_iteration_and_text();
        let operators = self.whole.operators(declaration);
        // Queries count explicit zeros, which read as holes: the order of the other elements depends on them.
        let is_reordered = self.whole.storage.holes && !self.whole.format.queries.is_empty();
        let reordered = is_reordered.then(|| quote!(|| #private::same_elements::<Self, #dims>(self, other)));
        quote! {
            #(#attributes)*
            #[doc = ""]
            #[doc = #text]
            #[derive(::core::clone::Clone)]
            #[allow(non_snake_case)]
            #visibility struct #name<T, #(#parameters)*> {
                shape: [usize; #dims],
                #(#upper: #types,)*
                parts: ::std::vec::Vec<#part<T, #given>>,
            }

            #debug

            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, dead_code, non_snake_case)]
            impl<T: #element, #declared> #name<T, #given> {
                #methods
            }

            #cfg
            #[automatically_derived]
            impl<T: #element, #declared> #private::Partitioned<#dims, #levels> for #name<T, #given> {
                type Part = #part<T, #given>;
                fn parts(&self) -> &[Self::Part] {
                    &self.parts
                }
            }

            #encoding

            #cfg
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
            #[diagnostic::do_not_recommend]
            impl<T: #element, #declared> #runtime::Source<#dims> for #name<T, #given> {
                type Scalar = T;
                const ORDER: #private::Order = #private::Order::By(&<Self as #runtime::Encoded>::ENCODINGS[0]);
                const IS_CHECKED: bool = true;

                fn shape(&self) -> [usize; #dims] {
                    self.shape
                }

                fn count(&self) -> usize {
                    self.nnz()
                }

                #[inline]
                fn for_each(&self, mut #visit: impl ::core::ops::FnMut([usize; #dims], T)) {
                    for part in &self.parts {
                        #runtime::Source::for_each(part, &mut #visit);
                    }
                }

                fn borders(&self, pieces: usize) -> ::std::vec::Vec<usize> {
                    let stored = |parts: usize| self.parts[..parts].iter().map(|part| part.stored()).sum();
                    #private::balanced(self.parts.len(), pieces, stored)
                }

                #[inline]
                fn for_each_between(
                    &self,
                    piece: ::core::ops::Range<usize>,
                    mut #visit: impl ::core::ops::FnMut([usize; #dims], T),
                ) {
                    for part in &self.parts[piece] {
                        #runtime::Source::for_each(part, &mut #visit);
                    }
                }
            }

            #tensor

            #upload

            #serial

            #words

            #read

            #operators

            #cfg
            #[automatically_derived]
            impl<T: #element, #declared> ::core::cmp::PartialEq for #name<T, #given> {
                /// Whether both have the same shape and elements.
                fn eq(&self, other: &Self) -> bool {
                    self.shape == other.shape && (::core::iter::Iterator::eq(self.iter(), other.iter()) #reordered)
                }
            }
        }
    }

    /// Returns the traits of `serde` of the whole tensor, which has those of its parts.
    fn serial(&self) -> TokenStream {
        let item = |name: &str| serial::Member::Item(self.whole.names.public(name));
        let mut members = vec![item("shape")];
        members.extend(self.whole.serial_members(&self.upper()));
        members.push(item("parts"));
        self.whole.serial_of(self.declaration, &self.declaration.name, members)
    }

    fn reading(&self) -> Reading {
        let (private, part) = (
            &self.whole.private,
            self.part.visited(&quote!(part), &quote!(&mut visit)),
        );
        let within = quote!(#private::Within::new);
        Reading {
            values: self.values(),
            within: quote!(self.parts.iter().flat_map(move |part| #within(part, ranges.clone(), false).elements())),
            positions: quote! {
                let mut end = 0;
                self.parts.iter().flat_map(move |part| {
                    let start = end;
                    end += part.stored();
                    #within(part, ranges.clone(), holes).map(move |(at, position)| (at, start + position))
                })
            },
            visit: quote!(for part in &mut self.parts { #part }),
        }
    }

    fn values(&self) -> TokenStream {
        let private = &self.whole.private;
        let values = match self.part.value_column() {
            None => quote!(part.values.iter().copied()),
            Some(_) => quote!(part.values()),
        };
        quote! {
            #private::Exactly::new(self.parts.iter().flat_map(|part| #values), self.stored())
        }
    }

    fn methods(&self) -> TokenStream {
        let Parts {
            runtime,
            private,
            given,
            dims,
            levels,
            ..
        } = &self.uncut;
        let (uncut, part) = (
            {
                let name = &self.uncut.name;
                quote!(#name<T, #given>)
            },
            {
                let name = &self.part.name;
                quote!(#name<T, #given>)
            },
        );
        let tree = quote!(#private::Tree<#dims, #levels>);
        let depth = &self.depth;
        let describe = self.whole.describe(&quote!({
            let mut levels = <#uncut as #tree>::LEVELS;
            levels[#depth..].copy_from_slice(&<#part as #tree>::LEVELS[#depth..]);
            levels
        }));
        let (whole, convert) = (self.whole.of_whole(), self.whole.convert());
        let lookups = lookups(runtime, self.whole.format.dims.len());
        let accessors = self.whole.accessors(0..self.cut + 1, &uncut);
        let map_values = self.map_values();
        let (parts, explain) = (self.parts(&uncut, &part), self.explain(&uncut, &part));
        let upper = self.upper();
        let arrays = upper.iter().filter(|member| !member.is_size());
        let arrays = arrays.map(|member| self.whole.member(member));
        let id = transport::id(&self.declaration.name, &self.declaration.tokens);
        quote! {
            /// Returns the level table: the expression, the domain and the storage of each level, with the reason for it.
            #[must_use]
            pub fn describe() -> #runtime::Describe {
                #describe
            }

            #whole

            #parts

            /// Returns the extent of each dim.
            #[must_use]
            pub fn shape(&self) -> [usize; #dims] {
                self.shape
            }

            /// Returns the number of elements stored in all parts, without holes.
            #[must_use]
            pub fn nnz(&self) -> usize {
                self.parts.iter().map(|part| part.nnz()).sum()
            }

            /// Returns the number of positions in all parts, including holes.
            #[must_use]
            pub fn stored(&self) -> usize {
                self.parts.iter().map(|part| part.stored()).sum()
            }

            /// Returns the size of all arrays in bytes.
            #[must_use]
            pub fn bytes(&self) -> usize {
                #(::core::mem::size_of_val(&self.#arrays[..]) +)* self.parts.iter().map(|part| part.bytes()).sum::<usize>()
            }

            #accessors

            /// Iterates over the elements of one part after another, in storage order, without holes.
            pub fn iter(&self) -> impl ::core::iter::Iterator<Item = ([usize; #dims], T)> + '_ {
                self.parts.iter().flat_map(|part| part.iter())
            }

            #lookups

            #convert

            #map_values

            #explain

            /// The hash of the declaration, compared with that of the declaration from which a kernel was compiled.
            #[doc(hidden)]
            pub const __ID: u64 = #id;
        }
    }

    /// Returns `map_values`, or a stand-in that only explains its absence if a query compares values.
    fn map_values(&self) -> TokenStream {
        let (whole, upper) = (&self.whole, self.upper_names());
        let fields = quote! {
            shape: self.shape,
            #(#upper: self.#upper,)*
            parts: self.parts.into_iter().map(|part| part.map_values(&mut map)).collect(),
        };
        let element = (&whole.element, whole.storage.holes);
        if !are_free(whole.format) {
            return no_map_values((&whole.name, &whole.given), &whole.element, &whole.private);
        }
        map_values((&whole.name, &whole.given), element, &fields)
    }

    fn explain(&self, uncut: &TokenStream, part: &TokenStream) -> TokenStream {
        let Parts {
            runtime,
            private,
            dims,
            levels,
            ..
        } = &self.uncut;
        let title = self.uncut.title();
        let arrays = (0..=self.cut).map(|level| self.whole.level_arrays(level));
        let sized = self.uncut.fields.iter();
        let sized = sized.filter(|field| field.kind == FieldKind::Size && field.level <= self.cut);
        let sizes = sized.map(|field| {
            let (at, name) = (count(field.level), self.uncut.field(field));
            quote!(sizes[#at] = self.#name;)
        });
        // The size of a level below the cut is stored in every part.
        let below = self
            .uncut
            .fields
            .iter()
            .filter(|field| field.kind == FieldKind::Size && field.level > self.cut);
        let below = below.map(|field| {
            let (at, name) = (count(field.level), self.uncut.field(field));
            quote!(sizes[#at] = self.parts.first().map_or(0, |part| part.#name);)
        });
        quote! {
            /// Returns the level table with the length of each array, summed over the parts, and the size of all arrays in
            /// bytes.
            #[must_use]
            pub fn explain(&self) -> #runtime::Explain {
                #[allow(unused_mut)]
                let mut sizes = [0; #levels];
                #(#sizes)*
                #(#below)*
                #private::Explain::partitioned::<#uncut, #part, #dims, #levels>(
                    &#title,
                    [self.nnz(), self.stored(), self.bytes()],
                    (self.shape, sizes),
                    &[#(#arrays),*],
                    &self.parts,
                )
            }
        }
    }
}
