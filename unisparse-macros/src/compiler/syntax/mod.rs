//! Parses tokens into syntax trees. Every node keeps its tokens, for error messages.

pub(crate) mod convert;
mod cursor;
pub(crate) mod expression;
pub(crate) mod format;
pub(crate) mod hybrid;
pub(crate) mod kernel;
pub(crate) mod primitive;
pub(crate) mod query;
#[cfg(test)]
mod tests;
pub(crate) mod word;

use proc_macro2::{Ident, TokenStream, TokenTree};

/// Whether the tokens contain this identifier.
pub(crate) fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}
