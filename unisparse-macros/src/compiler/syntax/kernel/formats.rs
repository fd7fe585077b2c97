//! Parses the formats of a sparse operand: `A: Csr | Bcsr<2, 2>`, `A: Dia | *`.

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
    /// The `*` that stands for every other format.
    pub(crate) every: Option<Token![*]>,
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
                every: None,
            });
        }
        let mut formats = Vec::new();
        loop {
            if input.peek(Token![*]) {
                let every = Some(input.parse()?);
                if input.peek(Token![|]) {
                    return Err(input.error("`*` stands for every other format\nhelp: write it last, `Csr | *`"));
                }
                return Ok(SparseOperand { name, formats, every });
            }
            formats.push(input.parse()?);
            if !input.peek(Token![|]) {
                let every = None;
                return Ok(SparseOperand { name, formats, every });
            }
            input.parse::<Token![|]>()?;
        }
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
        let SparseOperand { name, formats, every } = self;
        tokens.extend(match (formats.as_slice(), every) {
            ([], None) => quote!(#name: _),
            (formats, None) => quote!(#name: #(#formats)|*),
            (formats, Some(every)) => quote!(#name: #(#formats |)* #every),
        });
    }
}
