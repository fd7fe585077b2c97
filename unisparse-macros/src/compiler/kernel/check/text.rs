//! Prints a statement on one line, spaced as a person would.

use crate::compiler::kernel::{Reduction, path_text};
use crate::compiler::syntax::kernel::{Access, Expression, ExpressionKind, KernelDecl};

/// Returns the statement, as in `y[i] = alpha * A[i, j] * x[j] if !seen[i]`.
pub(super) fn text(declaration: &KernelDecl) -> String {
    let reduction = match declaration.reduction {
        Reduction::Set => "=",
        Reduction::Plus => "+=",
        Reduction::Min => "min=",
        Reduction::Max => "max=",
        Reduction::Or => "|=",
        Reduction::And => "&=",
    };
    let (output, value) = (access(&declaration.output), expression(&declaration.value, 0));
    let mask = declaration.mask.as_ref().map_or(String::new(), |mask| {
        format!(" if {}{}", if mask.negated { "!" } else { "" }, access(&mask.access))
    });
    format!("{output} {reduction} {value}{mask}")
}

fn access(access: &Access) -> String {
    let indices: Vec<String> = access.indices.iter().map(ToString::to_string).collect();
    match indices.as_slice() {
        [] => access.name.to_string(),
        indices => format!("{}[{}]", access.name, indices.join(", ")),
    }
}

/// Returns the expression, in parentheses if the operators around it bind at least as tightly as its own.
fn expression(value: &Expression, outer: u8) -> String {
    let (text, own) = match &value.kind {
        ExpressionKind::Access(read) => return access(read),
        ExpressionKind::Index(_) | ExpressionKind::Integer(_) | ExpressionKind::Float(_) => {
            return value.tokens.to_string();
        }
        ExpressionKind::Call(path, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|argument| expression(argument, 0)).collect();
            return format!("{}({})", path_text(path), arguments.join(", "));
        }
        ExpressionKind::Negated(inner) => (format!("-{}", expression(inner, 5)), 5),
        ExpressionKind::Product(parts) => (chain(parts, " * ", 4), 4),
        ExpressionKind::Sum(parts) => (sum(parts), 3),
        ExpressionKind::And(parts) => (chain(parts, " & ", 2), 2),
        ExpressionKind::Or(parts) => (chain(parts, " | ", 1), 1),
    };
    // `-x` is a factor without parentheses.
    if own > outer || own == 5 {
        text
    } else {
        format!("({text})")
    }
}

fn chain(parts: &[Expression], operator: &str, own: u8) -> String {
    let parts: Vec<String> = parts.iter().map(|part| expression(part, own)).collect();
    parts.join(operator)
}

fn sum(parts: &[Expression]) -> String {
    let mut text = String::new();
    for (at, part) in parts.iter().enumerate() {
        match &part.kind {
            ExpressionKind::Negated(inner) if at > 0 => text += &format!(" - {}", expression(inner, 3)),
            _ => text += &format!("{}{}", if at > 0 { " + " } else { "" }, expression(part, 3)),
        }
    }
    text
}
