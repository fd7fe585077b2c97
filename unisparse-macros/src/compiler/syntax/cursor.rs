//! Helpers for parsers: skipping, parsing ahead, and recovering after an error.

use proc_macro2::{Delimiter, Punct, Spacing, TokenStream, TokenTree};
use syn::Token;
use syn::parse::ParseStream;
use syn::parse::discouraged::Speculative;

/// Returns the result of `parse`, with the tokens that it consumes.
pub(super) fn taken<T>(
    input: ParseStream<'_>,
    parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<(T, TokenStream)> {
    let before = input.fork();
    let parsed = parse(input)?;
    let mut tokens = TokenStream::new();
    while !before.is_empty() && before.cursor() != input.cursor() {
        tokens.extend([before.parse::<TokenTree>()?]);
    }
    Ok((parsed, tokens))
}

/// Parses ahead. A failure consumes nothing.
pub(super) fn attempt<T>(
    input: ParseStream<'_>,
    parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<T> {
    let ahead = input.fork();
    let parsed = parse(&ahead)?;
    input.advance_to(&ahead);
    Ok(parsed)
}

/// Skips the tokens before the next one where `at` holds.
pub(super) fn skip_to(input: ParseStream<'_>, at: impl Fn(ParseStream<'_>) -> bool) {
    while !input.is_empty() && !at(input) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

/// Skips past the next token where `at` holds, so that one error does not hide others.
pub(super) fn skip_past(input: ParseStream<'_>, at: impl Fn(ParseStream<'_>) -> bool) {
    while !input.is_empty() {
        let found = at(input);
        if input.parse::<TokenTree>().is_err() || found {
            return;
        }
    }
}

/// Adds an error to those found before.
pub(super) fn combine(errors: &mut Option<syn::Error>, error: syn::Error) {
    match errors {
        None => *errors = Some(error),
        Some(errors) => errors.combine(error),
    }
}

/// Parses all remaining tokens as items separated by commas. A malformed item does not hide errors of later ones.
/// `expected` describes the tokens that may follow an item.
pub(super) fn items<T>(
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

/// Returns the tokens of one item of an invocation. If its end is missing, a token that no parser accepts is added at
/// the place of the last token, so that an error at the end points there and not to the whole invocation.
pub(super) fn ended(tokens: &[TokenTree], complete: bool) -> TokenStream {
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

pub(super) fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Returns the start of the attributes and the visibility before a keyword.
pub(super) fn head_of(tokens: &[TokenTree], start: usize, keyword: usize) -> usize {
    let is_group =
        |at: usize, delimiter| matches!(&tokens[at], TokenTree::Group(group) if group.delimiter() == delimiter);
    let is_pub = |at: usize| matches!(&tokens[at], TokenTree::Ident(ident) if ident == "pub");
    let mut head = keyword;
    // A macro's `$visibility` is a group without delimiters.
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
