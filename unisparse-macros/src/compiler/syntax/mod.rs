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
use syn::Token;
use syn::parse::ParseStream;

/// Skips the tokens before one where `at` holds.
fn skip_to(input: ParseStream<'_>, at: impl Fn(ParseStream<'_>) -> bool) {
    while !input.is_empty() && !at(input) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

/// Notes an error beside those found before.
fn combine(errors: &mut Option<syn::Error>, error: syn::Error) {
    match errors {
        None => *errors = Some(error),
        Some(errors) => errors.combine(error),
    }
}

/// All that is left, items with commas between; a malformed item does not hide the next. `expected` says what may follow
/// one.
fn items<T>(
    content: ParseStream<'_>,
    expected: &str,
    mut parse: impl FnMut(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    let (mut items, mut errors) = (Vec::new(), None);
    while !content.is_empty() {
        match parse(content) {
            Err(error) => combine(&mut errors, error),
            Ok(_) if !content.is_empty() && !content.peek(Token![,]) => {
                combine(&mut errors, content.error(expected));
            }
            Ok(item) => items.push(item),
        }
        skip_to(content, |rest| rest.peek(Token![,]));
        content.parse::<Option<Token![,]>>()?;
    }
    errors.map_or(Ok(items), Err)
}

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
