//! Checks that the levels determine the dims, and suggests a level to add where they do not.

use proc_macro2::Ident;

use crate::compiler::algebra::{Expression, Inverse, Lossy};
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::syntax::Identifiers;
use crate::compiler::syntax::expression::{BinaryOperator, Expr, ExprKind};
use crate::compiler::syntax::format::FormatDecl;

/// Returns the inverse of the index map, or `None` after reporting errors.
pub(super) fn check_inverse(
    declaration: &FormatDecl,
    expressions: &[Option<&Expression>],
    errors: &mut Diagnostics,
) -> Option<Inverse> {
    match Inverse::of_levels(declaration.dims.len(), expressions) {
        Ok(inverse) => Some(inverse),
        Err(Lossy::TooLarge) => {
            errors.error(
                &declaration.name,
                "the coefficients of this index map are too large to invert exactly\nhelp: use smaller ones",
            );
            None
        }
        Err(Lossy::Dims { missing, undecided }) => {
            let note = if undecided {
                "\nnote: a coefficient could be zero for some value of a const parameter"
            } else {
                ""
            };
            let mut blamed: Vec<usize> = Vec::new();
            for dim in missing.iter().map(|&dim| &declaration.dims[dim]) {
                // Blame the first level that mentions the dim.
                let culprit = declaration
                    .levels
                    .iter()
                    .position(|level| Identifiers::of(&level.expression.tokens).contain(dim));
                if culprit.is_some_and(|level| blamed.contains(&level)) {
                    // One more level usually recovers both dims, so report each level once.
                    continue;
                }
                blamed.extend(culprit);
                match culprit.map(|level| &declaration.levels[level]) {
                    None => errors.error(
                        dim,
                        format!("no level depends on `{dim}`, so it cannot be recovered\nhelp: add a level `{dim}`"),
                    ),
                    Some(level) => errors.error(
                        &level.expression.tokens,
                        format!(
                            "`{dim}` cannot be recovered from the levels of this index map{}{note}",
                            digit_help(declaration, dim)
                        ),
                    ),
                }
            }
            if missing.is_empty() {
                errors.error(&declaration.name, format!("this index map cannot be proved invertible{note}\nhelp: leave out the levels that the others determine"));
            }
            None
        }
    }
}

/// Returns a help text that suggests the missing `%` of a `/`, or the missing `/` of a `%`.
fn digit_help(declaration: &FormatDecl, dim: &Ident) -> String {
    fn digits(expr: &Expr, dim: &Ident, found: &mut Vec<(BinaryOperator, String, String)>) {
        if let ExprKind::Binary(operator, left, right) = &expr.kind {
            if matches!(operator, BinaryOperator::Div | BinaryOperator::Rem)
                && Identifiers::of(&left.tokens).contain(dim)
            {
                found.push((*operator, left.to_string(), right.to_string()));
            }
            digits(left, dim, found);
            digits(right, dim, found);
        }
    }
    let mut found = Vec::new();
    for level in &declaration.levels {
        digits(&level.expression, dim, &mut found);
    }
    for (operator, left, right) in &found {
        let (other, sign) = if *operator == BinaryOperator::Div {
            (BinaryOperator::Rem, '%')
        } else {
            (BinaryOperator::Div, '/')
        };
        if !found.contains(&(other, left.clone(), right.clone())) {
            let left = if left.contains(' ') {
                format!("({left})")
            } else {
                left.clone()
            };
            return format!("\nhelp: add a level with the other digit, `{left} {sign} {right}`");
        }
    }
    format!("\nhelp: add a level that determines it, for example `{dim}`")
}
