//! Expands statements by which formats join a kernel.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::request::Request;
use crate::compiler::diagnostics::{Diagnostics, did_you_mean, list};
use crate::compiler::emit::rust::format::cfgs_in;
use crate::compiler::kernel::{self, Kernel, check_formats};
use crate::compiler::syntax::kernel::{ImplementDecl, JoinedFormats, SparseOperand};
use crate::compiler::transport::{self, Answers, Declared, DeclaredKind, Runtime};

const JOIN: &str = "__sparse_kernel_join";

/// Expands the first half of `impl spmv for Dcsr;`, which requests the kernel's declaration.
pub(super) fn item(tokens: TokenStream, runtime: &Runtime) -> TokenStream {
    let declaration: ImplementDecl = match syn::parse2(tokens) {
        Ok(declaration) => declaration,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Diagnostics::default();
    check_formats(declaration.listed(), &mut errors);
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    let cfg = cfgs_in(&declaration.attributes);
    let path = std::slice::from_ref(&declaration.kernel);
    let question = transport::request(path, runtime, JOIN, &declaration.to_token_stream());
    quote!(#cfg #question)
}

/// Expands the second half, where the kernel is known: requests the declarations of the formats, as the kernel itself
/// does.
pub(crate) fn kernel_join(tokens: TokenStream) -> TokenStream {
    let resumed = syn::parse2::<Answers>(tokens).and_then(|answers| {
        let declaration: ImplementDecl = syn::parse2(answers.request)?;
        Ok((answers.runtime, answers.payloads.into_iter().next(), declaration))
    });
    let (runtime, payload, statement) = match resumed {
        Ok(resumed) => resumed,
        Err(error) => return error.to_compile_error(),
    };
    // A kernel with errors has reported them itself.
    let Some(Ok(declared)) = payload.map(syn::parse2::<Declared>) else {
        return TokenStream::new();
    };
    let written = statement.kernel.segments.last().map(|segment| &segment.ident);
    let mut errors = Diagnostics::default();
    let DeclaredKind::Kernel { declaration, is_stock } = declared.kind else {
        let name = written.map(ToString::to_string).unwrap_or_default();
        errors.error(
            written,
            format!("`{name}` is a format, not a kernel\nhelp: write `impl spmv for {name};`"),
        );
        return errors.into_tokens();
    };
    let Some(kernel) = kernel::check(&declaration, &mut Diagnostics::default()) else {
        return TokenStream::new();
    };
    if is_stock {
        errors.error(
            written,
            format!(
                "every format of {} dims already has the kernel `{}`\nhelp: leave the statement out",
                kernel.operands[kernel.implementor()].rank,
                kernel.name
            ),
        );
        return errors.into_tokens();
    }
    if declaration.sparse.iter().any(|operand| operand.every.is_some()) {
        errors.error(
            written,
            format!(
                "every format has the kernel `{}`: its statement says `*`\nhelp: leave this out, or list the format there, before `*`",
                kernel.name
            ),
        );
        return errors.into_tokens();
    }
    let listed = listed_for(&kernel, &statement, &mut errors);
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    let request = Request {
        path: statement.kernel,
        origin: declared.origin,
        listed,
        declaration: *declaration,
    };
    request.send(&kernel, &TokenStream::new(), &runtime)
}

/// Returns the formats of each sparse operand.
fn listed_for(kernel: &Kernel, statement: &ImplementDecl, errors: &mut Diagnostics) -> Vec<SparseOperand> {
    let names: Vec<&str> = kernel
        .sparse()
        .map(|number| kernel.operands[number].name.as_str())
        .collect();
    let written = statement.kernel.segments.last().map(|segment| &segment.ident);
    let example = || {
        let operands: Vec<String> = names.iter().map(|name| format!("{name}: Csr")).collect();
        format!("write `impl {} for {};`", kernel.name, operands.join(", "))
    };
    match &statement.formats {
        JoinedFormats::Only(formats) => {
            if names.len() > 1 {
                errors.error(
                    written,
                    format!(
                        "`{}` has {} sparse operands, {}\nhelp: {}",
                        kernel.name,
                        names.len(),
                        list(names.iter().copied()),
                        example()
                    ),
                );
            }
            let name = names.first().map_or_else(String::new, ToString::to_string);
            vec![SparseOperand {
                name: Ident::new(&name, proc_macro2::Span::call_site()),
                formats: formats.clone(),
                every: None,
            }]
        }
        JoinedFormats::Each(operands) => {
            for (at, operand) in operands.iter().enumerate() {
                let name = operand.name.to_string();
                if operands[..at].iter().any(|before| before.name == operand.name) {
                    errors.error(
                        &operand.name,
                        format!(
                            "the formats of `{name}` are already listed\nhelp: write one list, `{name}: Csr | Dia`"
                        ),
                    );
                } else if !names.contains(&name.as_str()) {
                    let suggestion = did_you_mean(&name, names.iter().copied());
                    let help = if suggestion.is_empty() {
                        format!("\nhelp: its sparse operands are {}", list(names.iter().copied()))
                    } else {
                        suggestion
                    };
                    errors.error(
                        &operand.name,
                        format!("`{name}` is not a sparse operand of `{}`{help}", kernel.name),
                    );
                }
            }
            let given = |name: &&str| operands.iter().any(|operand| operand.name == *name);
            let missing: Vec<&str> = names.iter().copied().filter(|name| !given(name)).collect();
            if !missing.is_empty() {
                errors.error(
                    written,
                    format!(
                        "the formats of {} are not listed\nhelp: {}",
                        list(missing.iter().copied()),
                        example()
                    ),
                );
            }
            operands.clone()
        }
    }
}
