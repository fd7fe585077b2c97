//! Rust: what the macros expand to.

pub(crate) mod access;
pub(crate) mod algebra;
pub(crate) mod convert;
pub(crate) mod docs;
pub(crate) mod format;
pub(crate) mod hybrid;
pub(crate) mod kernel;
pub(crate) mod print;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Identifiers of generated code: hygienic, and located where the user looks.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    at: Span,
}

impl Names {
    pub(crate) fn new(at: Span) -> Self {
        Names { at }
    }

    /// The location.
    pub(crate) fn span(self) -> Span {
        self.at
    }

    /// A name only generated code sees: the user's names neither capture it nor are captured.
    pub(crate) fn local(self, name: &str) -> Ident {
        ident(name, Span::mixed_site().located_at(self.at))
    }

    /// A name the user can say.
    pub(crate) fn public(self, name: &str) -> Ident {
        ident(name, self.at)
    }
}

/// The trait of what a tensor stores: with a zero, where that fills holes.
pub(crate) fn stored(holes: bool, runtime: &TokenStream) -> TokenStream {
    if holes {
        quote!(#runtime::Padding)
    } else {
        quote!(#runtime::Stored)
    }
}

/// An identifier, raw if the name is a keyword.
fn ident(name: &str, span: Span) -> Ident {
    syn::parse_str::<Ident>(name).map_or_else(
        |_| Ident::new_raw(name, span),
        |mut ident| {
            ident.set_span(span);
            ident
        },
    )
}
