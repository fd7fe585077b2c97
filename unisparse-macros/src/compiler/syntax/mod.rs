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

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream, TokenTree};

/// The identifiers in some tokens.
pub(crate) struct Identifiers(HashSet<String>);

impl Identifiers {
    /// Collects the identifiers in one visit of the tokens: the compiler copies a stream and its identifiers for each visit.
    pub(crate) fn of(tokens: &TokenStream) -> Self {
        fn collect(tokens: TokenStream, found: &mut HashSet<String>) {
            for token in tokens {
                match token {
                    TokenTree::Ident(ident) => {
                        found.insert(ident.to_string());
                    }
                    TokenTree::Group(group) => collect(group.stream(), found),
                    TokenTree::Punct(_) | TokenTree::Literal(_) => {}
                }
            }
        }
        let mut found = HashSet::new();
        collect(tokens.clone(), &mut found);
        Identifiers(found)
    }

    pub(crate) fn contain(&self, name: &Ident) -> bool {
        self.0.contains(&name.to_string())
    }
}
