//! Validates statements: operands, ranks, the indices of each term, and the coordinates where the value is stored.

mod lower;
mod names;
mod structure;
#[cfg(test)]
mod tests;
mod text;
mod warnings;

pub(crate) use names::check_formats;
pub(crate) use warnings::{Warning, warnings};

use proc_macro2::Ident;

use super::{Kernel, OperandKind, Reduction};
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::syntax::kernel::{Access, KernelDecl};

/// Returns the kernel, or `None` after reporting errors.
pub(crate) fn check(declaration: &KernelDecl, errors: &mut Diagnostics) -> Option<Kernel> {
    if !declaration.malformed.is_empty() {
        declaration
            .malformed
            .iter()
            .cloned()
            .for_each(|error| errors.push(error));
        return None;
    }
    let mut found = Diagnostics::default();
    check_output(declaration, &mut found);
    names::check(declaration, &mut found);
    names::check_clause(declaration, &mut found);
    structure::check_indices(declaration, &mut found);
    if found.is_empty() {
        structure::check_support(declaration, &mut found);
    }
    let kernel = lower::lower(declaration, &mut found);
    if found.is_empty() {
        structure::check_length(&declaration.value, &kernel.value, &kernel, &mut found);
    }
    let clean = found.is_empty();
    errors.absorb(found);
    clean.then_some(kernel)
}

impl KernelDecl {
    /// Returns all accesses that read operands, in order of appearance, with the mask last.
    fn reads(&self) -> Vec<&Access> {
        let mut reads = self.value.accesses();
        reads.extend(self.mask.as_ref().map(|mask| &mask.access));
        reads
    }

    fn is_sparse(&self, name: &Ident) -> bool {
        self.sparse.iter().any(|operand| operand.name == *name)
    }

    /// Returns the kind of an operand, from the way it is written.
    fn kind_of(&self, access: &Access) -> OperandKind {
        if self.is_sparse(&access.name) {
            OperandKind::Sparse
        } else if access.indices.is_empty() {
            OperandKind::Scalar
        } else {
            OperandKind::Dense
        }
    }
}

fn check_output(declaration: &KernelDecl, errors: &mut Diagnostics) {
    let output = &declaration.output;
    let mut indices = output.indices.iter().enumerate();
    if let Some((_, index)) = indices.find(|(at, index)| output.indices[..*at].contains(index)) {
        errors.error(
            index,
            format!("the index `{index}` is repeated on the left\nhelp: give each dim of the output its own index"),
        );
    }
    if output.indices.is_empty() && declaration.reduction == Reduction::And {
        errors.error(
            &output.tokens,
            format!(
                "`&=` has no identity from which the scalar `{}` could start\nhelp: write `min=`, whose identity is the greatest value: `true` for `bool`",
                output.name
            ),
        );
    }
    if let Some(read) = declaration.reads().into_iter().find(|read| read.name == output.name) {
        let updates = declaration.reduction != Reduction::Set || output.indices.is_empty();
        let help = if updates || declaration.is_sparse(&output.name) {
            "read another operand"
        } else {
            "write `+=` to add to it, or read another operand"
        };
        errors.error(
            &read.tokens,
            format!("the output `{}` is also read\nhelp: {help}", output.name),
        );
    }
}
