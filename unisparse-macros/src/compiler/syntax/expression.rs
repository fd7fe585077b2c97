//! Parses integer expressions of index maps: names, literals, `+ - * / %`, parentheses.

use std::fmt;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, Token, parenthesized};

/// A parsed expression.
#[derive(Clone)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    /// The tokens of this sub-expression, including its parentheses.
    pub(crate) tokens: TokenStream,
}

#[derive(Clone)]
pub(crate) enum ExprKind {
    Name(Ident),
    Literal(LitInt),
    Negate(Box<Expr>),
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinaryOperator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl BinaryOperator {
    fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Add => "+",
            BinaryOperator::Sub => "-",
            BinaryOperator::Mul => "*",
            BinaryOperator::Div => "/",
            BinaryOperator::Rem => "%",
        }
    }

    fn binds_tightly(self) -> bool {
        matches!(self, BinaryOperator::Mul | BinaryOperator::Div | BinaryOperator::Rem)
    }

    fn parse_sum(input: ParseStream<'_>) -> syn::Result<Option<(Self, TokenStream)>> {
        Ok(if input.peek(Token![+]) {
            Some((BinaryOperator::Add, input.parse::<Token![+]>()?.into_token_stream()))
        } else if input.peek(Token![-]) {
            Some((BinaryOperator::Sub, input.parse::<Token![-]>()?.into_token_stream()))
        } else {
            None
        })
    }

    fn parse_product(input: ParseStream<'_>) -> syn::Result<Option<(Self, TokenStream)>> {
        Ok(if input.peek(Token![*]) {
            Some((BinaryOperator::Mul, input.parse::<Token![*]>()?.into_token_stream()))
        } else if input.peek(Token![/]) {
            Some((BinaryOperator::Div, input.parse::<Token![/]>()?.into_token_stream()))
        } else if input.peek(Token![%]) {
            Some((BinaryOperator::Rem, input.parse::<Token![%]>()?.into_token_stream()))
        } else {
            None
        })
    }
}

impl Parse for Expr {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut left = product(input)?;
        while let Some((operator, token)) = BinaryOperator::parse_sum(input)? {
            left = binary(operator, token, left, product(input)?);
        }
        Ok(left)
    }
}

fn binary(operator: BinaryOperator, token: TokenStream, left: Expr, right: Expr) -> Expr {
    let (left_tokens, right_tokens) = (&left.tokens, &right.tokens);
    let tokens = quote!(#left_tokens #token #right_tokens);
    Expr {
        kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)),
        tokens,
    }
}

fn product(input: ParseStream<'_>) -> syn::Result<Expr> {
    let mut left = unary(input)?;
    while let Some((operator, token)) = BinaryOperator::parse_product(input)? {
        left = binary(operator, token, left, unary(input)?);
    }
    Ok(left)
}

fn unary(input: ParseStream<'_>) -> syn::Result<Expr> {
    if input.peek(Token![-]) {
        let minus: Token![-] = input.parse()?;
        let inner = unary(input)?;
        let inner_tokens = &inner.tokens;
        let tokens = quote!(#minus #inner_tokens);
        return Ok(Expr {
            kind: ExprKind::Negate(Box::new(inner)),
            tokens,
        });
    }
    if input.peek(syn::token::Paren) {
        let content;
        let parens = parenthesized!(content in input);
        let inner: Expr = content.parse()?;
        if !content.is_empty() {
            return Err(content.error("expected an operator (`+`, `-`, `*`, `/` or `%`) or `)`"));
        }
        let mut tokens = TokenStream::new();
        parens.surround(&mut tokens, |tokens| inner.tokens.to_tokens(tokens));
        return Ok(Expr {
            kind: inner.kind,
            tokens,
        });
    }
    if input.peek(LitInt) {
        let literal: LitInt = input.parse()?;
        return Ok(Expr {
            tokens: literal.to_token_stream(),
            kind: ExprKind::Literal(literal),
        });
    }
    if input.peek(syn::Ident) {
        let name: Ident = input.parse()?;
        return Ok(Expr {
            tokens: name.to_token_stream(),
            kind: ExprKind::Name(name),
        });
    }
    Err(syn::Error::new(
        input.span(),
        "expected a dim, an integer literal, a const parameter or `(`",
    ))
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrapped = |f: &mut fmt::Formatter<'_>, inner: &Expr, wrap: bool| {
            if wrap {
                write!(f, "({inner})")
            } else {
                write!(f, "{inner}")
            }
        };
        let is_sum = |inner: &Expr| matches!(inner.kind, ExprKind::Binary(o, ..) if !o.binds_tightly());
        let is_binary = |inner: &Expr| matches!(inner.kind, ExprKind::Binary(..));
        match &self.kind {
            ExprKind::Name(name) => write!(f, "{name}"),
            ExprKind::Literal(literal) => write!(f, "{}", literal.base10_digits()),
            ExprKind::Negate(inner) => {
                write!(f, "-")?;
                wrapped(f, inner, is_binary(inner))
            }
            ExprKind::Binary(operator, left, right) => {
                wrapped(f, left, operator.binds_tightly() && is_sum(left))?;
                write!(f, " {} ", operator.symbol())?;
                let wrap = if operator.binds_tightly() {
                    is_binary(right)
                } else {
                    is_sum(right)
                };
                wrapped(f, right, wrap)
            }
        }
    }
}
