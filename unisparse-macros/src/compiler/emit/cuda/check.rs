//! Determines whether a program has a counterpart in CUDA.

use super::super::c::Element;
use crate::compiler::kernel::{Kernel, OperandKind};
use crate::compiler::lower::Program;

/// Returns the reason why a program is not printed, or `None` if it is.
pub(crate) fn reason(program: &Program<'_>, element: Element) -> Option<String> {
    if let Some(reason) = reason_of_statement(&program.kernel) {
        return Some(reason);
    }
    element
        .is_complex()
        .then(|| format!("CUDA kernels have no element type `{}`", element.name))
}

/// Returns the reason why no program of a statement is printed.
pub(crate) fn reason_of_statement(kernel: &Kernel) -> Option<String> {
    let output = &kernel.operands[0].name;
    if kernel.output_kind() == OperandKind::Sparse {
        return Some(format!(
            "`{output}` is sparse, and CUDA kernels write dense outputs only: the length of its arrays is not known before the launch"
        ));
    }
    let name = kernel.functions.first()?.name();
    Some(format!(
        "`{name}` is a function in Rust, which a CUDA kernel cannot call"
    ))
}
