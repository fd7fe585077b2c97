//! Expands format declarations, and the other items of `sparse_format!`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::invocation::Invocation;
use super::stock::stock_implementations;
use super::{convert, hybrid, stub};
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::emit::rust::format::{cfgs, format};
use crate::compiler::encoding::Format;
use crate::compiler::operand::Operand;
use crate::compiler::storage::{self, Stored};
use crate::compiler::syntax::convert::is_convert;
use crate::compiler::syntax::format::{FormatDecl, is_hybrid, split};
use crate::compiler::transport::{self, Runtime};

/// Expands `sparse_format! { .. }`.
pub(crate) fn sparse_format(tokens: TokenStream) -> TokenStream {
    let Invocation { runtime, tokens } = match syn::parse2(tokens) {
        Ok(invocation) => invocation,
        Err(error) => return error.to_compile_error(),
    };
    split(tokens)
        .into_iter()
        .map(|item_tokens| item(item_tokens, &runtime))
        .collect()
}

fn item(tokens: TokenStream, runtime: &Runtime) -> TokenStream {
    if is_convert(&tokens) {
        return convert::item(tokens, runtime);
    }
    if is_hybrid(&tokens) {
        return hybrid::item(tokens, runtime);
    }
    let mut errors = Diagnostics::default();
    let declaration: FormatDecl = match syn::parse2(tokens.clone()) {
        Ok(declaration) => declaration,
        Err(error) => return stub::unparsed(&tokens, &error),
    };
    match storage::check(&declaration, &mut errors) {
        None => stub::format(&declaration, errors),
        Some(stored) => checked(&declaration, stored, runtime),
    }
}

/// Returns the expansion of a valid format: its struct, its stock kernels, and the macro that carries its declaration.
/// The parts of a format are a separate operand.
fn checked(declaration: &FormatDecl, stored: Stored, runtime: &Runtime) -> TokenStream {
    let definition = format(declaration, &stored, runtime);
    let unused = unused_queries(declaration, &stored.format);
    let (name, cfg) = (&declaration.name, cfgs(declaration));
    let (id, tokens) = (transport::id(name, &declaration.tokens), &declaration.tokens);
    let operand = |name: &Ident, operand: &Operand, payload: &TokenStream| {
        let kernels = stock_implementations(name, operand, &cfg, runtime);
        let carrier = transport::carrier("a sparse format", name, &declaration.visibility, &cfg, payload);
        quote!(#kernels #carrier)
    };
    let (is_cut, whole) = (stored.cut.is_some(), Operand::of_format(stored));
    let mut operands = operand(name, &whole, &quote!(#id #tokens));
    if is_cut {
        let part = whole.into_part();
        let name = Ident::new(&part.name, name.span());
        operands.extend(operand(&name, &part, &quote!(#id part #tokens)));
    }
    quote!(#definition #unused #operands)
}

/// Returns a variable for each query that nothing uses, so that the compiler warns.
fn unused_queries(declaration: &FormatDecl, format: &Format) -> Option<TokenStream> {
    let queries = declaration.queries.iter().zip(format.used_queries());
    let unused: Vec<&Ident> = queries
        .filter(|(_, used)| !used)
        .map(|(query, _)| &query.name)
        .collect();
    let cfg = cfgs(declaration);
    (!unused.is_empty()).then(|| {
        quote! {
            #cfg
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
            const _: fn() = || { #(let #unused = ();)* };
        }
    })
}
