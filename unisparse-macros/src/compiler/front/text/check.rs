//! Checks that a request for a text names a kernel's sparse inputs, each once, with formats that fit them.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{LitInt, Path};

use super::{Language, inputs};
use crate::compiler::diagnostics::{Diagnostics, counted, did_you_mean, list};
use crate::compiler::emit::c::Element;
use crate::compiler::kernel::{Kernel, OperandKind, Reduction};
use crate::compiler::operand::Operand;
use crate::compiler::syntax::kernel::{TextDecl, TextOperand};

/// Reports a format in place of a kernel.
pub(super) fn refuse_format(path: &Path, errors: &mut Diagnostics) {
    let name = last_of(path).map(ToString::to_string).unwrap_or_default();
    errors.error(
        last_of(path),
        format!("`{name}` is a format, not a kernel\nhelp: write `kernel_text!(loops, spmv, A: {name}<f64>)`"),
    );
}

/// Reports a kernel in place of a format.
pub(super) fn refuse_kernel(written: &TextOperand, errors: &mut Diagnostics) {
    let last = written.format.name();
    let name = last.map(ToString::to_string).unwrap_or_default();
    errors.error(
        last,
        format!("`{name}` is a kernel, not a format\nhelp: write a format, `Csr<f64>`"),
    );
}

/// Reports a kernel that has no counterpart in a language of devices.
pub(super) fn refuse_program(
    request: &TextDecl,
    kernel: &Kernel,
    language: Language,
    reason: &str,
    errors: &mut Diagnostics,
) {
    errors.error(
        last_of(&request.kernel),
        format!(
            "`{}` is not mapped to {}: {reason}\nhelp: write `c` or `loops`",
            kernel.text,
            language.name()
        ),
    );
}

/// Reports const parameters without values, which hardware needs.
#[cfg(feature = "hls")]
pub(super) fn complete(operand: &Operand, arguments: &[String], written: &TextOperand, errors: &mut Diagnostics) {
    if arguments.is_empty() && !operand.parameters.is_empty() {
        let (last, name) = (written.format.name(), &operand.name);
        errors.error(
            last,
            format!("the const arguments of `{name}` are missing, which are the lengths of loops in hardware\nhelp: write all of them after the element type"),
        );
    }
}

/// Reports a kernel that the cores of a device cannot run.
pub(super) fn refuse_cores(request: &TextDecl, kernel: &Kernel, reason: &str, errors: &mut Diagnostics) {
    errors.error(
        last_of(&request.kernel),
        format!(
            "`{}` does not run on the cores of a device: {reason}\nhelp: write a kernel of one partitioned operand with a dense output, as `spmv`",
            kernel.text
        ),
    );
}

/// Reports a format that has no parts, or parameters without values.
pub(super) fn partitioned(operand: &Operand, arguments: &[String], written: &TextOperand, errors: &mut Diagnostics) {
    let (last, name) = (written.format.name(), &operand.name);
    if !operand.is_partitioned() {
        errors.error(
            last,
            format!("`{name}` is not partitioned, so there are no parts to place on cores\nhelp: write a format that declares `partition(level)`, such as `C2sr<f32, 1024>`"),
        );
    } else if arguments.len() < operand.parameters.len() || written.element.is_none() {
        errors.error(
            last,
            format!("the type of `{name}` is not complete\nhelp: write the element type and all const arguments, as in `C2sr<f32, 1024>`"),
        );
    }
}

/// Reports errors that do not depend on the formats.
pub(super) fn request(request: &TextDecl, kernel: &Kernel, errors: &mut Diagnostics) {
    let language = language(&request.language, errors);
    let names: Vec<&str> = inputs(kernel)
        .map(|number| kernel.operands[number].name.as_str())
        .collect();
    for (at, operand) in request.operands.iter().enumerate() {
        let Some(name) = &operand.name else { continue };
        let before = request.operands[..at]
            .iter()
            .any(|before| before.name.as_ref() == Some(name));
        if before {
            errors.error(
                name,
                format!("`{name}` already has a format\nhelp: write one format for each operand"),
            );
        } else if !names.contains(&name.to_string().as_str()) {
            errors.error(name, no_sparse_input(&name.to_string(), &names, kernel));
        }
    }
    let is_given = |name: &&str| {
        let is = |operand: &TextOperand| operand.name.as_ref().is_none_or(|given| given == *name);
        request.operands.iter().any(is)
    };
    let missing: Vec<&str> = names.iter().copied().filter(|name| !is_given(name)).collect();
    if !missing.is_empty() {
        let example: Vec<String> = names.iter().map(|name| format!("{name}: Csr<f64>")).collect();
        let (format, is) = if missing.len() == 1 {
            ("format", "is")
        } else {
            ("formats", "are")
        };
        errors.error(
            last_of(&request.kernel),
            format!(
                "the {format} of {} {is} missing\nhelp: write `kernel_text!({}, {}, {})`",
                list(missing.iter().copied()),
                request.language,
                kernel.name,
                example.join(", ")
            ),
        );
    }
    if let Some(language) = language.filter(|language| language.is_typed()) {
        elements(request, kernel, language, errors);
    }
}

fn language(written: &Ident, errors: &mut Diagnostics) -> Option<Language> {
    let name = written.to_string();
    let language = Language::parse(&name);
    if language.is_none() {
        errors.error(
            written,
            match name.as_str() {
                "hls" => "`hls` needs a feature of `unisparse`\nhelp: enable its feature `hls`, or write `loops`, `c` or `cuda`".to_owned(),
                _ => {
                    let near = did_you_mean(&name, ["loops", "c", "cuda", "hls"]);
                    let help = if near.is_empty() {
                        "\nhelp: write `loops`, `c`, `cuda` or `hls`"
                    } else {
                        &near
                    };
                    format!("unknown text `{name}`{help}")
                }
            },
        );
    }
    language
}

fn no_sparse_input(name: &str, names: &[&str], kernel: &Kernel) -> String {
    let (formats, own) = (list(names.iter().copied()), &kernel.name);
    let are = if names.len() == 1 { "operand is" } else { "operands are" };
    match kernel.operands.iter().position(|operand| operand.name == name) {
        Some(0) if kernel.output_kind() == OperandKind::Sparse => format!(
            "`{name}` is the result of `{own}`, whose loops are the same for every format of it\nhelp: leave it out; the sparse {are} {formats}"
        ),
        Some(number) => {
            let kind = match kernel.operands[number].kind {
                OperandKind::Scalar => "a scalar",
                _ => "dense",
            };
            format!("`{name}` is {kind} in `{own}`\nhelp: leave it out; the sparse {are} {formats}")
        }
        None => {
            let near = did_you_mean(name, names.iter().copied());
            let help = if near.is_empty() {
                format!("\nhelp: the sparse {are} {formats}")
            } else {
                near
            };
            format!("`{name}` is not an operand of `{own}`{help}")
        }
    }
}

/// Reports element types that C and CUDA do not support, or that differ between operands.
fn elements(request: &TextDecl, kernel: &Kernel, language: Language, errors: &mut Diagnostics) {
    let supported = Element::ALL.into_iter().filter(|element| language.has(*element));
    let supported: Vec<&str> = supported.map(|element| element.name).collect();
    let text = language.name();
    let mut first: Option<&TokenStream> = None;
    for operand in &request.operands {
        let Some(element) = &operand.element else {
            let last = operand.format.name();
            let format = last.map(ToString::to_string).unwrap_or_default();
            errors.error(
                last,
                format!(
                    "the element type of `{format}` is missing, which {text} needs\nhelp: write `{format}<f64>`, with the const arguments after it"
                ),
            );
            continue;
        };
        let name = element.to_string();
        match first {
            None => first = Some(element),
            Some(first) if first.to_string() == name => continue,
            Some(first) => {
                errors.error(
                    element,
                    format!(
                        "a {text} function has one element type, and `{first}` was written before\nhelp: write `{first}`"
                    ),
                );
                continue;
            }
        }
        match Element::parse(&name).filter(|element| language.has(*element)) {
            None => errors.error(
                element,
                format!(
                    "{text} text has no element type `{name}`\nhelp: write one of {}",
                    supported.join(", ")
                ),
            ),
            Some(c) if c.is_complex() && matches!(kernel.reduction, Reduction::Min | Reduction::Max) => errors.error(
                element,
                format!(
                    "`{}` compares its terms, but `{name}` has no order\nhelp: write an element type of real numbers, such as `f64`",
                    kernel.name
                ),
            ),
            Some(_) => {}
        }
    }
}

/// Reports a format that does not fit the input. Returns its const arguments as numbers.
pub(super) fn format(
    kernel: &Kernel,
    number: usize,
    operand: &Operand,
    written: &TextOperand,
    errors: &mut Diagnostics,
) -> Vec<String> {
    let (last, input) = (written.format.name(), &kernel.operands[number]);
    if input.rank != operand.dims {
        errors.error(
            last,
            format!(
                "`{}` has {}, the operand `{}` has {}\nhelp: write a format of {}",
                operand.name,
                counted(operand.dims, "dim", "dims"),
                input.name,
                counted(input.rank, "index", "indices"),
                counted(input.rank, "dim", "dims"),
            ),
        );
    }
    let (arguments, taken) = (&written.format.arguments, operand.parameters.len());
    if !arguments.is_empty() && arguments.len() != taken {
        errors.error(
            last,
            format!(
                "`{}` takes {}, found {}\nhelp: give all of them after the element type, or none for a text for all values",
                operand.name,
                counted(taken, "const argument", "const arguments"),
                arguments.len()
            ),
        );
    }
    arguments
        .iter()
        .filter_map(|argument| constant(argument, errors))
        .collect()
}

/// Returns a const argument, which a text shows as a number.
fn constant(argument: &TokenStream, errors: &mut Diagnostics) -> Option<String> {
    match syn::parse2::<LitInt>(argument.clone()) {
        Ok(literal) if literal.base10_digits() == "0" => {
            errors.error(
                argument,
                "a const parameter is at least 1\nhelp: write a positive integer",
            );
            None
        }
        Ok(literal) => Some(literal.base10_digits().to_owned()),
        Err(_) => {
            let shown = argument.to_token_stream();
            errors.error(
                argument,
                format!(
                    "a text takes integer literals as const arguments, found `{shown}`\nhelp: write a number, or leave all of them out for a text for all values"
                ),
            );
            None
        }
    }
}

fn last_of(path: &Path) -> Option<&Ident> {
    path.segments.last().map(|segment| &segment.ident)
}
