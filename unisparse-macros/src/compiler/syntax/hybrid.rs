//! Parses hybrid declarations: `pub hybrid Name<const B: usize = 64> = Bdia<B> + Csr split query > threshold;`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, LitInt, Token, Visibility};

use super::cursor::{attempt, skip_to, taken};
use super::format::{ParameterDecl, Parameters, keyword, parse_parameters};
use super::kernel::FormatUse;
use super::query::QueryExpr;

/// A parsed declaration.
pub(crate) struct HybridDecl {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) parameters: Vec<ParameterDecl>,
    pub(crate) parts: Vec<FormatUse>,
    /// The query; `None` only if the declaration is malformed.
    pub(crate) query: Option<QueryExpr>,
    pub(crate) thresholds: Vec<ThresholdDecl>,
    /// The tokens from `hybrid` on, which kernels receive.
    pub(crate) tokens: TokenStream,
    /// The syntax errors after the name.
    pub(crate) malformed: Vec<syn::Error>,
}

/// The number with which the sum of a group is compared.
pub(crate) enum ThresholdDecl {
    /// An argument of `split`.
    Name(Ident),
    Number(LitInt),
}

impl Parse for HybridDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility: Visibility = input.parse()?;
        let (mut declaration, tokens) = taken(input, parse_declaration)?;
        declaration.attributes = attributes;
        declaration.visibility = visibility;
        declaration.tokens = tokens;
        Ok(declaration)
    }
}

fn parse_declaration(input: ParseStream<'_>) -> syn::Result<HybridDecl> {
    input.parse::<keyword::hybrid>()?;
    let name: Ident = input.parse().map_err(|error: syn::Error| {
        syn::Error::new(error.span(), format!("{error}\nhelp: give the hybrid another name"))
    })?;
    let mut declaration = HybridDecl {
        attributes: Vec::new(),
        visibility: Visibility::Inherited,
        name,
        parameters: Vec::new(),
        parts: Vec::new(),
        query: None,
        thresholds: Vec::new(),
        tokens: TokenStream::new(),
        malformed: Vec::new(),
    };
    let mut parameters = Parameters::default();
    let mut parsed = parse_parameters(input, &mut parameters);
    declaration.parameters = parameters.declared;
    declaration.malformed = parameters.malformed;
    if parsed.is_ok() {
        parsed = parse_body(input, &mut declaration);
    }
    declaration.malformed.extend(parsed.err());
    if !declaration.malformed.is_empty() {
        input.parse::<TokenStream>()?;
    }
    Ok(declaration)
}

/// Parses `= Bdia<B> + Csr split query > threshold;`.
fn parse_body(input: ParseStream<'_>, declaration: &mut HybridDecl) -> syn::Result<()> {
    if !input.peek(Token![=]) {
        return Err(input.error("expected `=`\nhelp: write `hybrid Name = P + Q split query > threshold;`"));
    }
    input.parse::<Token![=]>()?;
    loop {
        match attempt(input, part) {
            Ok(part) => declaration.parts.push(part),
            Err(error) => {
                declaration.malformed.push(error);
                skip_to(input, |rest| rest.peek(Token![+]) || rest.peek(keyword::split));
            }
        }
        if !input.peek(Token![+]) {
            break;
        }
        input.parse::<Token![+]>()?;
    }
    if !input.peek(keyword::split) {
        return Err(input.error(
            "expected `+` or `split`\nhelp: write `P + Q split sum(value != 0 => 1, _ => 0).group_by(i) > threshold;`",
        ));
    }
    input.parse::<keyword::split>()?;
    match attempt(input, QueryExpr::parse) {
        Ok(query) => declaration.query = Some(query),
        Err(error) => {
            declaration.malformed.push(error);
            skip_to(input, |rest| rest.peek(Token![>]) || rest.peek(Token![;]));
        }
    }
    while input.peek(Token![>]) && !input.peek(Token![>=]) {
        input.parse::<Token![>]>()?;
        declaration.thresholds.push(input.parse()?);
    }
    if declaration.thresholds.is_empty() {
        return Err(input.error(
            "expected `>` and a threshold\nhelp: write `> threshold`: groups above the threshold go to the first part",
        ));
    }
    if !input.peek(Token![;]) {
        return Err(input.error("expected `>` or `;` after this threshold\nhelp: end a hybrid with `;`"));
    }
    input.parse::<Token![;]>().map(|_| ())
}

fn part(input: ParseStream<'_>) -> syn::Result<FormatUse> {
    if !(input.peek(Ident::peek_any) || input.peek(Token![::])) || input.peek(keyword::split) {
        return Err(input.error("expected a part of the hybrid\nhelp: write the name or the path of a format, `Csr`"));
    }
    input.parse()
}

impl Parse for ThresholdDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(syn::Ident) {
            return input.parse().map(ThresholdDecl::Name);
        }
        if input.peek(LitInt) {
            return input.parse().map(ThresholdDecl::Number);
        }
        Err(input.error(
            "expected a threshold\nhelp: write a name, which becomes an argument of `split`, or an integer literal",
        ))
    }
}

impl ToTokens for HybridDecl {
    /// Adds the whole declaration, including attributes and visibility.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (attributes, visibility, declaration) = (&self.attributes, &self.visibility, &self.tokens);
        tokens.extend(quote!(#(#attributes)* #visibility #declaration));
    }
}
