//! Finds calls whose results are summed although their arguments look as if they were summed.

use proc_macro2::{Ident, TokenStream};

use crate::compiler::kernel::{Reduction, path_text};
use crate::compiler::syntax::kernel::{Expression, ExpressionKind, KernelDecl};

/// A call whose argument multiplies operands that share a reduced index, as in `relu(A[i, j] * x[j])`.
pub(crate) struct SummedCall<'a> {
    pub(crate) path: &'a TokenStream,
    /// The text of a warning.
    pub(crate) note: String,
}

/// Returns all such calls of a statement. Under reductions other than sums, such a call is the product of a semiring.
pub(crate) fn summed_calls(declaration: &KernelDecl) -> Vec<SummedCall<'_>> {
    let mut found = Vec::new();
    if matches!(declaration.reduction, Reduction::Set | Reduction::Plus) {
        look_for_calls(&declaration.value, &declaration.output.indices, &mut found);
    }
    found
}

fn look_for_calls<'a>(value: &'a Expression, output: &[Ident], found: &mut Vec<SummedCall<'a>>) {
    if let ExpressionKind::Call(path, arguments) = &value.kind {
        if let Some(index) = arguments.iter().find_map(|argument| contracted(argument, output)) {
            let name = path_text(path);
            found.push(SummedCall {
                path,
                note: format!(
                    "`{name}` is called before the sum over `{index}`, once for each of its coordinates, and the results are summed\n\
                     help: to call `{name}` with the sum, compute the sum in a kernel of its own, and call `{name}` in a second one\n\
                     help: if the results are to be summed, write `#[allow(deprecated)]` before the kernel"
                ),
            });
        }
    }
    for part in value.parts() {
        look_for_calls(part, output, found);
    }
}

/// Returns an index that is summed over and occurs in two factors of a product.
fn contracted(value: &Expression, output: &[Ident]) -> Option<Ident> {
    if let ExpressionKind::Product(factors) = &value.kind {
        for (at, factor) in factors.iter().enumerate() {
            let indices = factor.accesses().into_iter().flat_map(|access| &access.indices);
            let is_in_another = |index: &&Ident| {
                let mut others = factors[at + 1..].iter().flat_map(Expression::accesses);
                others.any(|access| access.indices.contains(index))
            };
            let mut summed = indices.filter(|index| !output.contains(index));
            if let Some(index) = summed.find(is_in_another) {
                return Some(index.clone());
            }
        }
    }
    value.parts().iter().find_map(|part| contracted(part, output))
}
