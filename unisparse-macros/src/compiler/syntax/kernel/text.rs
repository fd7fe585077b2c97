//! Parses the input of `kernel_text!`: `loops, spgemm, A: Csr<f64>, B: Bcsr<f64, 2, 2>`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{AngleBracketedGenericArguments, LitInt, Path, Token};

use super::FormatUse;

/// A kernel over one choice of formats, with the kind of text.
pub(crate) struct TextDecl {
    pub(crate) language: Ident,
    pub(crate) kernel: Path,
    pub(crate) operands: Vec<TextOperand>,
}

/// An operand with its format, such as `A: Csr<f64>`.
pub(crate) struct TextOperand {
    /// The operand; `None` if it is written as `_`, which is the only one.
    pub(crate) name: Option<Ident>,
    pub(crate) element: Option<TokenStream>,
    /// The format with its const arguments.
    pub(crate) format: FormatUse,
}

impl Parse for TextDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        const EXAMPLE: &str = "write `kernel_text!(loops, spmv, A: Csr<f64>)`";
        if !input.peek(syn::Ident) {
            return Err(input.error(format!(
                "expected the kind of text, `loops`, `c`, `cuda` or `hls`\nhelp: {EXAMPLE}"
            )));
        }
        let language = input.parse()?;
        let comma = |after: &str| -> syn::Result<()> {
            if !input.peek(Token![,]) {
                return Err(input.error(format!("expected `,` after {after}\nhelp: {EXAMPLE}")));
            }
            input.parse::<Token![,]>().map(|_| ())
        };
        comma("the kind of text")?;
        let starts_path = input.peek(syn::Ident)
            || input.peek(Token![::])
            || input.peek(Token![crate])
            || input.peek(Token![self])
            || input.peek(Token![super]);
        if !starts_path {
            return Err(input.error(format!("expected a kernel\nhelp: {EXAMPLE}")));
        }
        let kernel = input.call(Path::parse_mod_style)?;
        let mut operands = Vec::new();
        while !input.is_empty() {
            comma(if operands.is_empty() { "the kernel" } else { "a format" })?;
            if !input.is_empty() {
                operands.push(input.parse()?);
            }
        }
        Ok(TextDecl {
            language,
            kernel,
            operands,
        })
    }
}

impl Parse for TextOperand {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        const EXPECTED: &str = "expected a sparse operand and its format\nhelp: write `A: Csr<f64>`";
        let only = input.peek(Token![_]);
        if !(only || input.peek(syn::Ident)) || !input.peek2(Token![:]) || input.peek2(Token![::]) {
            return Err(input.error(EXPECTED));
        }
        let name = if only {
            input.parse::<Token![_]>()?;
            None
        } else {
            Some(input.parse()?)
        };
        input.parse::<Token![:]>()?;
        if !(input.peek(Ident::peek_any) || input.peek(Token![::])) {
            return Err(input.error("expected a format\nhelp: write `Csr<f64>`"));
        }
        let path = input.call(Path::parse_mod_style)?;
        let mut arguments = Vec::new();
        if input.peek(Token![<]) {
            let written: AngleBracketedGenericArguments = input.parse()?;
            arguments.extend(written.args.iter().map(ToTokens::to_token_stream));
        }
        // The first argument is the element type, unless it is a number.
        let is_number = |argument: &TokenStream| syn::parse2::<LitInt>(argument.clone()).is_ok();
        let has_element = arguments.first().is_some_and(|first| !is_number(first));
        let element = has_element.then(|| arguments.remove(0));
        Ok(TextOperand {
            name,
            element,
            format: FormatUse { path, arguments },
        })
    }
}

impl ToTokens for TextDecl {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let TextDecl {
            language,
            kernel,
            operands,
        } = self;
        tokens.extend(quote!(#language, #kernel #(, #operands)*));
    }
}

impl ToTokens for TextOperand {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (name, element, FormatUse { path, arguments }) = (&self.name, &self.element, &self.format);
        let name = match name {
            Some(name) => name.to_token_stream(),
            None => quote!(_),
        };
        let arguments: Vec<&TokenStream> = element.iter().chain(arguments).collect();
        tokens.extend(match arguments.as_slice() {
            [] => quote!(#name: #path),
            arguments => quote!(#name: #path<#(#arguments),*>),
        });
    }
}
