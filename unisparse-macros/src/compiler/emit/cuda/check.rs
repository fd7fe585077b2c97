//! Determines what has a counterpart in CUDA.

use super::super::c::Element;
use crate::compiler::kernel::Kernel;
use crate::compiler::lower::Program;

/// Whether kernels can have elements of this type.
pub(crate) fn has(element: Element) -> bool {
    !element.is_complex()
}

/// Returns the reason why a program is not printed, or `None` if it is.
pub(crate) fn reason(program: &Program<'_>) -> Option<String> {
    reason_of_statement(&program.kernel)
}

/// Returns the reason why a statement is not printed, whatever its formats.
pub(crate) fn reason_of_statement(kernel: &Kernel) -> Option<String> {
    let name = kernel.functions.first()?.name();
    Some(format!(
        "`{name}` is a function in Rust, which a CUDA kernel cannot call"
    ))
}
