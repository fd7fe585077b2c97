//! Kernel statements: `pub fn spmv: y[i] = alpha * A[i, j] * x[j] where A: Csr | Dia;`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Path, Token, Visibility, bracketed};

use super::{ended, head_of, is_punct};

/// One statement as written.
pub(crate) struct KernelDecl {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) output: Access,
    /// `+=` instead of `=`.
    pub(crate) accumulates: bool,
    /// The products that are added.
    pub(crate) terms: Vec<Vec<Access>>,
    pub(crate) sparse: Vec<SparseOperand>,
    /// From the output to the last term, without the `where` clause.
    pub(crate) statement: TokenStream,
    /// Everything from `fn` on.
    pub(crate) tokens: TokenStream,
    /// What could not be parsed after the name: a malformed statement still has its name.
    pub(crate) malformed: Option<syn::Error>,
}

/// `A[i, j]`, or a scalar `alpha`.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) name: Ident,
    pub(crate) indices: Vec<Ident>,
    pub(crate) tokens: TokenStream,
}

/// `A: Csr | Bcsr<2, 2>`
pub(crate) struct SparseOperand {
    pub(crate) name: Ident,
    pub(crate) formats: Vec<FormatUse>,
}

/// A format as an operand's type: bare, for every value of its parameters, or with arguments.
#[derive(Clone)]
pub(crate) struct FormatUse {
    pub(crate) path: Path,
    pub(crate) arguments: Vec<TokenStream>,
}

impl Parse for KernelDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility: Visibility = input.parse()?;
        let before = input.fork();
        if input.peek(Token![impl]) {
            return Err(input.error(
                "`impl kernel for Format` is not supported yet\nhelp: list the format in the kernel's `where` clause",
            ));
        }
        if !input.peek(Token![fn]) {
            return Err(input.error("expected `fn`\nhelp: write `pub fn spmv: y[i] = A[i, j] * x[j] where A: Csr;`"));
        }
        input.parse::<Token![fn]>()?;
        let name: Ident = input.parse()?;
        let mut declaration = KernelDecl {
            attributes,
            visibility,
            output: Access {
                name: name.clone(),
                indices: Vec::new(),
                tokens: TokenStream::new(),
            },
            name,
            accumulates: false,
            terms: Vec::new(),
            sparse: Vec::new(),
            statement: TokenStream::new(),
            tokens: TokenStream::new(),
            malformed: None,
        };
        let ahead = input.fork();
        if let Err(error) = parse_statement(&ahead, &mut declaration) {
            declaration.malformed = Some(error);
            input.parse::<TokenStream>()?;
            return Ok(declaration);
        }
        input.advance_to(&ahead);
        declaration.tokens = between(&before, input)?;
        input.parse::<Token![;]>()?;
        Ok(declaration)
    }
}

/// `: y[i] = A[i, j] * x[j] where A: Csr`, up to the semicolon.
fn parse_statement(input: ParseStream<'_>, declaration: &mut KernelDecl) -> syn::Result<()> {
    if !input.peek(Token![:]) {
        return Err(input.error(
            "expected `:` after the kernel's name\nhelp: write `fn spmv: y[i] = A[i, j] * x[j] where A: Csr;`",
        ));
    }
    input.parse::<Token![:]>()?;
    let from = input.fork();
    declaration.output = Access::parse(input)?;
    declaration.accumulates = parse_operator(input)?;
    declaration.terms = parse_terms(input)?;
    declaration.statement = between(&from, input)?;
    if input.peek(Token![if]) {
        return Err(input.error("masks (`if ..`) are not supported yet\nhelp: leave the mask out"));
    }
    if !input.peek(Token![where]) {
        let help = if input.peek(syn::Ident) {
            "write `*` between factors"
        } else {
            "say which operand is sparse, `where A: Csr`"
        };
        return Err(input.error(format!("expected `*`, `+` or `where`\nhelp: {help}")));
    }
    input.parse::<Token![where]>()?;
    while !input.peek(Token![;]) {
        declaration.sparse.push(input.parse()?);
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
        } else if !input.peek(Token![;]) {
            return Err(input.error("expected `|`, `,` or `;`\nhelp: end a kernel with `;`"));
        }
    }
    Ok(())
}

/// The tokens from where `from` stands to where `to` stands.
fn between(from: ParseStream<'_>, to: ParseStream<'_>) -> syn::Result<TokenStream> {
    let from = from.fork();
    let mut tokens = TokenStream::new();
    while from.cursor() != to.cursor() {
        tokens.extend([from.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

fn parse_operator(input: ParseStream<'_>) -> syn::Result<bool> {
    if input.peek(Token![+=]) {
        input.parse::<Token![+=]>()?;
        return Ok(true);
    }
    if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        return Ok(false);
    }
    if input.peek(syn::Ident) && input.peek2(Token![=]) {
        let name: Ident = input.parse()?;
        let message = if name == "min" || name == "max" {
            format!("the reduction `{name}=` is not supported yet\nhelp: use `=` or `+=`")
        } else {
            format!("unknown reduction `{name}=`\nhelp: use `=` or `+=`")
        };
        return Err(syn::Error::new_spanned(name, message));
    }
    let boolean: TokenStream = if input.peek(Token![|=]) {
        input.parse::<Token![|=]>()?.into_token_stream()
    } else if input.peek(Token![&=]) {
        input.parse::<Token![&=]>()?.into_token_stream()
    } else {
        return Err(input.error("expected `=` or `+=` after the output\nhelp: write `y[i] = A[i, j] * x[j]`"));
    };
    Err(syn::Error::new_spanned(
        boolean,
        "the reductions `|=` and `&=` are not supported yet\nhelp: use `=` or `+=`",
    ))
}

fn parse_terms(input: ParseStream<'_>) -> syn::Result<Vec<Vec<Access>>> {
    let mut terms = vec![parse_product(input)?];
    while input.peek(Token![+]) {
        input.parse::<Token![+]>()?;
        terms.push(parse_product(input)?);
    }
    if input.peek(Token![-]) {
        return Err(input.error("subtraction is not supported yet\nhelp: add a product with a negative scalar"));
    }
    Ok(terms)
}

fn parse_product(input: ParseStream<'_>) -> syn::Result<Vec<Access>> {
    let mut factors = vec![Access::parse(input)?];
    while input.peek(Token![*]) {
        input.parse::<Token![*]>()?;
        factors.push(Access::parse(input)?);
    }
    Ok(factors)
}

impl Parse for Access {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::Ident) {
            return Err(input
                .error("expected an operand: `A[i, j]`, or a scalar's name\nhelp: pass a number as a scalar operand"));
        }
        let name: Ident = input.parse()?;
        if input.peek(syn::token::Paren) {
            return Err(syn::Error::new_spanned(
                name,
                "functions of elements are not supported yet\nhelp: apply the function to the values before or after",
            ));
        }
        let mut indices = Vec::new();
        let mut tokens = name.to_token_stream();
        if input.peek(syn::token::Bracket) {
            let content;
            let brackets = bracketed!(content in input);
            let inner = content.fork().parse::<TokenStream>()?;
            while !content.is_empty() {
                if !content.peek(syn::Ident) {
                    return Err(content.error("an index is a name\nhelp: write `A[i, j]`"));
                }
                indices.push(content.parse()?);
                if !content.is_empty() && !content.peek(Token![,]) {
                    return Err(content.error("expected `,` or `]`: an index is a name, not an expression\nhelp: write the expression in a format's index map"));
                }
                content.parse::<Option<Token![,]>>()?;
            }
            brackets.surround(&mut tokens, |tokens| inner.to_tokens(tokens));
            if indices.is_empty() {
                return Err(syn::Error::new_spanned(
                    &tokens,
                    "an operand with brackets has at least one index\nhelp: leave the brackets of a scalar out",
                ));
            }
        }
        Ok(Access { name, indices, tokens })
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
        // `_`: formats join later.
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

impl ToTokens for FormatUse {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (path, arguments) = (&self.path, &self.arguments);
        path.to_tokens(tokens);
        if !arguments.is_empty() {
            tokens.extend(quote!(<#(#arguments),*>));
        }
    }
}

/// Splits the tokens of an invocation into statements: at their semicolons, or before the next one where
/// that is missing.
pub(crate) fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut statements = Vec::new();
    let mut start = 0;
    for at in 0..tokens.len() {
        let declares = matches!(&tokens[at], TokenTree::Ident(ident) if ident == "fn");
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
