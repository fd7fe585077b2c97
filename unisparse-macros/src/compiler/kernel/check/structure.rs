//! Checks the indices of each term and the coordinates where the value is stored.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};

use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::kernel::addends::{MOST, has_too_many};
use crate::compiler::kernel::{Kernel, Node, Reduction};
use crate::compiler::syntax::kernel::{Expression, ExpressionKind, KernelDecl};

/// Whether the value is evaluated only where all of its sparse operands are stored, no matter its operators.
fn intersects(reduction: Reduction) -> bool {
    matches!(reduction, Reduction::Min | Reduction::Max)
}

/// Reports an index of the output or of the mask that nothing on the right has. Also reports each term that lacks an index and
/// cannot be repeated along it: an index of a sparse output, or one that the mask has and the output lacks.
pub(super) fn check_indices(declaration: &KernelDecl, errors: &mut Diagnostics) {
    let output = &declaration.output;
    let is_sparse = declaration.is_sparse(&output.name);
    for index in &output.indices {
        // A dense output has a value at every coordinate, so the mask alone may determine an extent.
        let has_extent =
            mentions(&declaration.value, index) || !is_sparse && of_mask(declaration).any(|of_mask| of_mask == index);
        if !has_extent {
            errors.error(
                index,
                format!(
                    "nothing on the right has the index `{index}`\nhelp: use it in brackets, in an operand of a term"
                ),
            );
        } else if is_sparse {
            report_lacking(declaration, index, errors, |index| {
                let output = &output.name;
                format!(
                    "this term lacks the index `{index}` of the sparse output `{output}`: it has a value at every coordinate of `{index}`\nhelp: multiply it by a sparse operand that has the index, or leave `{output}` out of the `where` clause to make it dense"
                )
            });
        }
    }
    for index in of_mask(declaration).filter(|index| !output.indices.contains(index)) {
        if mentions(&declaration.value, index) {
            report_lacking(declaration, index, errors, |index| {
                format!(
                    "this term lacks the index `{index}` of the mask, which the output does not have either\nhelp: multiply it by an operand that has the index"
                )
            });
        } else {
            errors.error(
                index,
                format!("nothing before the mask has the index `{index}`\nhelp: use it in an operand of every term"),
            );
        }
    }
}

fn of_mask(declaration: &KernelDecl) -> impl Iterator<Item = &Ident> {
    declaration.mask.iter().flat_map(|mask| &mask.access.indices)
}

/// Reports the terms that lack an index.
fn report_lacking(
    declaration: &KernelDecl,
    index: &Ident,
    errors: &mut Diagnostics,
    message: impl Fn(&Ident) -> String,
) {
    for Lacking { term, .. } in lacking(declaration, index) {
        errors.error(&term.tokens, message(index));
    }
}

fn mentions(value: &Expression, index: &Ident) -> bool {
    value.accesses().iter().any(|access| access.indices.contains(index))
}

/// A term that lacks an index that others have.
pub(super) struct Lacking<'a> {
    pub(super) term: &'a Expression,
    /// What it is multiplied by when the products around it are multiplied out.
    pub(super) factors: Vec<&'a Expression>,
}

/// Returns the terms that lack an index that others have.
pub(super) fn lacking<'a>(declaration: &'a KernelDecl, index: &Ident) -> Vec<Lacking<'a>> {
    lacking_in(&declaration.value, &[], index, intersects(declaration.reduction))
}

fn lacking_in<'a>(
    value: &'a Expression,
    factors: &[&'a Expression],
    index: &Ident,
    intersected: bool,
) -> Vec<Lacking<'a>> {
    if bound(value, intersected).contains(&index.to_string()) {
        return Vec::new();
    }
    let inside = |part: &'a Expression, factors: &[&'a Expression]| lacking_in(part, factors, index, intersected);
    match &value.kind {
        ExpressionKind::Negated(inner) => inside(inner, factors),
        ExpressionKind::Sum(parts) | ExpressionKind::Or(parts) => {
            parts.iter().flat_map(|part| inside(part, factors)).collect()
        }
        // The factor has the index in some of its terms.
        ExpressionKind::Product(parts) | ExpressionKind::And(parts) if mentions(value, index) => {
            let blamed = parts.iter().enumerate().filter(|(_, part)| mentions(part, index));
            let within = blamed.flat_map(|(at, part)| {
                let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
                let factors: Vec<&Expression> = factors.iter().copied().chain(others.map(|(_, part)| part)).collect();
                inside(part, &factors)
            });
            within.collect()
        }
        _ => vec![Lacking {
            term: value,
            factors: factors.to_vec(),
        }],
    }
}

/// Returns the indices that every term has. If `intersected`, the value is one term, no matter its operators.
fn bound(value: &Expression, intersected: bool) -> BTreeSet<String> {
    let all = |parts: &[Expression], intersected| parts.iter().flat_map(|part| bound(part, intersected)).collect();
    match &value.kind {
        ExpressionKind::Access(access) => access.indices.iter().map(Ident::to_string).collect(),
        ExpressionKind::Index(index) => BTreeSet::from([index.to_string()]),
        ExpressionKind::Integer(_) | ExpressionKind::Float(_) => BTreeSet::new(),
        ExpressionKind::Negated(inner) => bound(inner, intersected),
        // A call is applied at each coordinate, before any sum.
        ExpressionKind::Call(_, arguments) => all(arguments, true),
        ExpressionKind::Product(parts) | ExpressionKind::And(parts) => all(parts, intersected),
        ExpressionKind::Sum(parts) | ExpressionKind::Or(parts) if intersected => all(parts, true),
        ExpressionKind::Sum(parts) | ExpressionKind::Or(parts) => {
            let sets = parts.iter().map(|part| bound(part, false));
            sets.reduce(|one, other| &one & &other).unwrap_or_default()
        }
    }
}

/// Reports values without a sparse factor, and sparse outputs whose value is stored everywhere.
pub(super) fn check_support(declaration: &KernelDecl, errors: &mut Diagnostics) {
    let output = &declaration.output.name;
    if declaration.is_sparse(output) {
        for term in everywhere(&declaration.value, declaration) {
            errors.error(
                &term,
                format!("this has a value at every coordinate, but the output `{output}` is sparse\nhelp: multiply by a sparse operand, or leave `{output}` out of the `where` clause to make it dense"),
            );
        }
    } else if declaration
        .value
        .accesses()
        .iter()
        .all(|access| !declaration.is_sparse(&access.name))
    {
        errors.error(
            &declaration.value.tokens,
            "only the mask is sparse on the right\nhelp: name an operand of the value in the `where` clause",
        );
    }
}

/// Reports products of sums over different indices that have too many terms. Returns whether there are none.
pub(super) fn check_length(value: &Expression, node: &Node, kernel: &Kernel, errors: &mut Diagnostics) -> bool {
    // The arguments of a call are not terms.
    if matches!(value.kind, ExpressionKind::Call(..)) {
        return true;
    }
    let mut is_short = true;
    for (part, inner) in value.parts().iter().zip(node.inner()) {
        is_short &= check_length(part, inner, kernel, errors);
    }
    let is_product = matches!(value.kind, ExpressionKind::Product(_) | ExpressionKind::And(_));
    if is_product && is_short && has_too_many(node, kernel) {
        is_short = false;
        errors.error(
            &value.tokens,
            format!("multiplied out, this product of sums has more than {MOST} terms: its sums are over different indices\nhelp: compute some of the factors in a kernel of their own, and read its result here"),
        );
    }
    is_short
}

/// Returns the terms that are stored at every coordinate.
fn everywhere(value: &Expression, declaration: &KernelDecl) -> Vec<TokenStream> {
    let of_all = |parts: &[Expression]| {
        let dense = parts.iter().all(|part| !everywhere(part, declaration).is_empty());
        Vec::from_iter(dense.then(|| value.tokens.clone()))
    };
    match &value.kind {
        ExpressionKind::Access(access) if declaration.is_sparse(&access.name) => Vec::new(),
        ExpressionKind::Access(_)
        | ExpressionKind::Index(_)
        | ExpressionKind::Integer(_)
        | ExpressionKind::Float(_) => {
            vec![value.tokens.clone()]
        }
        ExpressionKind::Negated(inner) => everywhere(inner, declaration),
        ExpressionKind::Sum(parts) | ExpressionKind::Or(parts) if !intersects(declaration.reduction) => {
            parts.iter().flat_map(|part| everywhere(part, declaration)).collect()
        }
        ExpressionKind::Sum(parts)
        | ExpressionKind::Or(parts)
        | ExpressionKind::Product(parts)
        | ExpressionKind::And(parts)
        | ExpressionKind::Call(_, parts) => of_all(parts),
    }
}
