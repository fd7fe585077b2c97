//! Parses kernel statements, `pub fn spmv: y[i] = alpha * A[i, j] * x[j] where A: Csr | Dia;`, and formats that join a
//! kernel later, `impl spmv for Dcsr;`.

mod expression;
mod formats;
mod implement;
mod target;
mod text;

pub(crate) use expression::{Access, Expression, ExpressionKind, MaskDecl};
pub(crate) use formats::{FormatUse, SparseOperand};
pub(crate) use implement::{ImplementDecl, JoinedFormats};
pub(crate) use text::{TextDecl, TextOperand};

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Token, TypeParam, Visibility};

use super::cursor::{ended, head_of, is_punct, skip_to};
use crate::compiler::diagnostics::did_you_mean;

/// A parsed statement.
pub(crate) struct KernelDecl {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    /// The element type and its bounds, if they are given.
    pub(crate) element: Option<TypeParam>,
    pub(crate) output: Access,
    pub(crate) reduction: Reduction,
    pub(crate) value: Expression,
    pub(crate) mask: Option<MaskDecl>,
    pub(crate) sparse: Vec<SparseOperand>,
    /// The tokens from the output to the mask, without the `where` clause.
    pub(crate) statement: TokenStream,
    /// Whether `#[target(cuda)]` requests kernels of CUDA.
    pub(crate) on_device: bool,
    /// Whether `#[target(hls)]` requests a function for high-level synthesis.
    pub(crate) in_hardware: bool,
    /// The attribute `#[target(..)]`, and the tokens from `fn` on.
    pub(crate) tokens: TokenStream,
    /// The syntax errors after the name. A malformed statement still has its name.
    pub(crate) malformed: Vec<syn::Error>,
}

/// The operator of a statement, which combines the results of terms with each other and with the values of the output. The one of the
/// loop IR, which has no `Set`, is another type: `loops::Reduction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// `=`, a sum that starts from zero.
    Set,
    /// `+=`
    Plus,
    /// `min=`
    Min,
    /// `max=`
    Max,
    /// `|=`
    Or,
    /// `&=`
    And,
}

impl Parse for KernelDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (attributes, targets) = target::split(input.call(Attribute::parse_outer)?);
        let visibility: Visibility = input.parse()?;
        let before = input.fork();
        if !input.peek(Token![fn]) {
            return Err(input.error("expected `fn`\nhelp: write `pub fn spmv: y[i] = A[i, j] * x[j] where A: Csr;`"));
        }
        input.parse::<Token![fn]>()?;
        let name: Ident = input.parse()?;
        let nothing = Access {
            name: name.clone(),
            indices: Vec::new(),
            tokens: TokenStream::new(),
        };
        let mut declaration = KernelDecl {
            attributes,
            visibility,
            name,
            element: None,
            output: nothing.clone(),
            reduction: Reduction::Set,
            value: Expression {
                kind: ExpressionKind::Access(nothing),
                tokens: TokenStream::new(),
            },
            mask: None,
            sparse: Vec::new(),
            statement: TokenStream::new(),
            on_device: target::has(&targets, "cuda"),
            in_hardware: target::has(&targets, "hls"),
            tokens: quote!(#(#targets)*),
            malformed: target::check(&targets).err().into_iter().collect(),
        };
        let ahead = input.fork();
        if let Err(error) = parse_statement(&ahead, &mut declaration) {
            declaration.malformed.push(error);
        }
        if !declaration.malformed.is_empty() {
            input.parse::<TokenStream>()?;
            return Ok(declaration);
        }
        input.advance_to(&ahead);
        declaration.tokens.extend(between(&before, input)?);
        input.parse::<Token![;]>()?;
        Ok(declaration)
    }
}

/// Parses `: y[i] = A[i, j] * x[j] where A: Csr`, up to the semicolon. After an error, the next section is parsed if
/// its start can be found.
fn parse_statement(input: ParseStream<'_>, declaration: &mut KernelDecl) -> syn::Result<()> {
    if input.peek(Token![<]) {
        match parse_element(input) {
            Ok(element) => declaration.element = Some(element),
            Err(error) => {
                declaration.malformed.push(error);
                skip_to(input, |rest| rest.peek(Token![>]) && rest.peek2(Token![:]));
                if input.is_empty() {
                    return Ok(());
                }
                input.parse::<Token![>]>()?;
            }
        }
    }
    if !input.peek(Token![:]) {
        return Err(input.error(
            "expected `:` after the kernel's name\nhelp: write `fn spmv: y[i] = A[i, j] * x[j] where A: Csr;`",
        ));
    }
    input.parse::<Token![:]>()?;
    let from = input.fork();
    if let Err(error) = parse_value(input, declaration) {
        declaration.malformed.push(error);
    }
    if !declaration.malformed.is_empty() {
        skip_to(input, |rest| rest.peek(Token![where]));
        if input.is_empty() {
            return Ok(());
        }
    }
    let accesses = std::iter::once(&declaration.output).chain(declaration.value.accesses());
    let accesses = accesses.chain(declaration.mask.as_ref().map(|mask| &mask.access));
    let indices = accesses.flat_map(|access| access.indices.iter().map(Ident::to_string));
    let indices = indices.collect();
    declaration.value.name_indices(&indices);
    declaration.statement = between(&from, input)?;
    if !input.peek(Token![where]) {
        let (expected, help) = if declaration.mask.is_some() {
            (
                "`where` after the mask",
                "a mask is one operand; combine several before",
            )
        } else if input.peek(syn::Ident) || input.peek(syn::Lit) || input.peek(syn::token::Paren) {
            ("`*`, `+` or `where`", "write `*` between factors")
        } else {
            ("`*`, `+` or `where`", "name the sparse operand, `where A: Csr`")
        };
        declaration
            .malformed
            .push(input.error(format!("expected {expected}\nhelp: {help}")));
        skip_to(input, |rest| rest.peek(Token![where]));
        if input.is_empty() {
            return Ok(());
        }
    }
    input.parse::<Token![where]>()?;
    while !input.peek(Token![;]) {
        match input.parse() {
            Ok(operand) => declaration.sparse.push(operand),
            Err(error) => {
                declaration.malformed.push(error);
                skip_to(input, |rest| rest.peek(Token![,]) || rest.peek(Token![;]));
                if input.is_empty() {
                    return Ok(());
                }
            }
        }
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
        } else if input.peek(Token![if]) {
            return Err(input.error("the mask must be before `where`\nhelp: write `.. if seen[j] where A: Csr;`"));
        } else if !input.peek(Token![;]) {
            return Err(input.error("expected `|`, `,` or `;`\nhelp: end a kernel with `;`"));
        }
    }
    Ok(())
}

/// Parses `y[i] = A[i, j] * x[j] if seen[j]`.
fn parse_value(input: ParseStream<'_>, declaration: &mut KernelDecl) -> syn::Result<()> {
    match Access::parse(input) {
        Ok(output) => declaration.output = output,
        Err(error) => {
            declaration.malformed.push(error);
            skip_to(input, |rest| rest.peek(Token![=]) || rest.peek(Token![where]));
            if !input.peek(Token![=]) {
                return Ok(());
            }
        }
    }
    let before = input.cursor();
    match parse_reduction(input) {
        Ok(reduction) => declaration.reduction = reduction,
        Err(error) => {
            declaration.malformed.push(error);
            let assigns = input.peek(Token![=]) || input.peek(Token![==]) || input.peek(Token![-=]);
            if !assigns && input.cursor() == before {
                // The start of the value is unknown.
                return Ok(());
            }
            skip_to(input, |rest| {
                !rest
                    .cursor()
                    .punct()
                    .is_some_and(|(punct, _)| "=-".contains(punct.as_char()))
            });
        }
    }
    declaration.value = input.parse()?;
    if input.peek(Token![if]) {
        input.parse::<Token![if]>()?;
        declaration.mask = Some(input.parse()?);
    }
    Ok(())
}

/// Parses `<T: Bounds>`: the element type, and no other parameters.
fn parse_element(input: ParseStream<'_>) -> syn::Result<TypeParam> {
    const HELP: &str = "a kernel has one type parameter, its element type\nhelp: write `<T: Bound>`; other generics belong to the functions that it calls";
    input.parse::<Token![<]>()?;
    if !input.peek(syn::Ident) {
        return Err(input.error(HELP));
    }
    let element: TypeParam = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    if !input.peek(Token![>]) {
        return Err(input.error(HELP));
    }
    input.parse::<Token![>]>()?;
    Ok(element)
}

/// Returns the tokens between two positions.
fn between(from: ParseStream<'_>, to: ParseStream<'_>) -> syn::Result<TokenStream> {
    let from = from.fork();
    let mut tokens = TokenStream::new();
    while from.cursor() != to.cursor() {
        tokens.extend([from.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

fn parse_reduction(input: ParseStream<'_>) -> syn::Result<Reduction> {
    const ALL: &str = "use `=`, `+=`, `min=`, `max=`, `|=` or `&=`";
    if input.peek(Token![==]) {
        return Err(input.error(format!("unknown reduction `==`\nhelp: {ALL}")));
    }
    if input.parse::<Option<Token![=]>>()?.is_some() {
        return Ok(Reduction::Set);
    }
    if input.parse::<Option<Token![+=]>>()?.is_some() {
        return Ok(Reduction::Plus);
    }
    if input.parse::<Option<Token![|=]>>()?.is_some() {
        return Ok(Reduction::Or);
    }
    if input.parse::<Option<Token![&=]>>()?.is_some() {
        return Ok(Reduction::And);
    }
    if input.peek(syn::Ident) && input.peek2(Token![=]) {
        let name: Ident = input.parse()?;
        let reduction = match name.to_string().as_str() {
            "min" => Reduction::Min,
            "max" => Reduction::Max,
            other => {
                let suggestion = did_you_mean(other, ["min", "max"]);
                let help = match suggestion.strip_suffix("`?") {
                    Some(near) => format!("{near}=`?"),
                    None => format!("\nhelp: {ALL}"),
                };
                return Err(syn::Error::new_spanned(
                    &name,
                    format!("unknown reduction `{name}=`{help}"),
                ));
            }
        };
        input.parse::<Token![=]>()?;
        return Ok(reduction);
    }
    if input.peek(Token![-=]) {
        return Err(input.error("unknown reduction `-=`\nhelp: write `+=` and subtract on the right"));
    }
    let combined: TokenStream = if input.peek(Token![*=]) {
        input.parse::<Token![*=]>()?.into_token_stream()
    } else if input.peek(Token![/=]) {
        input.parse::<Token![/=]>()?.into_token_stream()
    } else if input.peek(Token![^=]) {
        input.parse::<Token![^=]>()?.into_token_stream()
    } else {
        return Err(input.error("expected `=` or `+=` after the output\nhelp: write `y[i] = A[i, j] * x[j]`"));
    };
    let written = combined.to_string().replace(' ', "");
    let message = format!("unknown reduction `{written}`\nhelp: {ALL}");
    Err(syn::Error::new_spanned(combined, message))
}

/// Whether a statement lets formats join a kernel.
pub(crate) fn is_implement(tokens: &TokenStream) -> bool {
    // Skip the attributes, which are `#` and a group.
    let mut after = tokens.clone().into_iter().skip_while(|token| {
        matches!(token, TokenTree::Punct(punct) if punct.as_char() == '#') || matches!(token, TokenTree::Group(_))
    });
    let is = |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(ident) if ident == word);
    let first = after.next();
    let first = match first {
        // Skip a visibility, which the parser rejects.
        Some(token) if is(&token, "pub") => after.find(|token| !matches!(token, TokenTree::Group(_))),
        other => other,
    };
    first.is_some_and(|token| is(&token, "impl"))
}

/// Splits the tokens of an invocation into statements, at their semicolons, or before the next statement if a semicolon
/// is missing.
pub(crate) fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut statements = Vec::new();
    let mut start = 0;
    for at in 0..tokens.len() {
        let declares = matches!(&tokens[at], TokenTree::Ident(ident) if ident == "fn" || ident == "impl");
        if declares {
            let head = head_of(&tokens, start, at);
            if head > start {
                statements.push(ended(&tokens[start..head], false));
                start = head;
            }
        }
        if is_punct(&tokens[at], ';') {
            statements.push(ended(&tokens[start..=at], true));
            start = at + 1;
        }
    }
    if start < tokens.len() {
        statements.push(ended(&tokens[start..], false));
    }
    statements
}
