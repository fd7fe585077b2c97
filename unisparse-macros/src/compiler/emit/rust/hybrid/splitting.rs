//! Prints the functions that divide the elements of a source among the parts.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use super::Pieces;
use crate::compiler::diagnostics;
use crate::compiler::emit::rust::format::queries::evaluate;
use crate::compiler::emit::rust::print::count;
use crate::compiler::operand::hybrid::Threshold;

impl Pieces<'_> {
    /// Returns a sentence on the part to which each element belongs.
    pub(super) fn rule(&self) -> String {
        let mut text = format!(
            "An element goes to a part by `{}` of its group:",
            self.hybrid.query().text
        );
        for (part, threshold) in self.hybrid.parts.iter().zip(&self.hybrid.thresholds) {
            text += &format!(" if more than `{}`, to `{}`;", threshold.text(), part.field);
        }
        let last = self.hybrid.parts.last().map_or("", |part| &part.field);
        format!("{text} otherwise to `{last}`.")
    }

    /// Returns the thresholds that are not numbers, with their places.
    fn named(&self) -> impl Iterator<Item = (usize, &str)> {
        let thresholds = self.hybrid.thresholds.iter().enumerate();
        thresholds.filter_map(|(place, threshold)| match threshold {
            Threshold::Name(name) => Some((place, name.as_str())),
            Threshold::Number(_) => None,
        })
    }

    /// Returns a sentence on the choice of thresholds that are not given.
    pub(super) fn thresholds_rule(&self) -> String {
        let named: Vec<&str> = self.named().map(|(_, name)| name).collect();
        if named.is_empty() {
            return "they are the literals of the declaration".to_owned();
        }
        let are = if named.len() == 1 { "is" } else { "are" };
        let list = diagnostics::list(named);
        format!(
            "{list} {are} chosen such that the model of `advise` predicts the least time for a product with dense vectors"
        )
    }

    /// Returns `split` and the related functions.
    pub(super) fn splitting(&self) -> TokenStream {
        let Pieces {
            runtime,
            private,
            dims,
            fields,
            types,
            names,
            ..
        } = self;
        let named: Vec<Ident> = self.named().map(|(_, name)| names.public(name)).collect();
        let given = self.hybrid.thresholds.iter().map(|threshold| match threshold {
            Threshold::Name(name) => names.public(name).into_token_stream(),
            Threshold::Number(number) => Literal::i64_unsuffixed(*number).into_token_stream(),
        });
        let given = quote!([#(#given),*]);
        let automatic = self.hybrid.thresholds.iter().map(|threshold| match threshold {
            Threshold::Name(_) => quote!(::core::option::Option::None),
            Threshold::Number(number) => {
                let number = Literal::i64_unsuffixed(*number);
                quote!(::core::option::Option::Some(#number))
            }
        });
        let automatic = quote!([#(#automatic),*]);
        let with_thresholds = self.with_thresholds(&automatic);
        let (source, limit) = (names.local("source"), names.local("limit"));
        let numbers = (0..fields.len()).map(count);
        let evaluate = evaluate(&self.hybrid.grouping, *names, [runtime, private]);
        let name = &self.hybrid.name;
        let parameters = self.declaration.parameters.iter().map(|parameter| &parameter.name);
        let messages = parameters
            .clone()
            .map(|parameter| format!("const parameter `{parameter}` of `{name}` is at least 1"));
        let (rule, chosen) = (self.rule(), format!("\n\nThresholds: {}.", self.thresholds_rule()));
        self.implementation(&quote! {
            /// Creates a tensor from the elements of a source.
            ///
            #[doc = #rule]
            ///
            /// # Errors
            /// `Limit` if the storage of a part would take more bytes than the default limit, `Overflow` if an
            /// index, a pointer or the number of a group does not fit, `Duplicate` if the source rejects its duplicates.
            pub fn split(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
                #(#named: i64,)*
            ) -> ::core::result::Result<Self, #runtime::Error> {
                Self::split_within(#source, #(#named,)* #runtime::Limit::default())
            }

            /// Like `split`, with a limit on the memory of all parts.
            ///
            /// # Errors
            /// As `split`.
            pub fn split_within(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
                #(#named: i64,)*
                #limit: #runtime::Limit,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                Self::__of(Self::__numbered(#source, #limit)?.by(&#given))
            }

            /// Like `split`, by thresholds chosen from the data, as in a conversion to this format.
            #[doc = #chosen]
            ///
            /// Sorts the elements once for each part (radix sort), and evaluates the queries of a part a few times.
            ///
            /// # Errors
            /// As `split`.
            pub fn split_auto(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                Self::__of(Self::__split_auto(#source, #runtime::Limit::default())?)
            }

            #with_thresholds

            fn __split_auto(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
                #limit: #runtime::Limit,
            ) -> ::core::result::Result<#private::Split<T, #dims>, #runtime::Error> {
                Self::__numbered(#source, #limit)?.automatically(&#automatic, &[#(#private::Part::of::<#types>()),*])
            }

            #evaluate

            fn __of(mut split: #private::Split<T, #dims>) -> ::core::result::Result<Self, #runtime::Error> {
                ::core::result::Result::Ok(Self { #(#fields: split.part(#numbers)?,)* })
            }

            fn __numbered(
                #source: &impl #runtime::Source<#dims, Scalar = T>,
                #limit: #runtime::Limit,
            ) -> ::core::result::Result<#private::Numbered<T, #dims>, #runtime::Error> {
                #(const { ::core::assert!(#parameters > 0, #messages) };)*
                #private::Numbered::new(#name, #source, #limit, Self::__evaluate)
            }
        })
    }

    /// Returns `thresholds`, if a threshold is a name.
    fn with_thresholds(&self, automatic: &TokenStream) -> Option<TokenStream> {
        let Pieces {
            runtime,
            private,
            dims,
            types,
            names,
            ..
        } = self;
        let (places, named): (Vec<usize>, Vec<&str>) = self.named().unzip();
        let text = format!("Returns {}, as `split_auto` chooses them.", diagnostics::list(named));
        let (source, thresholds) = (names.local("source"), names.local("thresholds"));
        let (length, each) = (count(places.len()), places.iter().map(|&place| count(place)));
        (!places.is_empty()).then(|| {
            quote! {
                #[doc = #text]
                ///
                /// # Errors
                /// As `split`.
                pub fn thresholds(
                    #source: &impl #runtime::Source<#dims, Scalar = T>,
                ) -> ::core::result::Result<[i64; #length], #runtime::Error> {
                    let #thresholds = Self::__numbered(#source, #runtime::Limit::default())?
                        .thresholds(&#automatic, &[#(#private::Part::of::<#types>()),*])?;
                    ::core::result::Result::Ok([#(#thresholds[#each]),*])
                }
            }
        })
    }
}
