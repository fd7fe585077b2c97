//! Expands `#[target(cuda)]`.

use proc_macro2::TokenStream;
use quote::quote;

use super::text::device;
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::emit::c::{Element, Source, Sparse};
use crate::compiler::emit::cuda;
use crate::compiler::emit::rust::HAS_DEVICE;
use crate::compiler::kernel::Kernel;
use crate::compiler::lower::lower;
use crate::compiler::operand::Operand;
use crate::compiler::syntax::kernel::KernelDecl;

/// Reports a statement for devices that has no counterpart in CUDA, whatever its formats.
pub(super) fn check(declaration: &KernelDecl, kernel: &Kernel, errors: &mut Diagnostics) {
    if !declaration.on_device {
        return;
    }
    if let Some(reason) = cuda::reason_of_statement(kernel) {
        refuse(declaration, kernel, &reason, errors);
    }
}

/// Reports a statement for devices that has no counterpart in CUDA.
pub(super) fn refuse(declaration: &KernelDecl, kernel: &Kernel, reason: &str, errors: &mut Diagnostics) {
    let message = format!(
        "`{}` is not mapped to CUDA: {reason}\nhelp: leave `#[target(cuda)]` out: the kernel then runs on processors",
        kernel.text
    );
    errors.error(&declaration.statement, message);
}

/// Returns the kernels over these formats, for every element type and all values of the const parameters, as a value of
/// the run time. `None` if the statement is for processors only.
///
/// # Errors
/// The reason why there is no counterpart in CUDA.
pub(super) fn kernels(
    declaration: &KernelDecl,
    kernel: &Kernel,
    operands: &[(usize, &Operand)],
    runtime: &TokenStream,
) -> Result<Option<TokenStream>, String> {
    if !HAS_DEVICE || !declaration.on_device {
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
        program: lower(kernel, operands, &cuda::TARGET),
        operands: sparse.collect(),
        element: Element::ANY,
        dialect: cuda::DIALECT,
        name,
    };
    match cuda::reason(&source.program) {
        Some(reason) => Err(reason),
        None => Ok(Some(device(&cuda::print(&source), &quote!(#runtime::__private::c)))),
    }
}
