//! Determines what has a counterpart in CUDA.

use super::super::c::Element;
use crate::compiler::lower::Program;

/// Whether kernels can have elements of this type.
pub(crate) fn has(element: Element) -> bool {
    !element.is_complex()
}

/// Returns the reason why a program is not printed, or `None` if it is.
pub(crate) fn reason(program: &Program<'_>) -> Option<String> {
    let function = program.kernel.functions.first()?;
    let name = function.name();
    Some(format!(
        "`{name}` is a function in Rust, which a CUDA kernel cannot call"
    ))
}
