//! Parses the layout of a word: `(64) { col: 14 @ 50, value: 32 @ 0 } filler 0`.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, Token, braced};

use super::cursor::{items, taken};

/// The layout of a word as it is written.
pub(crate) struct WordDecl {
    /// The bits of the word.
    pub(crate) bits: LitInt,
    pub(crate) fields: Vec<FieldDecl>,
    /// The word of a position without an element.
    pub(crate) filler: Option<LitInt>,
}

/// A field, such as `col: 14 @ 50`.
pub(crate) struct FieldDecl {
    /// A level, or `value`.
    pub(crate) name: Ident,
    pub(crate) bits: LitInt,
    /// The place of its lowest bit.
    pub(crate) at: LitInt,
    pub(crate) tokens: TokenStream,
}

mod keyword {
    syn::custom_keyword!(filler);
}

/// Parses what follows the name `word`: `arguments` are the tokens in parentheses, `input` goes on after these.
pub(super) fn parse_word(arguments: ParseStream<'_>, input: ParseStream<'_>) -> syn::Result<WordDecl> {
    let bits = integer(
        arguments,
        "expected the bits of the word\nhelp: write `word(64) { .. }`",
    )?;
    if !input.peek(syn::token::Brace) {
        return Err(input.error(
            "expected the fields of the word, in braces\nhelp: write `word(64) { col: 32 @ 32, value: 32 @ 0 }`",
        ));
    }
    let content;
    braced!(content in input);
    let fields = items(&content, "expected `,` or `}`", FieldDecl::parse)?;
    let filler = if input.peek(keyword::filler) {
        input.parse::<keyword::filler>()?;
        Some(integer(input, "expected the word of a hole\nhelp: write `filler 0`")?)
    } else {
        None
    };
    Ok(WordDecl { bits, fields, filler })
}

fn integer(input: ParseStream<'_>, expected: &str) -> syn::Result<LitInt> {
    if !input.peek(LitInt) {
        return Err(input.error(expected));
    }
    let number: LitInt = input.parse()?;
    if number.suffix().is_empty() {
        return Ok(number);
    }
    let message = format!("this number has no suffix\nhelp: write `{}`", number.base10_digits());
    Err(syn::Error::new_spanned(&number, message))
}

impl Parse for FieldDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        const EXPECTED: &str = "expected a field\nhelp: write `col: 14 @ 50`: the level or `value`, its bits, and the place of its lowest bit";
        let ((name, bits, at), tokens) = taken(input, |input| {
            if !input.peek(Ident::peek_any) {
                return Err(input.error(EXPECTED));
            }
            let name = input.call(Ident::parse_any)?;
            if !input.peek(Token![:]) {
                return Err(input.error(EXPECTED));
            }
            input.parse::<Token![:]>()?;
            let bits = integer(input, EXPECTED)?;
            if !input.peek(Token![@]) {
                return Err(input.error(EXPECTED));
            }
            input.parse::<Token![@]>()?;
            Ok((name, bits, integer(input, EXPECTED)?))
        })?;
        Ok(FieldDecl { name, bits, at, tokens })
    }
}
