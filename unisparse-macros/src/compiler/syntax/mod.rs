//! Tokens to trees. Every node keeps the tokens it came from, for messages.

pub(crate) mod convert;
pub(crate) mod expression;
pub(crate) mod format;
pub(crate) mod hybrid;
pub(crate) mod kernel;
pub(crate) mod primitive;
pub(crate) mod query;
#[cfg(test)]
mod tests;

use proc_macro2::{Delimiter, Ident, Punct, Spacing, TokenStream, TokenTree};

/// One item of an invocation. Where its end is missing, a token that nothing accepts stands in for it at the
/// place of the last one: an error at the end points there, not at the whole invocation.
fn ended(tokens: &[TokenTree], complete: bool) -> TokenStream {
    let mut item: TokenStream = tokens.iter().cloned().collect();
    if let (false, Some(last)) = (complete, tokens.last()) {
        let mut end = Punct::new('@', Spacing::Alone);
        end.set_span(if let TokenTree::Group(group) = last {
            group.span_close()
        } else {
            last.span()
        });
        item.extend([TokenTree::Punct(end)]);
    }
    item
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Where the attributes and the visibility before a keyword start.
fn head_of(tokens: &[TokenTree], start: usize, keyword: usize) -> usize {
    let is_group =
        |at: usize, delimiter| matches!(&tokens[at], TokenTree::Group(group) if group.delimiter() == delimiter);
    let is_pub = |at: usize| matches!(&tokens[at], TokenTree::Ident(ident) if ident == "pub");
    let mut head = keyword;
    // A macro's `$visibility` comes as a group without delimiters.
    if head > start && (is_pub(head - 1) || is_group(head - 1, Delimiter::None)) {
        head -= 1;
    } else if head > start + 1 && is_group(head - 1, Delimiter::Parenthesis) && is_pub(head - 2) {
        head -= 2;
    }
    while head > start + 1 && is_group(head - 1, Delimiter::Bracket) && is_punct(&tokens[head - 2], '#') {
        head -= 2;
    }
    head
}

/// Whether the tokens contain this identifier.
pub(crate) fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}
