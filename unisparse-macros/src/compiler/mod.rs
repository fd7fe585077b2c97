//! The compiler: tokens to tokens, one room a stage. Nothing here names `proc_macro`.

mod affine;
#[cfg(test)]
mod brute;
mod diagnostics;
mod emit;
mod encoding;
#[cfg(test)]
mod golden;
mod kernel;
mod loops;
mod packing;
mod poisoned;
mod runtime;
mod storage;
mod syntax;
mod transport;
mod traversal;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, braced};

use diagnostics::Diagnostics;
use emit::rust::Names;
use emit::rust::kernel::Implementation;
use encoding::Format;
use kernel::Kernel;
use runtime::Runtime;
use storage::Storage;
use syntax::format::FormatDecl;
use syntax::kernel::{FormatUse, KernelDecl};

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

fn format_item(tokens: TokenStream, runtime: &Runtime) -> TokenStream {
    let mut errors = Diagnostics::default();
    let declaration: FormatDecl = match syn::parse2(tokens.clone()) {
        Ok(declaration) => declaration,
        Err(error) => {
            let stub = poisoned::unparsed(&tokens);
            let error = error.to_compile_error();
            return quote!(#error #stub);
        }
    };
    match encoding::check(&declaration, &mut errors) {
        None => {
            let errors = errors.into_tokens();
            let stub = poisoned::format(&declaration);
            quote!(#errors #stub)
        }
        Some(format) => {
            let storage = Storage::new(&format);
            let definition = emit::rust::format::format(&declaration, &format, &storage, runtime);
            let kernels = stock_implementations(&declaration, &format, &storage, runtime);
            let cfg = emit::rust::format::cfgs(&declaration);
            let (id, tokens) = (transport::id(&declaration), &declaration.tokens);
            let carrier = transport::carrier(&declaration.name, &declaration.visibility, &cfg, &quote!(#id #tokens));
            quote!(#definition #kernels #carrier)
        }
    }
}

/// The stock kernels, which need no question: their statements are the compiler's own.
fn stock() -> impl Iterator<Item = (KernelDecl, Kernel)> {
    kernel::stock::statements().into_iter().filter_map(|statement| {
        let declaration: KernelDecl = syn::parse2(statement).ok()?;
        let kernel = kernel::check(&declaration, &mut Diagnostics::default())?;
        Some((declaration, kernel))
    })
}

fn stock_implementations(
    declaration: &FormatDecl,
    format: &Format,
    storage: &Storage,
    runtime: &Runtime,
) -> TokenStream {
    let (name, names) = (&declaration.name, Names::new(declaration.name.span()));
    let fitting = stock().filter(|(_, kernel)| kernel.sparse_indices.len() == format.dims.len());
    fitting
        .map(|(_, kernel)| {
            let (runtime, kernel_name) = (runtime.at(names.span()), names.public(&kernel.name));
            Implementation {
                kernel: &kernel,
                format,
                storage,
                path: quote!(#runtime::kernels::#kernel_name),
                format_path: quote!(#name),
                arguments: &[],
                names,
                cfg: emit::rust::format::cfgs(declaration),
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
        let statement = &declaration.tokens;
        transport::ask(
            &format.path,
            runtime,
            "__sparse_kernel_resume",
            &quote!({#format} {#statement;}),
        )
    });
    quote!(#definition #(#asked)*)
}

/// What a carrier hands back: the run time, the declarations asked for, and the request.
struct Resumed {
    runtime: Runtime,
    /// The declaration's identity; none if it has errors.
    id: Option<LitInt>,
    payload: TokenStream,
    format: FormatUse,
    kernel: KernelDecl,
}

impl Parse for Resumed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (path, done, payload, rest, request, format, kernel);
        braced!(path in input);
        braced!(done in input);
        braced!(payload in done);
        braced!(rest in input);
        rest.parse::<TokenStream>()?;
        braced!(request in input);
        braced!(format in request);
        braced!(kernel in request);
        Ok(Resumed {
            runtime: Runtime::new(path.parse()?),
            id: if payload.peek(LitInt) {
                Some(payload.parse()?)
            } else {
                None
            },
            payload: payload.parse()?,
            format: format.parse()?,
            kernel: kernel.parse()?,
        })
    }
}

/// The second half of `sparse_kernel!`: a kernel and the declaration of one of its formats.
pub(crate) fn kernel_resume(tokens: TokenStream) -> TokenStream {
    let Resumed {
        runtime,
        id,
        payload,
        format: format_use,
        kernel: declaration,
    } = match syn::parse2(tokens) {
        Ok(resumed) => resumed,
        Err(error) => return error.to_compile_error(),
    };
    let mut ignored = Diagnostics::default();
    // The statement was checked before the question was asked, the format when it was declared.
    let Some(kernel) = kernel::check(&declaration, &mut ignored) else {
        return TokenStream::new();
    };
    let format_declaration: Option<FormatDecl> = syn::parse2(payload).ok();
    let format = format_declaration.and_then(|declaration| encoding::check(&declaration, &mut ignored));
    let Some(mut format) = format else {
        // A format with errors: its stand-in answers every call.
        return TokenStream::new();
    };
    let mut errors = Diagnostics::default();
    check_use(&kernel, &format, &format_use, &mut errors);
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    if !format_use.arguments.is_empty() {
        // The arguments are the user's expressions: the names of the parameters must not capture theirs.
        for parameter in &mut format.parameters {
            parameter.name = format!("__{}", parameter.name);
        }
    }
    let storage = Storage::new(&format);
    let name: &Ident = &declaration.name;
    let names = Names::new(name.span());
    let (path, runtime) = (&format_use.path, runtime.at(names.span()));
    let arguments = format.parameters.iter().map(|_| quote!(1));
    let mixed = format!(
        "the type and the macro called `{}` here come from different declarations",
        format.name
    );
    let implementation = Implementation {
        kernel: &kernel,
        format: &format,
        storage: &storage,
        path: quote!(#name),
        format_path: quote!(#path),
        arguments: &format_use.arguments,
        names,
        runtime,
        cfg: TokenStream::new(),
    }
    .print();
    quote! {
        const _: () = ::core::assert!(<#path<f64, #(#arguments),*>>::__ID == #id, #mixed);
        #implementation
    }
}

/// Whether the format fits the operand it is listed for.
fn check_use(kernel: &Kernel, format: &Format, format_use: &FormatUse, errors: &mut Diagnostics) {
    let last = format_use.path.segments.last().map(|segment| &segment.ident);
    let (rank, dims) = (kernel.sparse_indices.len(), format.dims.len());
    if rank != dims {
        errors.error(
            last,
            format!(
                "`{}` has {dims} dims, the operand `{}` has {rank} indices\nhelp: list formats of {rank} dims",
                format.name, kernel.sparse
            ),
        );
    }
    let (given, taken) = (format_use.arguments.len(), format.parameters.len());
    if given != 0 && given != taken {
        errors.error(
            last,
            format!(
                "`{}` takes {taken} const arguments, found {given}\nhelp: give all of them, or none for every value; the element type is not written",
                format.name
            ),
        );
    }
}
