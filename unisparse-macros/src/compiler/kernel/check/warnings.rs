//! Finds parts of a statement that compute something else than they seem to: calls whose results are summed although their arguments look as
//! if they were summed, and sums that are computed again for each coordinate along which they are repeated.

use proc_macro2::{Ident, TokenStream};

use super::structure::{self, Lacking};
use crate::compiler::kernel::{Reduction, path_text};
use crate::compiler::syntax::kernel::{Expression, ExpressionKind, KernelDecl};

/// A warning about a part of a statement.
pub(crate) struct Warning<'a> {
    pub(crate) part: &'a TokenStream,
    /// What the part does, as the name of a constant.
    pub(crate) name: &'static str,
    pub(crate) note: String,
}

/// Returns all warnings of a statement. Under reductions other than sums, the call of a function is the product of a semiring.
pub(crate) fn warnings(declaration: &KernelDecl) -> Vec<Warning<'_>> {
    let mut found = Vec::new();
    if matches!(declaration.reduction, Reduction::Set | Reduction::Plus) {
        look_for_calls(&declaration.value, &declaration.output.indices, &mut found);
    }
    repeated_sums(declaration, &mut found);
    found
}

/// Finds terms that are summed over an index, and are repeated along one.
fn repeated_sums<'a>(declaration: &'a KernelDecl, found: &mut Vec<Warning<'a>>) {
    let output = &declaration.output.indices;
    let mut seen: Vec<*const Expression> = Vec::new();
    for lacked in output {
        for Lacking { term, factors } in structure::lacking(declaration, lacked) {
            let accesses = std::iter::once(term).chain(factors).flat_map(Expression::accesses);
            let mut indices = accesses.flat_map(|access| &access.indices);
            let Some(summed) = indices.find(|index| !output.contains(index)) else {
                continue;
            };
            // A term that lacks several indices is reported once.
            if seen.contains(&std::ptr::from_ref(term)) {
                continue;
            }
            seen.push(term);
            found.push(Warning {
                part: &term.tokens,
                name: "repeats_this_sum",
                note: format!(
                    "this term lacks the index `{lacked}` of the output, so its sum over `{summed}` is computed again for each coordinate of `{lacked}`\n\
                     help: compute the sum first, and read it here as an operand\n\
                     help: if the sum is short, write `#[allow(deprecated)]` before the kernel"
                ),
            });
        }
    }
}

fn look_for_calls<'a>(value: &'a Expression, output: &[Ident], found: &mut Vec<Warning<'a>>) {
    if let ExpressionKind::Call(path, arguments) = &value.kind {
        if let Some(index) = arguments.iter().find_map(|argument| contracted(argument, output)) {
            let name = path_text(path);
            found.push(Warning {
                part: path,
                name: "sums_the_results_of_this_call",
                note: format!(
                    "`{name}` is called before the sum over `{index}`, once for each of its coordinates, and the results are summed\n\
                     help: to call `{name}` with the sum, compute the sum in a kernel of its own, and call `{name}` with each element of its result\n\
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
