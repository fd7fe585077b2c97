//! Statement to kernel: operands, ranks, what binds each index.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;

use super::{DenseOperand, Factor, Kernel};
use crate::compiler::diagnostics::{Diagnostics, did_you_mean};
use crate::compiler::syntax::kernel::{Access, FormatUse, KernelDecl};

/// The kernel, or `None` after errors were noted.
pub(crate) fn check(declaration: &KernelDecl, errors: &mut Diagnostics) -> Option<Kernel> {
    if let Some(error) = &declaration.malformed {
        errors.push(error.clone());
        return None;
    }
    let mut found = Diagnostics::default();
    let kernel = check_all(declaration, &mut found);
    let clean = found.is_empty();
    errors.absorb(found);
    kernel.filter(|_| clean)
}

fn check_all(declaration: &KernelDecl, errors: &mut Diagnostics) -> Option<Kernel> {
    let accesses = || declaration.terms.iter().flatten();
    check_output(declaration, errors);
    check_names(declaration, errors);
    let sparse_name = sparse_operand(declaration, errors)?;
    check_formats(declaration, errors);
    let Some(sparse) = accesses().find(|access| access.name == *sparse_name) else {
        if declaration.output.name != *sparse_name {
            let names: Vec<String> = accesses().map(|access| access.name.to_string()).collect();
            let suggestion = did_you_mean(&sparse_name.to_string(), names.iter().map(String::as_str));
            let help = if suggestion.is_empty() {
                "\nhelp: name an operand on the right of `=`"
            } else {
                &suggestion
            };
            errors.error(
                sparse_name,
                format!("`{sparse_name}` is not an operand of this statement{help}"),
            );
        }
        return None;
    };
    if sparse.indices.is_empty() {
        errors.error(
            &sparse.tokens,
            format!("a sparse operand has indices\nhelp: write `{sparse_name}[i, j]`"),
        );
    }
    for term in &declaration.terms {
        let sparse_factors: Vec<&Access> = term.iter().filter(|access| access.name == *sparse_name).collect();
        if let Some(second) = sparse_factors.get(1) {
            errors.error(
                &second.tokens,
                "a product of two sparse factors is not supported yet\nhelp: leave one out",
            );
        }
        for index in &declaration.output.indices {
            if !term.iter().any(|access| access.indices.contains(index)) {
                errors.error(
                    index,
                    format!("nothing on the right binds the index `{index}`\nhelp: use it in an operand of every term"),
                );
            }
        }
    }
    if let Some(index) = repeated(&sparse.indices) {
        errors.error(index, format!("the index `{index}` is repeated in a sparse operand, which is not supported yet\nhelp: give each dimension its own index"));
    }

    let mut kernel = Kernel {
        name: declaration.name.to_string(),
        indices: Vec::new(),
        sparse: sparse_name.to_string(),
        sparse_indices: Vec::new(),
        dense: Vec::new(),
        scalars: Vec::new(),
        accumulates: declaration.accumulates,
        terms: Vec::new(),
        inputs: Vec::new(),
        text: text(&declaration.statement),
    };
    kernel.sparse_indices = sparse
        .indices
        .iter()
        .map(|index| number(&mut kernel.indices, index))
        .collect();
    let output = dense(&mut kernel, &declaration.output);
    kernel.dense.push(output);
    for term in &declaration.terms {
        let factors = term
            .iter()
            .filter_map(|access| factor(&mut kernel, access, sparse, errors))
            .collect();
        kernel.terms.push(factors);
    }
    Some(kernel)
}

/// The one operand the `where` clause names.
fn sparse_operand<'a>(declaration: &'a KernelDecl, errors: &mut Diagnostics) -> Option<&'a Ident> {
    let Some(first) = declaration.sparse.first().map(|operand| &operand.name) else {
        errors.error(
            &declaration.name,
            "a kernel has a sparse operand\nhelp: write `where A: Csr`",
        );
        return None;
    };
    for other in &declaration.sparse[1..] {
        let name = &other.name;
        if name == first {
            errors.error(
                name,
                format!("`{name}` has its formats already\nhelp: list them together, `{name}: Csr | Dia`"),
            );
        } else if *name != declaration.output.name {
            errors.error(name, format!("a kernel of several sparse operands is not supported yet\nhelp: leave `{name}` out of the clause: it is dense then"));
        }
    }
    Some(first)
}

/// A format listed twice would be two implementations of one trait.
fn check_formats(declaration: &KernelDecl, errors: &mut Diagnostics) {
    for operand in &declaration.sparse {
        for (at, format) in operand.formats.iter().enumerate() {
            let path = |format: &FormatUse| format.path.to_token_stream().to_string();
            let arguments = |format: &FormatUse| format.arguments.iter().map(ToString::to_string).collect::<Vec<_>>();
            let overlaps = |other: &FormatUse| {
                let every_value = other.arguments.is_empty() || format.arguments.is_empty();
                path(other) == path(format) && (every_value || arguments(other) == arguments(format))
            };
            if operand.formats[..at].iter().any(overlaps) {
                let last = format.path.segments.last().map(|segment| &segment.ident);
                errors.error(last, "this format is listed already\nhelp: leave this one out\nnote: without arguments a format is listed for every value of its parameters");
            }
        }
    }
}

/// Operands are parameters of a function, in lower case.
fn check_names(declaration: &KernelDecl, errors: &mut Diagnostics) {
    if declaration.name == "T" || declaration.name == "Sparse" {
        let name = &declaration.name;
        errors.error(
            name,
            format!("`{name}` is a type parameter of every kernel\nhelp: choose another name"),
        );
    }
    let mut seen: Vec<(String, &Ident)> = Vec::new();
    for access in std::iter::once(&declaration.output).chain(declaration.terms.iter().flatten()) {
        let name = &access.name;
        let parameter = name.unraw().to_string().to_lowercase();
        if matches!(parameter.as_str(), "self" | "super" | "crate" | "_") {
            errors.error(name, format!("an operand is a parameter in lower case, and `{parameter}` cannot be one\nhelp: choose another name"));
        }
        match seen.iter().find(|(known, _)| *known == parameter) {
            Some((_, first)) if first.unraw() != name.unraw() => errors.error(
                name,
                format!("`{first}` and `{name}` differ only in case: both would be the parameter `{parameter}`\nhelp: rename one of them"),
            ),
            Some(_) => {}
            None => seen.push((parameter, name)),
        }
    }
}

fn check_output(declaration: &KernelDecl, errors: &mut Diagnostics) {
    let output = &declaration.output;
    if declaration.sparse.iter().any(|operand| operand.name == output.name) {
        errors.error(
            &output.name,
            "a sparse output is not supported yet\nhelp: leave its clause out: the output is dense then",
        );
    }
    if output.indices.is_empty() {
        errors.error(
            &output.tokens,
            "a scalar output is not supported yet\nhelp: give the output an index",
        );
    }
    if let Some(index) = repeated(&output.indices) {
        errors.error(
            index,
            format!(
                "the index `{index}` is repeated on the left\nhelp: give each dimension of the output its own index"
            ),
        );
    }
    if let Some(read) = declaration
        .terms
        .iter()
        .flatten()
        .find(|access| access.name == output.name)
    {
        let help = if declaration.accumulates {
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

fn repeated(indices: &[Ident]) -> Option<&Ident> {
    indices
        .iter()
        .enumerate()
        .find(|(at, index)| indices[..*at].contains(index))
        .map(|(_, index)| index)
}

/// The number of an index, a new one if it was not seen yet.
fn number(indices: &mut Vec<String>, index: &Ident) -> usize {
    let name = index.to_string();
    indices.iter().position(|known| *known == name).unwrap_or_else(|| {
        indices.push(name);
        indices.len() - 1
    })
}

fn dense(kernel: &mut Kernel, access: &Access) -> DenseOperand {
    let indices = access
        .indices
        .iter()
        .map(|index| number(&mut kernel.indices, index))
        .collect();
    DenseOperand {
        name: access.name.to_string(),
        indices,
    }
}

fn factor(kernel: &mut Kernel, access: &Access, sparse: &Access, errors: &mut Diagnostics) -> Option<Factor> {
    let name = access.name.to_string();
    let factor = if access.name == sparse.name {
        if access.indices != sparse.indices {
            errors.error(&access.tokens, format!("`{name}` is read at other indices before, which is not supported yet\nhelp: pass it as another operand"));
            return None;
        }
        Factor::Sparse
    } else if access.indices.is_empty() {
        if kernel.dense.iter().any(|operand| operand.name == name) {
            errors.error(
                &access.tokens,
                format!("`{name}` has indices elsewhere\nhelp: an operand is a scalar or a tensor, not both"),
            );
            return None;
        }
        let at = kernel
            .scalars
            .iter()
            .position(|scalar| *scalar == name)
            .unwrap_or_else(|| {
                kernel.scalars.push(name);
                kernel.scalars.len() - 1
            });
        Factor::Scalar(at)
    } else {
        if kernel.scalars.contains(&name) {
            errors.error(
                &access.tokens,
                format!("`{name}` is a scalar elsewhere\nhelp: an operand is a scalar or a tensor, not both"),
            );
            return None;
        }
        let operand = dense(kernel, access);
        let known = kernel
            .dense
            .iter()
            .skip(1)
            .position(|known| known.name == name)
            .map(|at| at + 1);
        if let Some(at) = known {
            if kernel.dense[at].indices != operand.indices {
                errors.error(&access.tokens, format!("`{name}` is read at other indices before, which is not supported yet\nhelp: pass it as another operand"));
                return None;
            }
        }
        Factor::Dense(known.unwrap_or_else(|| {
            kernel.dense.push(operand);
            kernel.dense.len() - 1
        }))
    };
    if !kernel.inputs.contains(&factor) {
        kernel.inputs.push(factor);
    }
    Some(factor)
}

/// The statement on one line, spaced as a person would.
fn text(statement: &TokenStream) -> String {
    let text = statement.to_string();
    let text = [(" [", "["), ("[ ", "["), (" ]", "]"), (" ,", ",")]
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
