//! Expands `#[target(hls)]`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::kernel::Kernel;
use crate::compiler::operand::Operand;
use crate::compiler::syntax::kernel::KernelDecl;

#[cfg(feature = "hls")]
use crate::compiler::emit::{
    c::{Element, Source, Sparse},
    hls,
    rust::HAS_HARDWARE,
};

/// Reports a statement that has no counterpart in hardware, whatever its formats.
#[cfg(feature = "hls")]
pub(super) fn check(declaration: &KernelDecl, kernel: &Kernel, errors: &mut Diagnostics) {
    if !declaration.in_hardware {
        return;
    }
    if let Some(reason) = hls::reason_of_statement(kernel) {
        refuse(declaration, kernel, &reason, errors);
    }
}

/// Reports nothing: without the feature the attribute does nothing.
#[cfg(not(feature = "hls"))]
pub(super) fn check(_: &KernelDecl, _: &Kernel, _: &mut Diagnostics) {}

/// Reports a statement that has no counterpart in hardware.
pub(super) fn refuse(declaration: &KernelDecl, kernel: &Kernel, reason: &str, errors: &mut Diagnostics) {
    let message = format!(
        "`{}` is not mapped to HLS: {reason}\nhelp: leave `#[target(hls)]` out: the kernel then runs on processors",
        kernel.text
    );
    errors.error(&declaration.statement, message);
}

/// Returns a value in place of that of a statement that was refused, so that the compiler reports nothing else.
pub(super) fn refused(runtime: &TokenStream) -> TokenStream {
    quote!(#runtime::__private::hls::Function::REFUSED)
}

/// Returns the function over these formats, for every element type and all values of the const parameters, as a value of the
/// run time. `None` if the statement has no such target.
///
/// # Errors
/// The reason why there is no counterpart in hardware.
#[cfg(feature = "hls")]
pub(super) fn design(
    declaration: &KernelDecl,
    kernel: &Kernel,
    operands: &[(usize, &Operand)],
    runtime: &TokenStream,
) -> Result<Option<TokenStream>, String> {
    if !HAS_HARDWARE || !declaration.in_hardware {
        return Ok(None);
    }
    let mut name = kernel.name.trim_start_matches("r#").to_owned();
    for (_, operand) in operands {
        name += &format!("_{}", operand.name.trim_start_matches("r#").to_lowercase());
    }
    let sparse = operands.iter().map(|&(number, operand)| Sparse {
        number,
        operand,
        arguments: Vec::new(),
    });
    let source = Source {
        program: crate::compiler::lower::lower(kernel, operands, &hls::TARGET),
        operands: sparse.collect(),
        element: Element::OPERATORS,
        dialect: hls::DIALECT,
        name,
    };
    match hls::reason(&source.program) {
        Some(reason) => Err(reason),
        None => Ok(Some(super::text::design(&hls::print(&source), runtime))),
    }
}

/// Returns nothing: without the feature the attribute does nothing.
///
/// # Errors
/// Never.
#[cfg(not(feature = "hls"))]
pub(super) fn design(
    _: &KernelDecl,
    _: &Kernel,
    _: &[(usize, &Operand)],
    _: &TokenStream,
) -> Result<Option<TokenStream>, String> {
    Ok(None)
}
