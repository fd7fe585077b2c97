//! Expands `kernel_text!` and the loops in the documentation of kernels: the text of a kernel over one choice of
//! formats.
//!
//! The declarations of the kernel and of its formats come from their carriers, as in `sparse_kernel!`.

mod check;
mod choice;
mod function;

#[cfg(feature = "hls")]
pub(super) use function::design;
pub(super) use function::device;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Path, braced};

use super::invocation::Invocation;
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::emit::c::Element;
use crate::compiler::emit::cuda;
#[cfg(feature = "hls")]
use crate::compiler::emit::hls;
use crate::compiler::kernel::{self, Kernel};
use crate::compiler::operand::Operand;
use crate::compiler::syntax::kernel::{FormatUse, KernelDecl, TextDecl, TextOperand};
use crate::compiler::transport::{self, Answers, Declared, DeclaredKind, Runtime, same_declaration};
use choice::Choice;

const JOIN: &str = "__kernel_text_join";
const RESUME: &str = "__kernel_text_resume";

/// The kind of text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    /// Loops as pseudo-code.
    Loops,
    C,
    /// C with a description of the function's parameters, for tests.
    Function,
    Cuda,
    /// CUDA with a description of the parameters and the launches, for tests.
    Device,
    /// C++ for high-level synthesis.
    #[cfg(feature = "hls")]
    Hls,
    /// The data of `pim_kernel!`, for the part of a partitioned format.
    Cores,
    /// A section of the documentation.
    Documentation,
}

impl Language {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "loops" => Some(Language::Loops),
            "c" => Some(Language::C),
            "function" => Some(Language::Function),
            "cuda" => Some(Language::Cuda),
            "device" => Some(Language::Device),
            #[cfg(feature = "hls")]
            "hls" => Some(Language::Hls),
            "cores" => Some(Language::Cores),
            "documentation" => Some(Language::Documentation),
            _ => None,
        }
    }

    /// Whether the text is for one element type.
    fn is_typed(self) -> bool {
        !matches!(self, Language::Loops | Language::Documentation | Language::Cores)
    }

    /// Whether there is text for elements of this type.
    fn has(self, element: Element) -> bool {
        match self {
            Language::Cuda | Language::Device => cuda::has(element),
            #[cfg(feature = "hls")]
            Language::Hls => hls::has(element),
            _ => true,
        }
    }

    /// Returns the name of the language, as in messages.
    fn name(self) -> &'static str {
        match self {
            Language::Cuda | Language::Device => "CUDA",
            #[cfg(feature = "hls")]
            Language::Hls => "HLS",
            _ => "C",
        }
    }
}

/// Expands `kernel_text!(loops, spmv, A: Csr<f64>)`, which requests the kernel's declaration from its carrier.
pub(crate) fn kernel_text(tokens: TokenStream) -> TokenStream {
    let parsed = syn::parse2::<Invocation>(tokens).and_then(|Invocation { runtime, tokens }| {
        let request: TextDecl = syn::parse2(tokens)?;
        Ok((runtime, request))
    });
    match parsed {
        Ok((runtime, request)) => {
            let kernel = std::slice::from_ref(&request.kernel);
            transport::request(kernel, &runtime, JOIN, &request.to_token_stream())
        }
        Err(error) => error.to_compile_error(),
    }
}

/// Expands the next step, where the kernel is known: requests the declarations of its formats from their carriers.
pub(crate) fn kernel_text_join(tokens: TokenStream) -> TokenStream {
    join(tokens).unwrap_or_else(|error| error.to_compile_error())
}

fn join(tokens: TokenStream) -> syn::Result<TokenStream> {
    let answers: Answers = syn::parse2(tokens)?;
    let request: TextDecl = syn::parse2(answers.request.clone())?;
    let payload = answers.payloads.first().cloned().unwrap_or_default();
    // A kernel with errors has reported them itself.
    let Ok(declared) = syn::parse2::<Declared>(payload) else {
        return Ok(quote!(""));
    };
    let mut errors = Diagnostics::default();
    let DeclaredKind::Kernel { declaration, .. } = declared.kind else {
        check::refuse_format(&request.kernel, &mut errors);
        return Ok(errors_in_place(errors));
    };
    let Some(kernel) = kernel::check(&declaration, &mut Diagnostics::default()) else {
        return Ok(quote!(""));
    };
    check::request(&request, &kernel, &mut errors);
    if !errors.is_empty() {
        return Ok(errors_in_place(errors));
    }
    Ok(request_formats(&request, &declaration, &answers.runtime))
}

/// Requests the formats of a request whose kernel is known.
fn request_formats(request: &TextDecl, declaration: &KernelDecl, runtime: &Runtime) -> TokenStream {
    let mut paths: BTreeMap<String, Path> = BTreeMap::new();
    for operand in &request.operands {
        paths.insert(text(&operand.format.path), operand.format.path.clone());
    }
    let paths: Vec<Path> = paths.into_values().collect();
    let tokens = &declaration.tokens;
    transport::request(&paths, runtime, RESUME, &quote!({#request} {#tokens;}))
}

/// Returns the request for a section of a kernel's documentation: its loops over the first format of each sparse input,
/// or over a stock format if none is listed.
pub(crate) fn documentation(declaration: &KernelDecl, kernel: &Kernel, runtime: &Runtime) -> Option<TokenStream> {
    let mut operands = Vec::new();
    for number in inputs(kernel) {
        let operand = &kernel.operands[number];
        let listed = declaration.sparse.iter().find(|listed| listed.name == operand.name);
        let format = match listed.and_then(|listed| listed.formats.first()) {
            Some(format) => format.clone(),
            None => {
                let name = match operand.rank {
                    2 => quote!(Csr),
                    3 => quote!(Csf),
                    _ => return None,
                };
                let runtime = runtime.at(declaration.name.span());
                FormatUse {
                    path: syn::parse2(quote!(#runtime::formats::#name)).ok()?,
                    arguments: Vec::new(),
                }
            }
        };
        operands.push(TextOperand {
            name: listed.map(|listed| listed.name.clone()),
            element: None,
            format,
        });
    }
    let request = TextDecl {
        language: Ident::new("documentation", Span::call_site()),
        kernel: Path::from(declaration.name.clone()),
        operands,
    };
    Some(request_formats(&request, declaration, runtime))
}

/// Returns the sparse inputs of a kernel, in order of appearance.
fn inputs(kernel: &Kernel) -> impl Iterator<Item = usize> + '_ {
    (1..kernel.operands.len()).filter(|number| kernel.sparse().any(|sparse| sparse == *number))
}

/// Returns the operand of a request for this input. An operand named `_` is the only one.
fn of_input<'a>(request: &'a TextDecl, kernel: &Kernel, number: usize) -> Option<&'a TextOperand> {
    let is = |operand: &&TextOperand| match &operand.name {
        Some(name) => *name == kernel.operands[number].name,
        None => true,
    };
    request.operands.iter().find(is)
}

fn text(path: &Path) -> String {
    path.to_token_stream().to_string()
}

/// Returns errors where an expression is expected.
fn errors_in_place(errors: Diagnostics) -> TokenStream {
    let errors = errors.into_tokens();
    quote!({ #errors "" })
}

/// A request whose kernel is known.
struct Known {
    request: TextDecl,
    declaration: KernelDecl,
}

impl Parse for Known {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (request, declaration);
        braced!(request in input);
        braced!(declaration in input);
        Ok(Known {
            request: request.parse()?,
            declaration: declaration.parse()?,
        })
    }
}

/// Expands the last step, where all declarations are known, to the text.
pub(crate) fn kernel_text_resume(tokens: TokenStream) -> TokenStream {
    resume(tokens).unwrap_or_else(|error| error.to_compile_error())
}

/// An input with the declaration of its format.
struct Input<'a> {
    number: usize,
    written: &'a TextOperand,
    operand: Operand,
    arguments: Vec<String>,
}

fn resume(tokens: TokenStream) -> syn::Result<TokenStream> {
    let answers: Answers = syn::parse2(tokens)?;
    if let Some(request) = answers.request_next(RESUME) {
        return Ok(request);
    }
    let Known { request, declaration } = syn::parse2(answers.request.clone())?;
    let Some(kernel) = kernel::check(&declaration, &mut Diagnostics::default()) else {
        return Ok(nothing());
    };
    Ok(match known_inputs(&request, &kernel, answers.payloads) {
        Ok((inputs, same)) => Choice {
            request: &request,
            kernel: &kernel,
            inputs: &inputs,
            same,
            runtime: answers.runtime.at(request.language.span()),
        }
        .print(),
        Err(instead) => instead,
    })
}

/// The expansion where an error is reported elsewhere: an empty text.
fn nothing() -> TokenStream {
    quote!("")
}

/// Returns the inputs with the declarations of their formats, and assertions that types and macros come from the same declarations; or
/// what the invocation expands to instead, if there are errors.
fn known_inputs<'a>(
    request: &'a TextDecl,
    kernel: &Kernel,
    payloads: Vec<TokenStream>,
) -> Result<(Vec<Input<'a>>, TokenStream), TokenStream> {
    // The formats were requested once each, in the order of their paths.
    let paths: BTreeSet<String> = request
        .operands
        .iter()
        .map(|operand| text(&operand.format.path))
        .collect();
    let payloads: BTreeMap<String, TokenStream> = paths.into_iter().zip(payloads).collect();
    let (mut errors, mut inputs_known, mut same) = (Diagnostics::default(), Vec::new(), TokenStream::new());
    let numbers: Vec<usize> = inputs(kernel).collect();
    for &number in &numbers {
        let Some(written) = of_input(request, kernel, number) else {
            continue;
        };
        // A format with errors has reported them itself.
        let declared = syn::parse2::<Declared>(payloads[&text(&written.format.path)].clone()).map_err(|_| nothing())?;
        let id = declared.id.clone();
        if let DeclaredKind::Kernel { .. } = declared.kind {
            check::refuse_kernel(written, &mut errors);
            continue;
        }
        let mut operand = Operand::new(declared.kind).ok_or_else(nothing)?;
        let arguments = check::format(kernel, number, &operand, written, &mut errors);
        #[cfg(feature = "hls")]
        if request.language == "hls" {
            check::complete(&operand, &arguments, written, &mut errors);
        }
        if request.language == "cores" {
            check::partitioned(&operand, &arguments, written, &mut errors);
            operand = operand.into_part();
        }
        same.extend(same_declaration(
            &written.format.path,
            operand.parameters.len(),
            &operand.name,
            &id,
        ));
        if numbers.len() > 1 {
            // Operands of one format have equal parameter names.
            operand.hide_parameters(&format!("{}_", kernel.operands[number].name));
        }
        inputs_known.push(Input {
            number,
            written,
            operand,
            arguments,
        });
    }
    if errors.is_empty() {
        Ok((inputs_known, same))
    } else {
        Err(errors_in_place(errors))
    }
}
