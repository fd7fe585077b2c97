//! The path of the run time in generated code, independent of the crate's name in the user's code.

use proc_macro2::{Group, Span, TokenStream, TokenTree};

/// The path of `unisparse` as seen from the invocation: the `$crate` that the user-facing macro passed.
#[derive(Clone)]
pub(crate) struct Runtime {
    path: TokenStream,
}

impl Runtime {
    pub(crate) fn new(path: TokenStream) -> Self {
        Runtime { path }
    }

    /// Returns the path with every token located at `at`: name resolution is unchanged, errors point to the user's
    /// code.
    pub(crate) fn at(&self, at: Span) -> TokenStream {
        located(self.path.clone(), at)
    }
}

/// Returns the tokens with their hygiene unchanged and their location replaced.
pub(crate) fn located(tokens: TokenStream, at: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                let span = group.span();
                let mut moved = Group::new(group.delimiter(), located(group.stream(), at));
                moved.set_span(span.located_at(at));
                return TokenTree::Group(moved);
            }
            token.set_span(token.span().located_at(at));
            token
        })
        .collect()
}
