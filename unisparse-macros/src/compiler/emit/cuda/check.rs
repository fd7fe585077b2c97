//! Determines whether a program has a counterpart in CUDA.

use super::super::c::Element;
use crate::compiler::lower::{Output, Program};

/// Returns the reason why a program is not printed, or `None` if it is.
pub(crate) fn reason(program: &Program<'_>, element: Element) -> Option<String> {
    let output = &program.kernel.operands[0].name;
    if matches!(program.output, Output::Fibers { .. } | Output::Unordered) {
        return Some(format!(
            "`{output}` is sparse, and CUDA kernels write dense outputs only: the length of its arrays is not known before the launch"
        ));
    }
    if let Some(function) = program.kernel.functions.first() {
        let name = function.name();
        return Some(format!(
            "`{name}` is a function in Rust, which a CUDA kernel cannot call"
        ));
    }
    element
        .is_complex()
        .then(|| format!("CUDA kernels have no element type `{}`", element.name))
}
