//! Parses the right side of a kernel, which is computed at each coordinate.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Lit, Token, bracketed, parenthesized};

use crate::compiler::syntax::cursor::{combine, items, skip_to};

/// A parsed expression.
#[derive(Clone)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) tokens: TokenStream,
}

#[derive(Clone)]
pub(crate) enum ExpressionKind {
    Access(Access),
    /// An index as a value, which is its coordinate.
    Index(Ident),
    Integer(i64),
    Float(f64),
    Negated(Box<Expression>),
    /// The terms of a sum. Subtracted terms are [`ExpressionKind::Negated`].
    Sum(Vec<Expression>),
    Product(Vec<Expression>),
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Call(TokenStream, Vec<Expression>),
}

/// A read of an operand, such as `A[i, j]`, or of a scalar, such as `alpha`.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) name: Ident,
    pub(crate) indices: Vec<Ident>,
    pub(crate) tokens: TokenStream,
}

/// A mask, such as `if !seen[j]`, without the `if`.
#[derive(Clone)]
pub(crate) struct MaskDecl {
    pub(crate) access: Access,
    pub(crate) negated: bool,
}

impl Expression {
    /// Returns the operands of the expression.
    pub(crate) fn parts(&self) -> &[Expression] {
        match &self.kind {
            ExpressionKind::Access(_)
            | ExpressionKind::Index(_)
            | ExpressionKind::Integer(_)
            | ExpressionKind::Float(_) => &[],
            ExpressionKind::Negated(inner) => std::slice::from_ref(&**inner),
            ExpressionKind::Sum(parts)
            | ExpressionKind::Product(parts)
            | ExpressionKind::And(parts)
            | ExpressionKind::Or(parts)
            | ExpressionKind::Call(_, parts) => parts,
        }
    }

    /// Returns all reads of operands, in order of appearance.
    pub(crate) fn accesses(&self) -> Vec<&Access> {
        match &self.kind {
            ExpressionKind::Access(access) => vec![access],
            _ => self.parts().iter().flat_map(Expression::accesses).collect(),
        }
    }

    /// Turns names without brackets into coordinates, if they are indices elsewhere.
    pub(crate) fn name_indices(&mut self, indices: &BTreeSet<String>) {
        match &mut self.kind {
            ExpressionKind::Access(access) => {
                if access.indices.is_empty() && indices.contains(&access.name.to_string()) {
                    self.kind = ExpressionKind::Index(access.name.clone());
                }
            }
            ExpressionKind::Index(_) | ExpressionKind::Integer(_) | ExpressionKind::Float(_) => {}
            ExpressionKind::Negated(inner) => inner.name_indices(indices),
            ExpressionKind::Sum(parts)
            | ExpressionKind::Product(parts)
            | ExpressionKind::And(parts)
            | ExpressionKind::Or(parts)
            | ExpressionKind::Call(_, parts) => parts.iter_mut().for_each(|part| part.name_indices(indices)),
        }
    }
}

impl Parse for Expression {
    /// Parses an expression with Rust's precedence: `-x`, then `*`, `+` and `-`, `&`, `|`.
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        chain(input, and, |input| input.peek(Token![|]), ExpressionKind::Or)
    }
}

fn and(input: ParseStream<'_>) -> syn::Result<Expression> {
    chain(input, sum, |input| input.peek(Token![&]), ExpressionKind::And)
}

fn sum(input: ParseStream<'_>) -> syn::Result<Expression> {
    let more = |input: ParseStream<'_>| input.peek(Token![+]) || input.peek(Token![-]);
    chain(input, product, more, ExpressionKind::Sum)
}

fn product(input: ParseStream<'_>) -> syn::Result<Expression> {
    chain(input, unary, |input| input.peek(Token![*]), ExpressionKind::Product)
}

/// Parses parts separated by operators of one character. A part after `-` is negated.
fn chain(
    input: ParseStream<'_>,
    part: fn(ParseStream<'_>) -> syn::Result<Expression>,
    more: impl Fn(ParseStream<'_>) -> bool,
    kind: fn(Vec<Expression>) -> ExpressionKind,
) -> syn::Result<Expression> {
    let mut errors = None;
    // A malformed part does not hide errors of later parts.
    let mut next_part = |input: ParseStream<'_>| match part(input) {
        Ok(part) => Some(part),
        Err(error) => {
            combine(&mut errors, error);
            skip_to(input, ends_part);
            None
        }
    };
    let (mut tokens, mut parts) = (TokenStream::new(), Vec::new());
    if let Some(first) = next_part(input) {
        first.tokens.to_tokens(&mut tokens);
        parts.push(first);
    }
    while more(input) {
        // `&&` and `||` are not operators of tensors.
        if input.peek(Token![&&]) || input.peek(Token![||]) {
            return Err(input.error("`&&` and `||` do not apply to elements\nhelp: write `&` or `|`"));
        }
        let operator: TokenTree = input.parse()?;
        operator.to_tokens(&mut tokens);
        let Some(next) = next_part(input) else { continue };
        next.tokens.to_tokens(&mut tokens);
        parts.push(match &operator {
            TokenTree::Punct(punct) if punct.as_char() == '-' => {
                let tokens = next.tokens.clone();
                Expression {
                    kind: ExpressionKind::Negated(Box::new(next)),
                    tokens,
                }
            }
            _ => next,
        });
    }
    if let Some(errors) = errors {
        return Err(errors);
    }
    if input.peek(Token![/]) || input.peek(Token![%]) {
        return Err(input.error(
            "a kernel does not divide\nhelp: multiply by a scalar, or call a function of yours: `quotient(A[i, j], x[j])`",
        ));
    }
    if let Some(error) = no_operator(input) {
        return Err(error);
    }
    match parts.len() {
        1 => Ok(parts.remove(0)),
        _ => Ok(Expression {
            kind: kind(parts),
            tokens,
        }),
    }
}

/// Whether a part of an expression must end here.
fn ends_part(input: ParseStream<'_>) -> bool {
    let operator = input.peek(Token![*]) || input.peek(Token![+]) || input.peek(Token![-]);
    let condition = input.peek(Token![&]) || input.peek(Token![|]);
    operator || condition || input.peek(Token![,]) || input.peek(Token![if]) || input.peek(Token![where])
}

/// Returns the error for an operator of Rust that kernels do not have, if one is next.
fn no_operator(input: ParseStream<'_>) -> Option<syn::Error> {
    if input.peek(Token![as]) {
        return Some(input.error(
            "a kernel does not convert with `as`\nhelp: call a function: `f64::from(A[i, j])`, or one of yours",
        ));
    }
    let operators = [
        (input.peek(Token![<<]), "<<"),
        (input.peek(Token![>>]), ">>"),
        (input.peek(Token![==]), "=="),
        (input.peek(Token![!=]), "!="),
        (input.peek(Token![<=]), "<="),
        (input.peek(Token![>=]), ">="),
        (input.peek(Token![^]), "^"),
        (input.peek(Token![<]), "<"),
        (input.peek(Token![>]), ">"),
    ];
    let (_, operator) = operators.into_iter().find(|&(next, _)| next)?;
    Some(input.error(format!(
        "`{operator}` is not an operator of kernels\nhelp: call a function of yours: `f(A[i, j], x[j])`"
    )))
}

fn unary(input: ParseStream<'_>) -> syn::Result<Expression> {
    if input.peek(Token![-]) {
        let minus: Token![-] = input.parse()?;
        let inner = unary(input)?;
        let tokens = {
            let inner = &inner.tokens;
            quote!(#minus #inner)
        };
        return Ok(Expression {
            kind: ExpressionKind::Negated(Box::new(inner)),
            tokens,
        });
    }
    if input.peek(Token![!]) {
        return Err(input.error("`!` is allowed in a mask only\nhelp: call a function of yours: `not(A[i, j])`"));
    }
    if input.peek(syn::token::Paren) {
        let content;
        let parentheses = parenthesized!(content in input);
        let inner: Expression = content.parse()?;
        if !content.is_empty() {
            return Err(content.error("expected an operator or `)`\nhelp: write `*` between factors"));
        }
        let mut tokens = TokenStream::new();
        parentheses.surround(&mut tokens, |tokens| inner.tokens.to_tokens(tokens));
        return Ok(Expression { tokens, ..inner });
    }
    if input.peek(Lit) {
        return literal(input);
    }
    if is_call(input) {
        return call(input);
    }
    let access: Access = input.parse()?;
    Ok(Expression {
        tokens: access.tokens.clone(),
        kind: ExpressionKind::Access(access),
    })
}

fn literal(input: ParseStream<'_>) -> syn::Result<Expression> {
    let literal: Lit = input.parse()?;
    let tokens = literal.to_token_stream();
    let refused = |message: &str| Err(syn::Error::new_spanned(&tokens, message));
    let suffix = "a literal has the element type\nhelp: leave the suffix out";
    let kind = match &literal {
        Lit::Int(integer) if !integer.suffix().is_empty() => return refused(suffix),
        Lit::Float(float) if !float.suffix().is_empty() => return refused(suffix),
        Lit::Int(integer) => match integer.base10_parse() {
            Ok(integer) => ExpressionKind::Integer(integer),
            Err(_) => return refused("this integer literal does not fit `i64`\nhelp: pass it as a scalar operand"),
        },
        Lit::Float(float) => match float.base10_parse::<f64>()? {
            number if number.is_finite() => ExpressionKind::Float(number),
            _ => return refused("this literal does not fit `f64`\nhelp: pass `f64::INFINITY` as a scalar operand"),
        },
        _ => return refused("a literal is a number\nhelp: pass other values as scalar operands"),
    };
    Ok(Expression { kind, tokens })
}

/// Whether the next tokens are a path with arguments, and not an operand.
fn is_call(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    if ahead.peek(Token![::]) || ahead.peek(Token![<]) {
        return true;
    }
    if ahead.call(Ident::parse_any).is_err() {
        return false;
    }
    ahead.peek(Token![::]) || ahead.peek(syn::token::Paren)
}

/// Parses a call, such as `relu(A[i, j])`, or `<f64 as Norm>::of::<2>(A[i, j], 1.0)`.
fn call(input: ParseStream<'_>) -> syn::Result<Expression> {
    let path = function_path(input)?;
    if !input.peek(syn::token::Paren) {
        return Err(syn::Error::new_spanned(
            &path,
            "a path must name a function that is called\nhelp: write its arguments, or pass a constant as a scalar operand",
        ));
    }
    let content;
    let parentheses = parenthesized!(content in input);
    let inner = content.fork().parse::<TokenStream>()?;
    let expected = "expected `,` or `)` after an argument\nhelp: write `*` between factors";
    let arguments = items(&content, expected, Expression::parse)?;
    let mut tokens = path.clone();
    parentheses.surround(&mut tokens, |tokens| inner.to_tokens(tokens));
    if arguments.is_empty() {
        return Err(syn::Error::new_spanned(
            &tokens,
            "a function needs at least one argument\nhelp: give it an operand, or pass its result as a scalar operand",
        ));
    }
    Ok(Expression {
        kind: ExpressionKind::Call(path, arguments),
        tokens,
    })
}

/// Parses the path before the parentheses of the arguments: names, `::`, and the tokens between `<` and `>`.
fn function_path(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut path = TokenStream::new();
    let (mut open, mut opened) = (0usize, input.span());
    while open > 0 || !input.peek(syn::token::Paren) {
        let in_path = input.peek(Ident::peek_any) || input.peek(Token![::]) || input.peek(Token![<]);
        if open == 0 && !in_path {
            break;
        }
        if input.is_empty() || input.peek(Token![;]) {
            return Err(syn::Error::new(
                opened,
                "expected `>` after the arguments of a path\nhelp: close them, `convert::<f64>(A[i, j])`",
            ));
        }
        if open == 0 {
            opened = input.span();
        }
        open += usize::from(input.peek(Token![<]));
        let closes = input.peek(Token![>]);
        if input.peek(Token![::]) {
            input.parse::<Token![::]>()?.to_tokens(&mut path);
        } else {
            input.parse::<TokenTree>()?.to_tokens(&mut path);
        }
        open = open.saturating_sub(usize::from(closes));
    }
    Ok(path)
}

impl Parse for Access {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::Ident) {
            return Err(syn::Error::new(
                input.span(),
                "expected an operand: `A[i, j]`, a scalar's name or a number\nhelp: give every operator two operands",
            ));
        }
        let name: Ident = input.parse()?;
        let (mut indices, mut errors) = (Vec::new(), None);
        let mut tokens = name.to_token_stream();
        if input.peek(syn::token::Bracket) {
            let content;
            let brackets = bracketed!(content in input);
            let inner = content.fork().parse::<TokenStream>()?;
            let expected = "expected `,` or `]`: an index is a name, not an expression\nhelp: write the expression in a format's index map";
            indices = items(&content, expected, index).unwrap_or_else(|error| {
                combine(&mut errors, error);
                Vec::new()
            });
            brackets.surround(&mut tokens, |tokens| inner.to_tokens(tokens));
            if indices.is_empty() && errors.is_none() {
                return Err(syn::Error::new_spanned(
                    &tokens,
                    "an operand with brackets has at least one index\nhelp: leave the brackets of a scalar out",
                ));
            }
        }
        if input.peek(syn::token::Bracket) {
            return Err(input.error(format!(
                "an operand has all its indices in one pair of brackets\nhelp: write `{name}[i, j]`"
            )));
        }
        if input.peek(Token![.]) {
            return Err(input.error(format!(
                "fields and methods of operands are not available\nhelp: call a function by its path: `f64::abs({name}[i, j])`"
            )));
        }
        errors.map_or(Ok(Access { name, indices, tokens }), Err)
    }
}

fn index(input: ParseStream<'_>) -> syn::Result<Ident> {
    if !input.peek(syn::Ident) {
        return Err(input.error("an index is a name\nhelp: write `A[i, j]`"));
    }
    input.parse()
}

impl Parse for MaskDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        const HELP: &str = "a mask is one operand, read at indices\nhelp: write `if seen[j]` or `if !seen[j]`";
        let negated = input.parse::<Option<Token![!]>>()?.is_some();
        if !input.peek(syn::Ident) || is_call(input) {
            return Err(input.error(HELP));
        }
        let access: Access = input.parse()?;
        if access.indices.is_empty() {
            return Err(syn::Error::new_spanned(&access.tokens, HELP));
        }
        Ok(MaskDecl { access, negated })
    }
}
