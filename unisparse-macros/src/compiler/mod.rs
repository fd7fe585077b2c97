//! The compiler: tokens to tokens, one room a stage. Nothing here names `proc_macro`.

mod affine;
#[cfg(test)]
mod brute;
mod c;
mod convert;
mod diagnostics;
mod emit;
mod encoding;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod golden;
mod hybrid;
mod kernel;
mod kernels;
mod loops;
mod lower;
mod operand;
mod picture;
mod poisoned;
mod runtime;
mod storage;
mod syntax;
mod transport;
mod traversal;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, Path, braced};

pub(crate) use c::{kernel_c, kernel_c_join, kernel_c_resume};
pub(crate) use convert::convert_resume;
use diagnostics::Diagnostics;
use encoding::Format;
pub(crate) use kernels::{kernel_join, kernel_resume, sparse_kernel, stock_kernels};
use operand::Operand;
use runtime::Runtime;
use syntax::format::FormatDecl;
use syntax::hybrid::HybridDecl;
use transport::{Answers, Declared, DeclaredKind};

/// The tokens of an invocation and the path of the run time that its front door passed first.
struct Invocation {
    runtime: Runtime,
    tokens: TokenStream,
}

impl Parse for Invocation {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path;
        braced!(path in input);
        Ok(Invocation {
            runtime: Runtime::new(path.parse()?),
            tokens: input.parse()?,
        })
    }
}

/// `sparse_format! { .. }`
pub(crate) fn sparse_format(tokens: TokenStream) -> TokenStream {
    let Invocation { runtime, tokens } = match syn::parse2(tokens) {
        Ok(invocation) => invocation,
        Err(error) => return error.to_compile_error(),
    };
    syntax::format::split(tokens)
        .into_iter()
        .map(|item| format_item(item, &runtime))
        .collect()
}

/// What a declaration means, or `None` after errors were noted: its encoding first, then what storage says of its layout.
fn check(declaration: &FormatDecl, errors: &mut Diagnostics) -> Option<Format> {
    let format = encoding::check(declaration, errors)?;
    let mut found = Diagnostics::default();
    storage::check::packs(&format, declaration, &mut found);
    storage::check::widths(&format, declaration, &mut found);
    let clean = found.is_empty();
    errors.absorb(found);
    clean.then_some(format)
}

fn format_item(tokens: TokenStream, runtime: &Runtime) -> TokenStream {
    if syntax::convert::is_convert(&tokens) {
        return convert::item(tokens, runtime);
    }
    if syntax::format::is_hybrid(&tokens) {
        return hybrid_item(tokens, runtime);
    }
    let mut errors = Diagnostics::default();
    let declaration: FormatDecl = match syn::parse2(tokens.clone()) {
        Ok(declaration) => declaration,
        Err(error) => return unparsed(&tokens, &error),
    };
    match check(&declaration, &mut errors) {
        None => {
            let errors = errors.into_tokens();
            let stub = poisoned::format(&declaration);
            quote!(#errors #stub)
        }
        Some(format) => {
            let definition = emit::rust::format::format(&declaration, &format, runtime);
            let unused = unused_queries(&declaration, &format);
            let (name, cfg) = (&declaration.name, emit::rust::format::cfgs(&declaration));
            let (id, tokens) = (transport::id(name, &declaration.tokens), &declaration.tokens);
            let operand = |name: &Ident, operand: &Operand, payload: &TokenStream| {
                let kernels = kernels::stock_implementations(name, operand, &cfg, runtime);
                let carrier = transport::carrier("a sparse format", name, &declaration.visibility, &cfg, payload);
                quote!(#kernels #carrier)
            };
            let (partition, whole) = (format.partition, Operand::of_format(format));
            let mut operands = operand(name, &whole, &quote!(#id #tokens));
            if partition.is_some() {
                let part = whole.into_part();
                let name = Ident::new(&part.name, name.span());
                operands.extend(operand(&name, &part, &quote!(#id part #tokens)));
            }
            quote!(#definition #unused #operands)
        }
    }
}

/// A variable for each query that nothing uses, which the compiler warns of.
fn unused_queries(declaration: &FormatDecl, format: &Format) -> Option<TokenStream> {
    let queries = declaration.queries.iter().zip(format.used_queries());
    let unused: Vec<&Ident> = queries
        .filter(|(_, used)| !used)
        .map(|(query, _)| &query.name)
        .collect();
    let cfg = emit::rust::format::cfgs(declaration);
    (!unused.is_empty()).then(|| {
        quote! {
            #cfg
            #[allow(clippy::all, clippy::pedantic, non_snake_case)]
            const _: fn() = || { #(let #unused = ();)* };
        }
    })
}

/// An item that is no declaration.
fn unparsed(tokens: &TokenStream, error: &syn::Error) -> TokenStream {
    let (error, stub) = (error.to_compile_error(), poisoned::unparsed(tokens));
    quote!(#error #stub)
}

/// The first half of a hybrid: its parts' declarations are elsewhere, and are asked for.
fn hybrid_item(tokens: TokenStream, runtime: &Runtime) -> TokenStream {
    let declaration: HybridDecl = match syn::parse2(tokens.clone()) {
        Ok(declaration) => declaration,
        Err(error) => return unparsed(&tokens, &error),
    };
    let mut errors = Diagnostics::default();
    if !hybrid::check_head(&declaration, &mut errors) {
        let stub = poisoned::hybrid(&declaration, &errors);
        let errors = errors.into_tokens();
        return quote!(#errors #stub);
    }
    let cfg = emit::rust::format::cfgs_in(&declaration.attributes);
    let parts: Vec<Path> = declaration.parts.iter().map(|part| part.path.clone()).collect();
    let asked = transport::ask(
        &parts,
        runtime,
        "__sparse_hybrid_resume",
        &declaration.to_token_stream(),
    );
    quote!(#cfg #asked)
}

/// The second half of a hybrid.
pub(crate) fn hybrid_resume(tokens: TokenStream) -> TokenStream {
    let answers: Answers = match syn::parse2(tokens) {
        Ok(answers) => answers,
        Err(error) => return error.to_compile_error(),
    };
    if let Some(asked) = answers.ask_next("__sparse_hybrid_resume") {
        return asked;
    }
    let declaration: HybridDecl = match syn::parse2(answers.request) {
        Ok(declaration) => declaration,
        Err(error) => return error.to_compile_error(),
    };
    let (mut errors, mut parts, mut ids) = (Diagnostics::default(), Vec::new(), Vec::new());
    for (written, payload) in declaration.parts.iter().zip(&answers.payloads) {
        match syn::parse2(payload.clone()) {
            // The part has said what is wrong with it.
            Err(_) => return poisoned::hybrid_of_poisoned(&declaration, written),
            Ok(Declared {
                id,
                kind: DeclaredKind::Format(part),
                ..
            }) => {
                parts.push(part);
                ids.push(id);
            }
            Ok(Declared {
                kind: DeclaredKind::Hybrid(part, _),
                ..
            }) => hybrid::refuse_hybrid(written, &part, &mut errors),
            Ok(Declared {
                kind: DeclaredKind::Part(whole),
                ..
            }) => hybrid::refuse_part(written, &whole, &mut errors),
            Ok(Declared {
                kind: DeclaredKind::Kernel { declaration, .. },
                ..
            }) => kernels::refuse_kernel(written, &declaration, &mut errors),
        }
    }
    let checked = if errors.is_empty() {
        hybrid::check(&declaration, &parts, &mut errors)
    } else {
        None
    };
    let Some(hybrid) = checked else {
        let stub = poisoned::hybrid(&declaration, &errors);
        let errors = errors.into_tokens();
        return quote!(#errors #stub);
    };
    let (name, runtime) = (&declaration.name, &answers.runtime);
    let definition = emit::rust::hybrid::hybrid(&declaration, &hybrid, runtime);
    let same = declaration
        .parts
        .iter()
        .zip(&ids)
        .zip(&hybrid.parts)
        .map(|((written, id), part)| same_declaration(&written.path, part.arguments.len(), &part.format.name, id));
    let cfg = emit::rust::format::cfgs_in(&declaration.attributes);
    let same: TokenStream = same.map(|assertion| quote!(#cfg #assertion)).collect();
    let kernels = kernels::stock_implementations(name, &Operand::of_hybrid(hybrid), &cfg, runtime);
    let (id, tokens, payloads) = (
        transport::id(name, &declaration.tokens),
        &declaration.tokens,
        &answers.payloads,
    );
    let payload = quote!(#id #tokens #({#payloads})*);
    let carrier = transport::carrier("a sparse format", name, &declaration.visibility, &cfg, &payload);
    quote!(#definition #same #kernels #carrier)
}

/// A type and a macro of one name are found apart: that they are of one declaration.
fn same_declaration(path: &Path, parameters: usize, name: &str, id: &LitInt) -> TokenStream {
    let arguments = (0..parameters).map(|_| quote!(1));
    let mixed = format!("the type and the macro called `{name}` here come from different declarations");
    quote!(
        const _: () = ::core::assert!(<#path<f64, #(#arguments),*>>::__ID == #id, #mixed);
    )
}
