//! Parses the formats of a sparse operand: `A: Csr | Bcsr<2, 2>`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Path, Token};

/// An operand with its formats, such as `A: Csr | Bcsr<2, 2>`.
#[derive(Clone)]
pub(crate) struct SparseOperand {
    pub(crate) name: Ident,
    pub(crate) formats: Vec<FormatUse>,
}

/// A format of an operand: without arguments, for all values of its parameters, or with arguments.
#[derive(Clone)]
pub(crate) struct FormatUse {
    pub(crate) path: Path,
    pub(crate) arguments: Vec<TokenStream>,
}

impl FormatUse {
    /// Returns the name of the format, which is the last segment of its path.
    pub(crate) fn name(&self) -> Option<&Ident> {
        self.path.segments.last().map(|segment| &segment.ident)
    }
}

impl Parse for SparseOperand {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::Ident) {
            return Err(input.error("expected a sparse operand and its formats\nhelp: write `A: Csr | Dia`"));
        }
        let name: Ident = input.parse()?;
        if !input.peek(Token![:]) {
            return Err(input.error(format!(
                "expected `:` and the formats of `{name}`\nhelp: write `{name}: Csr | Dia`"
            )));
        }
        input.parse::<Token![:]>()?;
        // With `_`, formats join later.
        if input.peek(Token![_]) {
            input.parse::<Token![_]>()?;
            return Ok(SparseOperand {
                name,
                formats: Vec::new(),
            });
        }
        let mut formats = vec![input.parse()?];
        while input.peek(Token![|]) {
            input.parse::<Token![|]>()?;
            formats.push(input.parse()?);
        }
        Ok(SparseOperand { name, formats })
    }
}

impl Parse for FormatUse {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let starts = input.peek(Ident::peek_any) || input.peek(Token![::]);
        if !starts || input.peek(Token![where]) {
            return Err(input.error("expected a format\nhelp: write its name or path, `Csr`"));
        }
        let path = input.call(Path::parse_mod_style)?;
        let mut arguments = Vec::new();
        if input.peek(Token![<]) {
            input.parse::<Token![<]>()?;
            while !input.peek(Token![>]) {
                let mut argument = TokenStream::new();
                let ends = || {
                    input.is_empty()
                        || input.peek(Token![,])
                        || input.peek(Token![>])
                        || input.peek(Token![;])
                        || input.peek(Token![@])
                };
                while !ends() {
                    argument.extend([input.parse::<TokenTree>()?]);
                }
                if argument.is_empty() || !(input.peek(Token![,]) || input.peek(Token![>])) {
                    return Err(
                        input.error("expected a const argument, and `>` after the last\nhelp: write `Bcsr<2, 2>`")
                    );
                }
                arguments.push(argument);
                input.parse::<Option<Token![,]>>()?;
            }
            input.parse::<Token![>]>()?;
        }
        Ok(FormatUse { path, arguments })
    }
}

impl FormatUse {
    /// Returns the format as a person would write it, such as `blocked::Bcsr<2, 2>`.
    pub(crate) fn text(&self) -> String {
        let path = self.path.to_token_stream().to_string().replace(' ', "");
        let arguments: Vec<String> = self.arguments.iter().map(TokenStream::to_string).collect();
        match arguments.as_slice() {
            [] => path,
            arguments => format!("{path}<{}>", arguments.join(", ")),
        }
    }
}

impl ToTokens for FormatUse {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (path, arguments) = (&self.path, &self.arguments);
        path.to_tokens(tokens);
        if !arguments.is_empty() {
            tokens.extend(quote!(<#(#arguments),*>));
        }
    }
}

impl ToTokens for SparseOperand {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (name, formats) = (&self.name, &self.formats);
        if formats.is_empty() {
            tokens.extend(quote!(#name: _));
        } else {
            tokens.extend(quote!(#name: #(#formats)|*));
        }
    }
}
