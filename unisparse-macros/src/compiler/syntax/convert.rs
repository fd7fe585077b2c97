//! Parses conversion statements: `convert Csr -> Dcsr, Csc -> Bcsr<4, 4>;`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Token, Visibility};

use super::format::keyword;
use super::kernel::FormatUse;

/// A parsed statement.
pub(crate) struct ConvertDecl {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) pairs: Vec<Pair>,
    /// The syntax errors after the pairs.
    pub(crate) malformed: Option<syn::Error>,
}

/// A pair such as `Csr -> Dcsr`.
pub(crate) struct Pair {
    pub(crate) from: FormatUse,
    pub(crate) to: FormatUse,
}

/// Whether the item is a conversion statement.
pub(crate) fn is_convert(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            // Skip attributes, and a visibility, which the parser rejects.
            TokenTree::Punct(punct) if punct.as_char() == '#' => drop(tokens.next()),
            TokenTree::Ident(ident) if ident == "pub" => {
                if matches!(tokens.peek(), Some(TokenTree::Group(_))) {
                    tokens.next();
                }
            }
            TokenTree::Ident(ident) => return ident == "convert",
            _ => return false,
        }
    }
    false
}

impl Parse for ConvertDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility: Visibility = input.parse()?;
        input.parse::<keyword::convert>()?;
        let mut declaration = ConvertDecl {
            attributes,
            pairs: Vec::new(),
            malformed: None,
        };
        if !matches!(visibility, Visibility::Inherited) {
            let message =
                "a conversion has no visibility: it is visible wherever both formats are\nhelp: leave this out";
            declaration.malformed = Some(syn::Error::new_spanned(visibility, message));
        }
        if let Err(error) = parse_pairs(input, &mut declaration.pairs) {
            match &mut declaration.malformed {
                None => declaration.malformed = Some(error),
                Some(found) => found.combine(error),
            }
            input.parse::<TokenStream>()?;
        }
        Ok(declaration)
    }
}

/// Parses `Csr -> Dcsr, Csc -> Bcsr;`.
fn parse_pairs(input: ParseStream<'_>, pairs: &mut Vec<Pair>) -> syn::Result<()> {
    loop {
        let from = parse_format(input)?;
        if !input.peek(Token![->]) {
            return Err(input.error("expected `->` and the format to convert into\nhelp: write `convert Csr -> Dcsr;`"));
        }
        input.parse::<Token![->]>()?;
        let to = parse_format(input)?;
        pairs.push(Pair { from, to });
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
        } else if !input.peek(Token![;]) {
            return Err(input.error("expected `,` or `;` after this conversion\nhelp: end the statement with `;`"));
        }
        if input.peek(Token![;]) {
            return input.parse::<Token![;]>().map(|_| ());
        }
    }
}

fn parse_format(input: ParseStream<'_>) -> syn::Result<FormatUse> {
    if input.peek(Ident::peek_any) || input.peek(Token![::]) {
        return input.parse();
    }
    Err(input.error("expected a format\nhelp: write `convert Csr -> Dcsr;`"))
}

impl Pair {
    /// Returns the tokens for errors about both formats, without the arguments of the second.
    pub(crate) fn place(&self) -> TokenStream {
        let (from, to) = (&self.from.path, &self.to.path);
        quote!(#from #to)
    }

    /// Returns the pair as written, on one line.
    pub(crate) fn text(&self) -> String {
        let text = |format: &FormatUse| {
            let text = format.to_token_stream().to_string();
            text.replace(' ', "").replace(',', ", ")
        };
        format!("{} -> {}", text(&self.from), text(&self.to))
    }
}

impl ToTokens for Pair {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Pair { from, to } = self;
        tokens.extend(quote!(#from -> #to));
    }
}

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let from = input.parse()?;
        input.parse::<Token![->]>()?;
        Ok(Pair {
            from,
            to: input.parse()?,
        })
    }
}
