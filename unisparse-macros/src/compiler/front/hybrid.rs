//! Expands hybrid declarations, whose parts are declared elsewhere.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Path;

use super::kernel::refuse_kernel;
use super::stock::stock_implementations;
use super::stub;
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::emit::rust::format::cfgs_in;
use crate::compiler::emit::rust::hybrid::hybrid;
use crate::compiler::operand::Operand;
use crate::compiler::operand::hybrid::{check, check_head, refuse_hybrid, refuse_part};
use crate::compiler::syntax::hybrid::HybridDecl;
use crate::compiler::transport::{self, Answers, Declared, DeclaredKind, Runtime, same_declaration};

const RESUME: &str = "__sparse_hybrid_resume";

/// Expands the first half of a hybrid, which requests the declarations of its parts from their carriers.
pub(super) fn item(tokens: TokenStream, runtime: &Runtime) -> TokenStream {
    let declaration: HybridDecl = match syn::parse2(tokens.clone()) {
        Ok(declaration) => declaration,
        Err(error) => return stub::unparsed(&tokens, &error),
    };
    let mut errors = Diagnostics::default();
    if !check_head(&declaration, &mut errors) {
        return stub::hybrid(&declaration, errors);
    }
    let cfg = cfgs_in(&declaration.attributes);
    let parts: Vec<Path> = declaration.parts.iter().map(|part| part.path.clone()).collect();
    let request = transport::request(&parts, runtime, RESUME, &declaration.to_token_stream());
    quote!(#cfg #request)
}

/// Expands the second half of a hybrid.
pub(crate) fn hybrid_resume(tokens: TokenStream) -> TokenStream {
    let answers: Answers = match syn::parse2(tokens) {
        Ok(answers) => answers,
        Err(error) => return error.to_compile_error(),
    };
    if let Some(request) = answers.request_next(RESUME) {
        return request;
    }
    let declaration: HybridDecl = match syn::parse2(answers.request) {
        Ok(declaration) => declaration,
        Err(error) => return error.to_compile_error(),
    };
    let (mut errors, mut parts, mut ids) = (Diagnostics::default(), Vec::new(), Vec::new());
    for (written, payload) in declaration.parts.iter().zip(&answers.payloads) {
        match syn::parse2(payload.clone()) {
            // The part has reported its errors itself.
            Err(_) => return stub::hybrid_of_poisoned(&declaration, written),
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
            }) => refuse_hybrid(written, &part, &mut errors),
            Ok(Declared {
                kind: DeclaredKind::Part(whole),
                ..
            }) => refuse_part(written, &whole, &mut errors),
            Ok(Declared {
                kind: DeclaredKind::Kernel { declaration, .. },
                ..
            }) => refuse_kernel(written, &declaration, &mut errors),
        }
    }
    let checked = if errors.is_empty() {
        check(&declaration, &parts, &mut errors)
    } else {
        None
    };
    let Some(checked) = checked else {
        return stub::hybrid(&declaration, errors);
    };
    let (name, runtime) = (&declaration.name, &answers.runtime);
    let definition = hybrid(&declaration, &checked, runtime);
    let same = declaration
        .parts
        .iter()
        .zip(&ids)
        .zip(&checked.parts)
        .map(|((written, id), part)| same_declaration(&written.path, part.arguments.len(), &part.format.name, id));
    let cfg = cfgs_in(&declaration.attributes);
    let same: TokenStream = same.map(|assertion| quote!(#cfg #assertion)).collect();
    let kernels = stock_implementations(name, &Operand::of_hybrid(checked), &cfg, runtime);
    let (id, tokens, payloads) = (
        transport::id(name, &declaration.tokens),
        &declaration.tokens,
        &answers.payloads,
    );
    let payload = quote!(#id #tokens #({#payloads})*);
    let carrier = transport::carrier("a sparse format", name, &declaration.visibility, &cfg, &payload);
    quote!(#definition #same #kernels #carrier)
}
