//! Parses the primitives of a declaration: `merge(row); trim(row..=col); index(row: u16); pointer(u64);`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, Token, parenthesized};

use super::cursor::{items, taken};
use super::word::{WordDecl, parse_word};

/// The name or the number of a level in a primitive.
#[derive(Clone)]
pub(crate) enum LevelRef {
    Name(Ident),
    Number(LitInt),
}

/// A primitive, such as `merge(row);`.
pub(crate) struct Primitive {
    pub(crate) kind: PrimitiveKind,
    pub(crate) tokens: TokenStream,
}

pub(crate) enum PrimitiveKind {
    Merge(Vec<LevelRef>),
    Trim(LevelRef, LevelRef),
    Pad(LevelRef),
    Pack(LevelRef, LevelRef),
    Partition(LevelRef),
    Index(Vec<(LevelRef, Ident)>),
    Pointer(Ident),
    Word(WordDecl),
    /// A name that is not a primitive here.
    Unknown(Ident),
}

impl LevelRef {
    /// Returns the number of the level, among levels with these names.
    pub(crate) fn resolved<'a>(&self, mut names: impl Iterator<Item = &'a str>) -> Option<usize> {
        match self {
            LevelRef::Name(name) => names.position(|candidate| name.unraw() == candidate),
            LevelRef::Number(number) => number.base10_parse().ok(),
        }
    }
}

impl ToTokens for LevelRef {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            LevelRef::Name(name) => name.to_tokens(tokens),
            LevelRef::Number(number) => number.to_tokens(tokens),
        }
    }
}

impl Parse for LevelRef {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitInt) {
            Ok(LevelRef::Number(input.parse()?))
        } else if input.peek(Ident::peek_any) {
            Ok(LevelRef::Name(input.call(Ident::parse_any)?))
        } else {
            Err(syn::Error::new(input.span(), "expected a level, by name or number"))
        }
    }
}

impl Parse for Primitive {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (kind, tokens) = taken(input, |input| {
            if !input.peek(syn::Ident) {
                return Err(input.error("expected a primitive\nhelp: write `merge(level);` or `trim(first..=last);`"));
            }
            let name: Ident = input.parse()?;
            if !input.peek(syn::token::Paren) {
                return Err(syn::Error::new_spanned(
                    &name,
                    format!("expected the arguments of `{name}`, in parentheses\nhelp: write `{name}(..);`"),
                ));
            }
            let content;
            parenthesized!(content in input);
            if name == "word" {
                let word = parse_word(&content, input)?;
                return if content.is_empty() {
                    Ok(PrimitiveKind::Word(word))
                } else {
                    Err(content.error("expected `)`"))
                };
            }
            parse_primitive(name, &content)
        })?;
        if !input.peek(Token![;]) {
            return Err(syn::Error::new_spanned(&tokens, "expected `;` after this primitive"));
        }
        input.parse::<Token![;]>()?;
        Ok(Primitive { kind, tokens })
    }
}

fn parse_primitive(name: Ident, content: ParseStream<'_>) -> syn::Result<PrimitiveKind> {
    let kind = match name.to_string().as_str() {
        "merge" => {
            let levels = items(content, "expected `,` or `)`", |content| {
                let level = content.parse()?;
                if content.peek(Token![..=]) || content.peek(Token![..]) {
                    return Err(content
                        .error("`merge` takes a list of levels, not a range\nhelp: write `merge(first, second)`"));
                }
                Ok(level)
            })?;
            PrimitiveKind::Merge(levels)
        }
        "trim" => {
            let (first, last) = parse_levels(content, "trim")?;
            PrimitiveKind::Trim(first, last)
        }
        "pack" => {
            let (first, last) = parse_levels(content, "pack")?;
            PrimitiveKind::Pack(first, last)
        }
        "pad" => PrimitiveKind::Pad(content.parse()?),
        "partition" => PrimitiveKind::Partition(content.parse()?),
        "index" => {
            let widths = items(content, "expected `,` or `)`", |content| {
                let level: LevelRef = content.parse()?;
                if !content.peek(Token![:]) {
                    return Err(syn::Error::new_spanned(
                        &level,
                        format!(
                            "expected the type of this index\nhelp: write `index({}: u16);`",
                            level.to_token_stream()
                        ),
                    ));
                }
                content.parse::<Token![:]>()?;
                Ok((level, parse_width(content)?))
            })?;
            PrimitiveKind::Index(widths)
        }
        "pointer" => {
            let width = parse_width(content)?;
            if content.peek(Token![:]) {
                return Err(syn::Error::new_spanned(
                    width,
                    "all levels have pointers of one type\nhelp: write `pointer(u64);`",
                ));
            }
            PrimitiveKind::Pointer(width)
        }
        _ => {
            content.parse::<TokenStream>()?;
            PrimitiveKind::Unknown(name)
        }
    };
    if content.is_empty() {
        Ok(kind)
    } else {
        Err(content.error("expected `)`"))
    }
}

fn parse_width(content: ParseStream<'_>) -> syn::Result<Ident> {
    if content.peek(syn::Ident) {
        return content.parse();
    }
    Err(syn::Error::new(
        content.span(),
        "expected an index type\nhelp: write `u32` or `u64`",
    ))
}

/// Parses the first and the last level of `primitive`, from `col` or `row..=col`.
fn parse_levels(content: ParseStream<'_>, primitive: &str) -> syn::Result<(LevelRef, LevelRef)> {
    let first: LevelRef = content.parse()?;
    if content.is_empty() {
        return Ok((first.clone(), first));
    }
    if content.peek(Token![..=]) {
        content.parse::<Token![..=]>()?;
    } else if content.peek(Token![..]) {
        let dots: Token![..] = content.parse()?;
        return Err(syn::Error::new_spanned(
            dots,
            format!("a {primitive} includes its last level\nhelp: write `..=`"),
        ));
    } else {
        return Err(content.error(format!(
            "expected `..=` or `)`\nhelp: write `{primitive}(first..=last)`"
        )));
    }
    Ok((first, content.parse()?))
}
