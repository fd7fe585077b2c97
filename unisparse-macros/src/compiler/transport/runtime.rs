//! How generated code names the run time, whatever the user calls the crate.

use proc_macro2::{Group, Span, TokenStream, TokenTree};

/// The path of `unisparse` as seen from the invocation: the `$crate` its front door passed in.
#[derive(Clone)]
pub(crate) struct Runtime {
    path: TokenStream,
}

impl Runtime {
    pub(crate) fn new(path: TokenStream) -> Self {
        Runtime { path }
    }

    /// The path with every token located at `at`: resolution stays, errors point at the user's code.
    pub(crate) fn at(&self, at: Span) -> TokenStream {
        located(self.path.clone(), at)
    }
}

/// The tokens with their hygiene kept and their location moved.
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
