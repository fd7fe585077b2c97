//! Prints the traits of `serde` for a type, from the list of its members.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::HAS_SERDE;

/// A member of a tensor as it is written.
pub(super) enum Member {
    /// A value, written as it is.
    Item(Ident),
    /// An array.
    Items(Ident),
    /// An array of tuples.
    Tuples(Ident),
}

/// A type for which the traits are implemented.
pub(super) struct Serial<'a> {
    pub(super) runtime: &'a TokenStream,
    pub(super) cfg: &'a TokenStream,
    /// The type without arguments.
    pub(super) name: &'a Ident,
    /// The trait of the values.
    pub(super) element: &'a TokenStream,
    /// The declared parameters: `const R: usize,` for each.
    pub(super) declared: &'a TokenStream,
    pub(super) given: Vec<Ident>,
    /// The members, in the order of the arguments of `try_from_parts`.
    pub(super) members: Vec<Member>,
}

impl Serial<'_> {
    /// Returns the implementations, or nothing if the run time has none.
    pub(super) fn implementations(&self) -> TokenStream {
        if !HAS_SERDE {
            return TokenStream::new();
        }
        let Serial {
            runtime,
            cfg,
            name,
            element,
            declared,
            given,
            members,
        } = self;
        let serde = quote!(#runtime::__private::serde);
        let names: Vec<&Ident> = members.iter().map(Member::name).collect();
        let (title, texts) = (text(name), names.iter().map(|name| text(name)));
        // The part of a hybrid may have any name.
        let key = if names.iter().any(|name| *name == "layout") {
            "layout_"
        } else {
            "layout"
        };
        let parameter_texts = given.iter().map(text);
        let written = members.iter().rev().fold(quote!(()), |others, member| {
            let first = match member {
                Member::Item(name) => quote!(#serde::Item(&self.#name)),
                Member::Items(name) => quote!(#serde::Items(&self.#name[..])),
                Member::Tuples(name) => quote!(#serde::Tuples(&self.#name[..])),
            };
            quote!((#first, #others))
        });
        let read = members.iter().rev().fold(quote!(()), |others, member| {
            let first = match member {
                Member::Item(name) => quote!(#serde::Item(#name)),
                Member::Items(name) => quote!(#serde::Items(#name)),
                Member::Tuples(name) => quote!(#serde::Tuples(#name)),
            };
            quote!((#first, #others))
        });
        let this = quote!(#name<T, #(#given,)*>);
        let head = quote! {
            #cfg
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
        };
        let layout = quote!(&#serde::layout::<Self>(&[#((#parameter_texts, #given)),*]));
        let described = quote!(#title, &[#key, #(#texts),*], #layout);
        quote! {
            #head
            impl<T: #element + #serde::Serialize, #declared> #serde::Serialize for #this {
                fn serialize<__S: #serde::Serializer>(&self, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> {
                    let members = #written;
                    #serde::serialize(serializer, #described, &members)
                }
            }

            #head
            impl<'de, T: #element + #serde::Deserialize<'de>, #declared> #serde::Deserialize<'de> for #this {
                fn deserialize<__D: #serde::Deserializer<'de>>(deserializer: __D) -> ::core::result::Result<Self, __D::Error> {
                    let #read = #serde::deserialize(deserializer, #described)?;
                    Self::try_from_parts(#(#names),*).map_err(<__D::Error as #serde::Error>::custom)
                }
            }
        }
    }
}

impl Member {
    fn name(&self) -> &Ident {
        match self {
            Member::Item(name) | Member::Items(name) | Member::Tuples(name) => name,
        }
    }
}

fn text(name: &Ident) -> Literal {
    Literal::string(name.to_string().trim_start_matches("r#"))
}
