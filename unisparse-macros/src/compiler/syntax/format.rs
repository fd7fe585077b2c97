//! Parses format declarations: `pub format Name<const B: usize = 2> = |i, j| (row: i, ..) { merge(..); trim(..); }`.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, LitInt, Token, Visibility, braced, parenthesized};

use super::cursor::{attempt, ended, head_of, is_punct, skip_past, taken};
use super::expression::Expr;
use super::primitive::Primitive;
use super::query::QueryDecl;

/// A parsed declaration.
pub(crate) struct FormatDecl {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) parameters: Vec<ParameterDecl>,
    pub(crate) dims: Vec<Ident>,
    pub(crate) levels: Vec<LevelDecl>,
    pub(crate) queries: Vec<QueryDecl>,
    pub(crate) primitives: Vec<Primitive>,
    /// The tokens from `format` on, which kernels receive.
    pub(crate) tokens: TokenStream,
    /// The syntax errors after the name. A malformed declaration still has its name and parameters.
    pub(crate) malformed: Vec<syn::Error>,
}

/// A const parameter, such as `const R: usize = 2`.
#[derive(Clone)]
pub(crate) struct ParameterDecl {
    pub(crate) name: Ident,
    pub(crate) default: Option<LitInt>,
}

/// A level, such as `row: i / R`, or only the expression.
pub(crate) struct LevelDecl {
    pub(crate) name: Option<Ident>,
    pub(crate) expression: Expr,
}

pub(crate) mod keyword {
    syn::custom_keyword!(format);
    syn::custom_keyword!(hybrid);
    syn::custom_keyword!(part);
    syn::custom_keyword!(split);
    syn::custom_keyword!(convert);
}

/// The const parameters of a declaration, with their errors.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) declared: Vec<ParameterDecl>,
    pub(super) malformed: Vec<syn::Error>,
}

impl Parse for FormatDecl {
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

fn parse_declaration(input: ParseStream<'_>) -> syn::Result<FormatDecl> {
    if input.peek(keyword::hybrid) {
        input.parse::<keyword::hybrid>()?;
        return Err(input
            .error("expected the name of the hybrid\nhelp: write `pub hybrid Name = P + Q split query > threshold;`"));
    }
    if !input.peek(keyword::format) {
        return Err(input.error("expected `format`\nhelp: write `pub format Name = |i, j| (row: i, col: j) { .. }`"));
    }
    input.parse::<keyword::format>()?;
    let name: Ident = input.parse().map_err(|error: syn::Error| {
        syn::Error::new(error.span(), format!("{error}\nhelp: give the format another name"))
    })?;
    let mut declaration = FormatDecl {
        attributes: Vec::new(),
        visibility: Visibility::Inherited,
        name,
        parameters: Vec::new(),
        dims: Vec::new(),
        levels: Vec::new(),
        queries: Vec::new(),
        primitives: Vec::new(),
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

/// Parses `= |i, j| (row: i, col: j) { .. }`.
fn parse_body(input: ParseStream<'_>, declaration: &mut FormatDecl) -> syn::Result<()> {
    if !input.peek(Token![=]) {
        return Err(input.error("expected `=`\nhelp: write `format Name = |i, j| (row: i, col: j) { .. }`"));
    }
    input.parse::<Token![=]>()?;
    if let Err(error) = parse_dims(input, declaration) {
        // The levels are after the second bar, if there is one.
        declaration.malformed.push(error);
        skip_past(input, |rest| rest.peek(Token![|]) || rest.peek(syn::token::Brace));
        if !input.peek(syn::token::Paren) {
            return Ok(());
        }
    }
    if !input.peek(syn::token::Paren) {
        return Err(input.error("expected the levels in parentheses\nhelp: write `(row: i, col: j)`"));
    }
    let content;
    parenthesized!(content in input);
    while !content.is_empty() {
        match attempt(&content, LevelDecl::parse) {
            Ok(level) => declaration.levels.push(level),
            Err(error) => declaration.malformed.push(error),
        }
        skip_past(&content, |rest| rest.peek(Token![,]));
    }
    if input.peek(Token![where]) {
        input.parse::<Token![where]>()?;
        if !input.peek(syn::token::Brace) {
            return Err(input.error(
                "expected the queries in braces\nhelp: write `where { len = sum(value != 0 => 1, _ => 0).group_by(i); }`",
            ));
        }
        let content;
        braced!(content in input);
        statements(&content, &mut declaration.queries, &mut declaration.malformed)?;
    }
    if !input.peek(syn::token::Brace) {
        return Err(input.error(
            "expected the primitives in braces\nhelp: write `{ merge(row); trim(col); }`, or `{}` for a dense format",
        ));
    }
    let content;
    braced!(content in input);
    statements(&content, &mut declaration.primitives, &mut declaration.malformed)
}

/// Parses statements that each end with a semicolon. A malformed statement does not hide errors of later ones.
fn statements<S: Parse>(
    content: ParseStream<'_>,
    parsed: &mut Vec<S>,
    malformed: &mut Vec<syn::Error>,
) -> syn::Result<()> {
    while !content.is_empty() {
        match attempt(content, S::parse) {
            Ok(statement) => parsed.push(statement),
            Err(error) => {
                malformed.push(error);
                skip_past(content, |rest| rest.peek(Token![;]));
            }
        }
    }
    Ok(())
}

/// Parses `<const R: usize = 2, const C: usize = 2>`.
pub(super) fn parse_parameters(input: ParseStream<'_>, parameters: &mut Parameters) -> syn::Result<()> {
    if !input.peek(Token![<]) {
        return Ok(());
    }
    let open: Token![<] = input.parse()?;
    while !input.peek(Token![>]) {
        let (parameter, error) = parse_parameter(input)?;
        parameters.declared.push(parameter);
        parameters.malformed.extend(error);
        while !input.is_empty() && !input.peek(Token![,]) && !input.peek(Token![>]) {
            input.parse::<TokenTree>()?;
        }
        if input.is_empty() {
            // The tokens were not parameters.
            parameters.malformed.clear();
            return Err(syn::Error::new_spanned(
                open,
                "the list of const parameters is not closed\nhelp: write `>` after the last",
            ));
        }
        input.parse::<Option<Token![,]>>()?;
    }
    input.parse::<Token![>]>().map(|_| ())
}

/// Parses a parameter, and returns its error separately, because a parameter with an error still counts.
fn parse_parameter(input: ParseStream<'_>) -> syn::Result<(ParameterDecl, Option<syn::Error>)> {
    let is_const = input.peek(Token![const]);
    if is_const {
        input.parse::<Token![const]>()?;
    }
    let name: Ident = input.parse().map_err(|error: syn::Error| {
        syn::Error::new(
            error.span(),
            "expected a const parameter\nhelp: write `const B: usize = 64`; the macro adds the element type",
        )
    })?;
    let mut parameter = ParameterDecl { name, default: None };
    if !is_const {
        let name = &parameter.name;
        let help = if input.peek(Token![:]) {
            "`const` before it".to_owned()
        } else {
            format!("`const {name}: usize`; the macro adds the element type")
        };
        let message = format!("`{name}` is not a const parameter\nhelp: write {help}");
        return Ok((parameter.clone(), Some(syn::Error::new_spanned(name, message))));
    }
    let mut rest = || -> syn::Result<()> {
        if !input.peek(Token![:]) {
            let name = &parameter.name;
            return Err(syn::Error::new_spanned(
                name,
                format!("expected the type of this parameter\nhelp: write `const {name}: usize`"),
            ));
        }
        input.parse::<Token![:]>()?;
        let kind: Ident = input.parse()?;
        if kind != "usize" {
            return Err(syn::Error::new_spanned(
                kind,
                "const parameters of a format have the type `usize`\nhelp: write `usize`",
            ));
        }
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            if !input.peek(LitInt) {
                return Err(input
                    .error("the default of a const parameter is a positive integer literal\nhelp: write one, `= 64`"));
            }
            parameter.default = Some(input.parse()?);
        }
        if !input.peek(Token![,]) && !input.peek(Token![>]) {
            return Err(input.error("expected `,` or `>` after this parameter"));
        }
        Ok(())
    };
    let error = rest().err();
    Ok((parameter, error))
}

/// Parses `|i, j|`.
fn parse_dims(input: ParseStream<'_>, declaration: &mut FormatDecl) -> syn::Result<()> {
    if !input.peek(Token![|]) {
        return Err(input.error("expected the dims between bars\nhelp: write `|i, j|`"));
    }
    input.parse::<Token![|]>()?;
    while !input.peek(Token![|]) {
        if !input.peek(syn::Ident) {
            return Err(input.error("expected the name of a dim, or `|` after the last\nhelp: write `|i, j|`"));
        }
        declaration.dims.push(input.parse()?);
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
        } else if !input.peek(Token![|]) {
            return Err(input.error("expected `,` or `|` after this dim\nhelp: write `|i, j|`"));
        }
    }
    input.parse::<Token![|]>()?;
    Ok(())
}

impl Parse for LevelDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut name = None;
        if input.peek(Ident::peek_any) && input.peek2(Token![:]) {
            if !input.peek(syn::Ident) {
                let keyword = input.call(Ident::parse_any)?;
                return Err(syn::Error::new_spanned(
                    &keyword,
                    format!("`{keyword}` is a Rust keyword\nhelp: give this level another name"),
                ));
            }
            name = Some(input.parse()?);
            input.parse::<Token![:]>()?;
        }
        let expression = input.parse()?;
        if !input.is_empty() && !input.peek(Token![,]) {
            return Err(input.error("expected an operator (`+`, `-`, `*`, `/` or `%`), `,` or `)`"));
        }
        Ok(LevelDecl { name, expression })
    }
}

/// Splits the tokens of an invocation into declarations. Each ends with the braces of its primitives, or before the
/// next declaration if it is malformed.
pub(crate) fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut items = Vec::new();
    let (mut start, mut in_hybrid) = (0, false);
    for at in 0..tokens.len() {
        if declares(&tokens, at) {
            in_hybrid = is_keyword(&tokens[at], "hybrid");
            let head = head_of(&tokens, start, at);
            if head > start {
                items.push(ended(&tokens[start..head], false));
                start = head;
            }
        }
        // The braces of a `where` clause precede the braces of the primitives.
        let of_where = at > start && matches!(&tokens[at - 1], TokenTree::Ident(ident) if ident == "where");
        let braces =
            matches!(&tokens[at], TokenTree::Group(group) if group.delimiter() == Delimiter::Brace) && !of_where;
        if (braces && !in_hybrid) || is_punct(&tokens[at], ';') {
            // A semicolon after the braces is allowed.
            if at > start || braces {
                items.push(ended(&tokens[start..=at], true));
            }
            (start, in_hybrid) = (at + 1, false);
        }
    }
    if start < tokens.len() {
        items.push(ended(&tokens[start..], false));
    }
    items
}

/// Whether the keyword and the name of a declaration are at this place.
fn declares(tokens: &[TokenTree], at: usize) -> bool {
    let keyword = is_keyword(&tokens[at], "format") || is_keyword(&tokens[at], "hybrid");
    keyword && matches!(tokens.get(at + 1), Some(TokenTree::Ident(_)))
}

fn is_keyword(token: &TokenTree, keyword: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == keyword)
}

/// Returns the name of a malformed declaration: the identifier after `format` or `hybrid`.
pub(crate) fn name_in(tokens: &TokenStream) -> Option<Ident> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let at = (0..tokens.len()).find(|&at| declares(&tokens, at))?;
    syn::parse2(tokens[at + 1].to_token_stream()).ok()
}

/// Whether the declaration is a hybrid.
pub(crate) fn is_hybrid(tokens: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let at = (0..tokens.len()).find(|&at| declares(&tokens, at));
    at.is_some_and(|at| is_keyword(&tokens[at], "hybrid"))
}

impl ToTokens for ParameterDecl {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let name = &self.name;
        let default = self.default.iter();
        tokens.extend(quote!(const #name: usize #(= #default)*,));
    }
}
