//! The kernels that every declared format implements.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::invocation::Invocation;
use super::{device, hardware, text};
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::emit::rust::kernel::{Declaration, Documented, Implementation, SparseOperand};
use crate::compiler::emit::rust::{HAS_DEVICE, HAS_HARDWARE, Names};
use crate::compiler::kernel::{self, Kernel};
use crate::compiler::lower::{Target, lower};
use crate::compiler::operand::Operand;
use crate::compiler::syntax::kernel::KernelDecl;
use crate::compiler::transport::{self, Runtime};

/// Returns the stock kernels. They need no request, because their statements are the compiler's own.
pub(crate) fn stock() -> impl Iterator<Item = (KernelDecl, Kernel)> {
    kernel::stock::statements().into_iter().filter_map(|statement| {
        let declaration: KernelDecl = syn::parse2(statement).ok()?;
        let kernel = kernel::check(&declaration, &mut Diagnostics::default())?;
        Some((declaration, kernel))
    })
}

/// Returns the implementations of a format's stock kernels, by its number of dims.
pub(crate) fn stock_implementations(
    name: &Ident,
    operand: &Operand,
    cfg: &TokenStream,
    runtime: &Runtime,
) -> TokenStream {
    let names = Names::new(name.span());
    let fitting = stock().filter(|(_, kernel)| kernel.operands[kernel.implementor()].rank == operand.dims);
    fitting
        .map(|(declaration, kernel)| {
            let operands = [(kernel.implementor(), operand)];
            let device = device::kernels(&declaration, &kernel, &operands, &runtime.at(names.span()));
            let hardware = hardware::design(&declaration, &kernel, &operands, &runtime.at(names.span()));
            let (runtime, kernel_name) = (runtime.at(names.span()), names.public(&kernel.name));
            Implementation {
                program: lower(&kernel, &operands, &Target::RUST),
                operands: vec![SparseOperand {
                    number: kernel.implementor(),
                    operand,
                    path: name.to_token_stream(),
                    arguments: &[],
                }],
                path: quote!(#runtime::kernels::#kernel_name),
                names,
                cfg: cfg.clone(),
                runtime,
                // The compiler's own statements are mapped.
                device: device.ok().flatten(),
                hardware: hardware.ok().flatten(),
                converted: Vec::new(),
                before: Vec::new(),
            }
            .print()
        })
        .collect()
}

/// Expands the stock kernels, for the crate that exports them. The items without their carriers are in a module
/// `items`, because a prelude with the carriers would make the name of a user's kernel ambiguous where a format joins
/// it.
pub(crate) fn stock_kernels(tokens: TokenStream) -> TokenStream {
    let Invocation { runtime, .. } = match syn::parse2(tokens) {
        Ok(invocation) => invocation,
        Err(error) => return error.to_compile_error(),
    };
    let (mut definitions, mut carriers, mut names) = (TokenStream::new(), TokenStream::new(), Vec::new());
    for (declaration, kernel) in stock() {
        let documented = Documented {
            loops: text::documentation(&declaration, &kernel, &runtime),
            is_stock: true,
        };
        definitions.extend(Declaration::new(&declaration, &kernel, documented, &runtime).print());
        let (name, tokens) = (&declaration.name, &declaration.tokens);
        let id = transport::id(name, tokens);
        let payload = quote!(#id stock #tokens;);
        carriers.extend(transport::carrier(
            "a kernel",
            name,
            &declaration.visibility,
            &TokenStream::new(),
            &payload,
        ));
        names.push(name.clone());
        if HAS_DEVICE && declaration.on_device {
            names.push(format_ident!("{name}_on"));
        }
        if HAS_HARDWARE && declaration.in_hardware {
            names.push(format_ident!("{name}_hls"));
        }
    }
    quote! {
        pub(crate) mod items { #definitions }
        pub use items::{#(#names),*};
        #carriers
    }
}
