//! Checks the names of a statement as parameters of the kernel's function, and its `where` clause.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;

use crate::compiler::diagnostics::{Diagnostics, did_you_mean};
use crate::compiler::kernel::stock;
use crate::compiler::syntax::kernel::{Expression, ExpressionKind, FormatUse, KernelDecl, SparseOperand};

/// Reports operands whose names clash as parameters of a function, in lower case.
pub(super) fn check(declaration: &KernelDecl, errors: &mut Diagnostics) {
    let name = &declaration.name;
    let element = declaration.element.as_ref().map(|element| &element.ident);
    if name == "T" || element.is_some_and(|element| element == name) {
        errors.error(
            name,
            format!("`{name}` is the element type in the kernel\nhelp: choose another name"),
        );
    }
    check_functions(&declaration.value, name, errors);
    let mut seen: Vec<(String, &Ident)> = Vec::new();
    for access in std::iter::once(&declaration.output).chain(declaration.reads()) {
        let name = &access.name;
        let parameter = name.unraw().to_string().to_lowercase();
        if matches!(parameter.as_str(), "self" | "super" | "crate" | "_") {
            errors.error(name, format!("an operand becomes a parameter in lower case, and `{parameter}` cannot be one\nhelp: choose another name"));
        }
        match seen.iter().find(|(known, _)| *known == parameter) {
            Some((_, first)) if first.unraw() != name.unraw() => errors.error(
                name,
                format!("`{first}` and `{name}` differ only in case: both would become the parameter `{parameter}`\nhelp: rename one of them"),
            ),
            Some(_) => {}
            None => seen.push((parameter, name)),
        }
    }
}

/// Reports calls of a function with the kernel's own name, which would call the kernel itself.
fn check_functions(value: &Expression, kernel: &Ident, errors: &mut Diagnostics) {
    match &value.kind {
        ExpressionKind::Access(_)
        | ExpressionKind::Index(_)
        | ExpressionKind::Integer(_)
        | ExpressionKind::Float(_) => {}
        ExpressionKind::Negated(inner) => check_functions(inner, kernel, errors),
        ExpressionKind::Call(path, arguments) => {
            if *kernel == path.to_string() {
                errors.error(
                    path,
                    format!("here, `{kernel}` is this kernel\nhelp: rename one of them, or write the function's path: `self::functions::{kernel}`"),
                );
            }
            for argument in arguments {
                check_functions(argument, kernel, errors);
            }
        }
        ExpressionKind::Sum(parts)
        | ExpressionKind::Product(parts)
        | ExpressionKind::And(parts)
        | ExpressionKind::Or(parts) => {
            for part in parts {
                check_functions(part, kernel, errors);
            }
        }
    }
}

/// Reports operands of the `where` clause that are repeated, not in the statement, or without indices.
pub(super) fn check_clause(declaration: &KernelDecl, errors: &mut Diagnostics) {
    if declaration.sparse.is_empty() {
        errors.error(
            &declaration.name,
            "a kernel needs a sparse operand\nhelp: write `where A: Csr`",
        );
        return;
    }
    let reads = declaration.reads();
    for (at, operand) in declaration.sparse.iter().enumerate() {
        let name = &operand.name;
        if declaration.sparse[..at].iter().any(|before| before.name == *name) {
            errors.error(
                name,
                format!("the formats of `{name}` are already listed\nhelp: write one list, `{name}: Csr | Dia`"),
            );
            continue;
        }
        let mut all = std::iter::once(&declaration.output).chain(reads.iter().copied());
        match all.find(|access| access.name == *name) {
            Some(access) if access.indices.is_empty() => errors.error(
                &access.tokens,
                format!("a sparse operand has indices\nhelp: write `{name}[i, j]`"),
            ),
            Some(access) => check_every(declaration, operand, access.indices.len(), errors),
            None => {
                let names: Vec<String> = reads.iter().map(|access| access.name.to_string()).collect();
                let suggestion = did_you_mean(&name.to_string(), names.iter().map(String::as_str));
                let help = if suggestion.is_empty() {
                    "\nhelp: name an operand on the right of `=`"
                } else {
                    &suggestion
                };
                errors.error(name, format!("`{name}` is not an operand of this statement{help}"));
            }
        }
    }
    check_formats(
        declaration.sparse.iter().map(|operand| operand.formats.as_slice()),
        errors,
    );
}

/// Reports a `*` where no conversion makes one format of all others.
fn check_every(declaration: &KernelDecl, operand: &SparseOperand, rank: usize, errors: &mut Diagnostics) {
    let (name, Some(every)) = (&operand.name, &operand.every) else {
        return;
    };
    if declaration.output.name == *name {
        errors.error(
            every,
            format!("a result comes in any format that the caller names\nhelp: write `{name}: _`"),
        );
    } else if stock::converted_to(rank).is_none() {
        errors.error(
            every,
            format!("`*` stands for formats of one to three dims, and `{name}` has {rank}\nhelp: list the formats"),
        );
    } else if declaration.on_device || declaration.in_hardware {
        errors.error(
            every,
            "`*` converts tensors, which kernels with `#[target(..)]` do not\nhelp: list the formats, or leave the target out",
        );
    }
}

/// Reports formats that are listed twice, which would give two implementations of one trait.
pub(crate) fn check_formats<'a>(lists: impl IntoIterator<Item = &'a [FormatUse]>, errors: &mut Diagnostics) {
    let path = |format: &FormatUse| format.path.to_token_stream().to_string();
    let arguments = |format: &FormatUse| format.arguments.iter().map(ToString::to_string).collect::<Vec<_>>();
    let overlaps = |one: &FormatUse, other: &FormatUse| {
        let every_value = one.arguments.is_empty() || other.arguments.is_empty();
        path(one) == path(other) && (every_value || arguments(one) == arguments(other))
    };
    for formats in lists {
        for (at, format) in formats.iter().enumerate() {
            if formats[..at].iter().any(|before| overlaps(before, format)) {
                let last = format.path.segments.last().map(|segment| &segment.ident);
                errors.error(last, "this format is already listed\nhelp: leave this one out\nnote: a format without arguments is listed for all values of its parameters");
            }
        }
    }
}
