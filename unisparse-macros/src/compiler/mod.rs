//! The compiler: tokens to tokens, one room a stage. Nothing here names `proc_macro`.

mod affine;
#[cfg(test)]
mod brute;
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
mod loops;
mod operand;
mod packing;
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

pub(crate) use convert::convert_resume;
use diagnostics::Diagnostics;
use emit::rust::Names;
use emit::rust::kernel::Implementation;

use encoding::Format;
use kernel::Kernel;
use operand::Operand;
use runtime::Runtime;
use syntax::format::FormatDecl;
use syntax::hybrid::HybridDecl;
use syntax::kernel::{FormatUse, KernelDecl};
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
    packing::check(&format, declaration, &mut found);
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
            let (name, cfg) = (&declaration.name, emit::rust::format::cfgs(&declaration));
            let (id, tokens) = (transport::id(name, &declaration.tokens), &declaration.tokens);
            let operand = |name: &Ident, operand: &Operand, payload: &TokenStream| {
                let kernels = stock_implementations(name, operand, &cfg, runtime);
                let carrier = transport::carrier(name, &declaration.visibility, &cfg, payload);
                quote!(#kernels #carrier)
            };
            let (partition, whole) = (format.partition, Operand::of_format(format));
            let mut operands = operand(name, &whole, &quote!(#id #tokens));
            if partition.is_some() {
                let part = whole.into_part();
                let name = Ident::new(&part.name, name.span());
                operands.extend(operand(&name, &part, &quote!(#id part #tokens)));
            }
            quote!(#definition #operands)
        }
    }
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
    let kernels = stock_implementations(name, &Operand::of_hybrid(hybrid), &cfg, runtime);
    let (id, tokens, payloads) = (
        transport::id(name, &declaration.tokens),
        &declaration.tokens,
        &answers.payloads,
    );
    let payload = quote!(#id #tokens #({#payloads})*);
    let carrier = transport::carrier(name, &declaration.visibility, &cfg, &payload);
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

/// The stock kernels, which need no question: their statements are the compiler's own.
fn stock() -> impl Iterator<Item = (KernelDecl, Kernel)> {
    kernel::stock::statements().into_iter().filter_map(|statement| {
        let declaration: KernelDecl = syn::parse2(statement).ok()?;
        let kernel = kernel::check(&declaration, &mut Diagnostics::default())?;
        Some((declaration, kernel))
    })
}

fn stock_implementations(name: &Ident, operand: &Operand, cfg: &TokenStream, runtime: &Runtime) -> TokenStream {
    let names = Names::new(name.span());
    let fitting = stock().filter(|(_, kernel)| kernel.sparse_indices.len() == operand.dims);
    fitting
        .map(|(_, kernel)| {
            let (runtime, kernel_name) = (runtime.at(names.span()), names.public(&kernel.name));
            Implementation {
                kernel: &kernel,
                parameters: operand.parameters.iter().map(String::as_str).collect(),
                summands: operand.summands(names),
                path: quote!(#runtime::kernels::#kernel_name),
                format_path: quote!(#name),
                arguments: &[],
                names,
                cfg: cfg.clone(),
                runtime,
            }
            .print()
        })
        .collect()
}

/// The traits and functions of the stock kernels, for the crate that has them.
pub(crate) fn stock_kernels(tokens: TokenStream) -> TokenStream {
    let Invocation { runtime, .. } = match syn::parse2(tokens) {
        Ok(invocation) => invocation,
        Err(error) => return error.to_compile_error(),
    };
    stock()
        .map(|(declaration, kernel)| kernel_declaration(&declaration, &kernel, &runtime))
        .collect()
}

fn kernel_declaration(declaration: &KernelDecl, kernel: &Kernel, runtime: &Runtime) -> TokenStream {
    emit::rust::kernel::declaration(
        kernel,
        &declaration.name,
        &declaration.attributes,
        &declaration.visibility,
        runtime,
    )
}

/// `sparse_kernel! { .. }`
pub(crate) fn sparse_kernel(tokens: TokenStream) -> TokenStream {
    let Invocation { runtime, tokens } = match syn::parse2(tokens) {
        Ok(invocation) => invocation,
        Err(error) => return error.to_compile_error(),
    };
    syntax::kernel::split(tokens)
        .into_iter()
        .map(|statement| kernel_item(statement, &runtime))
        .collect()
}

fn kernel_item(tokens: TokenStream, runtime: &Runtime) -> TokenStream {
    let declaration: KernelDecl = match syn::parse2(tokens) {
        Ok(declaration) => declaration,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Diagnostics::default();
    let Some(kernel) = kernel::check(&declaration, &mut errors) else {
        let errors = errors.into_tokens();
        let stub = poisoned::kernel(&declaration);
        return quote!(#errors #stub);
    };
    let definition = kernel_declaration(&declaration, &kernel, runtime);
    let formats = declaration.sparse.iter().flat_map(|operand| &operand.formats);
    let asked = formats.map(|format| {
        let (statement, path) = (&declaration.tokens, std::slice::from_ref(&format.path));
        let request = quote!({#format} {#statement;});
        transport::ask(path, runtime, "__sparse_kernel_resume", &request)
    });
    quote!(#definition #(#asked)*)
}

/// What a kernel asked: one of its formats, and itself.
struct KernelRequest {
    format: FormatUse,
    kernel: KernelDecl,
}

impl Parse for KernelRequest {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (format, kernel);
        braced!(format in input);
        braced!(kernel in input);
        Ok(KernelRequest {
            format: format.parse()?,
            kernel: kernel.parse()?,
        })
    }
}

/// The second half of `sparse_kernel!`: a kernel and the declaration of one of its formats.
pub(crate) fn kernel_resume(tokens: TokenStream) -> TokenStream {
    let resumed = syn::parse2::<Answers>(tokens).and_then(|answers| {
        let request: KernelRequest = syn::parse2(answers.request)?;
        Ok((answers.runtime, answers.payloads, request))
    });
    let (runtime, payloads, request) = match resumed {
        Ok(resumed) => resumed,
        Err(error) => return error.to_compile_error(),
    };
    let KernelRequest {
        format: format_use,
        kernel: declaration,
    } = request;
    // The statement was checked before the question was asked, the format when it was declared.
    let Some(kernel) = kernel::check(&declaration, &mut Diagnostics::default()) else {
        return TokenStream::new();
    };
    let declared = payloads
        .into_iter()
        .next()
        .and_then(|payload| syn::parse2::<Declared>(payload).ok());
    let Some((id, mut operand)) = declared.and_then(|declared| Some((declared.id, Operand::new(declared.kind)?)))
    else {
        // A format with errors: its stand-in answers every call.
        return TokenStream::new();
    };
    let mut errors = Diagnostics::default();
    check_use(&kernel, &operand, &format_use, &mut errors);
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    if !format_use.arguments.is_empty() {
        // The arguments are the user's expressions: the names of the parameters must not capture theirs.
        operand.hide_parameters();
    }
    let name: &Ident = &declaration.name;
    let names = Names::new(name.span());
    let (path, runtime) = (&format_use.path, runtime.at(names.span()));
    let same = same_declaration(path, operand.parameters.len(), &operand.name, &id);
    let implementation = Implementation {
        kernel: &kernel,
        parameters: operand.parameters.iter().map(String::as_str).collect(),
        summands: operand.summands(names),
        path: quote!(#name),
        format_path: quote!(#path),
        arguments: &format_use.arguments,
        names,
        runtime,
        cfg: TokenStream::new(),
    }
    .print();
    quote!(#same #implementation)
}

/// Whether the format fits the operand it is listed for.
fn check_use(kernel: &Kernel, operand: &Operand, format_use: &FormatUse, errors: &mut Diagnostics) {
    let last = format_use.path.segments.last().map(|segment| &segment.ident);
    let (rank, dims) = (kernel.sparse_indices.len(), operand.dims);
    if rank != dims {
        errors.error(
            last,
            format!(
                "`{}` has {dims} dims, the operand `{}` has {rank} indices\nhelp: list formats of {rank} dims",
                operand.name, kernel.sparse
            ),
        );
    }
    let (given, taken) = (format_use.arguments.len(), operand.parameters.len());
    if given != 0 && given != taken {
        errors.error(
            last,
            format!(
                "`{}` takes {taken} const arguments, found {given}\nhelp: give all of them, or none for every value; the element type is not written",
                operand.name
            ),
        );
    }
}
