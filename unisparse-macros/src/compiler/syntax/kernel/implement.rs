//! Parses formats that join a kernel: `impl spmv for Dcsr;`, `impl spgemm for A: Dcsr | Csr, B: Csr, C: Csr;`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Path, Token, Visibility};

use super::{FormatUse, SparseOperand};

/// A parsed statement.
pub(crate) struct ImplementDecl {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) kernel: Path,
    pub(crate) formats: JoinedFormats,
}

pub(crate) enum JoinedFormats {
    /// The formats of the only sparse operand.
    Only(Vec<FormatUse>),
    /// The formats of every sparse operand, by name.
    Each(Vec<SparseOperand>),
}

impl Parse for ImplementDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        if !input.peek(Token![impl]) {
            let visibility: Visibility = input.parse()?;
            return Err(syn::Error::new_spanned(
                visibility,
                "an `impl` statement has no visibility: the kernel has one\nhelp: start with `impl`",
            ));
        }
        input.parse::<Token![impl]>()?;
        let starts = input.peek(syn::Ident)
            || input.peek(Token![::])
            || input.peek(Token![crate])
            || input.peek(Token![self])
            || input.peek(Token![super]);
        if !starts {
            return Err(input.error("expected a kernel\nhelp: write `impl spmv for Csr;`"));
        }
        let kernel = input.call(Path::parse_mod_style)?;
        if !input.peek(Token![for]) {
            return Err(input.error("expected `for` after the kernel\nhelp: write `impl spmv for Csr;`"));
        }
        input.parse::<Token![for]>()?;
        let named = input.peek(syn::Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]);
        let formats = if named {
            let mut operands = vec![operand(input)?];
            while input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
                if !input.peek(Token![;]) {
                    operands.push(operand(input)?);
                }
            }
            JoinedFormats::Each(operands)
        } else {
            let mut formats: Vec<FormatUse> = vec![input.parse()?];
            while input.peek(Token![|]) {
                input.parse::<Token![|]>()?;
                formats.push(input.parse()?);
            }
            JoinedFormats::Only(formats)
        };
        if !input.peek(Token![;]) {
            return Err(input.error("expected `|`, `,` or `;`\nhelp: end the statement with `;`"));
        }
        input.parse::<Token![;]>()?;
        Ok(ImplementDecl {
            attributes,
            kernel,
            formats,
        })
    }
}

impl ImplementDecl {
    /// Returns the lists of formats.
    pub(crate) fn listed(&self) -> Vec<&[FormatUse]> {
        match &self.formats {
            JoinedFormats::Only(formats) => vec![formats],
            JoinedFormats::Each(operands) => operands.iter().map(|operand| operand.formats.as_slice()).collect(),
        }
    }
}

impl ToTokens for ImplementDecl {
    /// Adds the statement without its attributes.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let kernel = &self.kernel;
        tokens.extend(match &self.formats {
            JoinedFormats::Only(formats) => quote!(impl #kernel for #(#formats)|*;),
            JoinedFormats::Each(operands) => quote!(impl #kernel for #(#operands),*;),
        });
    }
}

/// Parses an operand with its formats, such as `A: Csr | Dia`.
fn operand(input: ParseStream<'_>) -> syn::Result<SparseOperand> {
    let ahead = input.fork();
    let name: Option<Ident> = ahead.parse().ok();
    if ahead.peek(Token![:]) && (ahead.peek2(Token![_]) || ahead.peek2(Token![*])) {
        return Err(syn::Error::new_spanned(
            name,
            "an `impl` statement lists the formats of every operand\nhelp: write `A: Csr | Dia`",
        ));
    }
    input.parse()
}
