//! Expands kernel statements, with the declarations of their formats.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{LitInt, Path};

use super::invocation::Invocation;
use super::request::{RESUME, Request, distinct, text};
use super::text::documentation;
use super::{device, hardware, join, stub};
use crate::compiler::diagnostics::{Diagnostics, counted};
use crate::compiler::emit::rust::Names;
use crate::compiler::emit::rust::format::cfgs_in;
use crate::compiler::emit::rust::kernel::{Declaration, Documented, Implementation, SparseOperand};
use crate::compiler::kernel::{self, Kernel};
use crate::compiler::lower::{Target, lower};
use crate::compiler::operand::Operand;
use crate::compiler::syntax::kernel::{self as syntax, FormatUse, KernelDecl};
use crate::compiler::transport::{self, Answers, Declared, DeclaredKind, Runtime, same_declaration};

/// Expands `sparse_kernel! { .. }`.
pub(crate) fn sparse_kernel(tokens: TokenStream) -> TokenStream {
    let Invocation { runtime, tokens } = match syn::parse2(tokens) {
        Ok(invocation) => invocation,
        Err(error) => return error.to_compile_error(),
    };
    syntax::split(tokens)
        .into_iter()
        .map(|statement| {
            if syntax::is_implement(&statement) {
                join::item(statement, &runtime)
            } else {
                item(statement, &runtime)
            }
        })
        .collect()
}

/// Expands the first half of a kernel: its trait and function, and a request for the declarations of its formats.
fn item(tokens: TokenStream, runtime: &Runtime) -> TokenStream {
    let declaration: KernelDecl = match syn::parse2(tokens) {
        Ok(declaration) => declaration,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Diagnostics::default();
    let Some(kernel) = kernel::check(&declaration, &mut errors) else {
        return stub::kernel(&declaration, errors);
    };
    device::check(&declaration, &kernel, &mut errors);
    hardware::check(&declaration, &kernel, &mut errors);
    if !errors.is_empty() {
        return stub::kernel(&declaration, errors);
    }
    let documented = Documented {
        loops: documentation(&declaration, &kernel, runtime),
        is_stock: false,
    };
    let definition = Declaration::new(&declaration, &kernel, documented, runtime).print();
    let (name, tokens) = (&declaration.name, &declaration.tokens);
    let cfg = cfgs_in(&declaration.attributes);
    let id = transport::id(name, tokens);
    let payload = quote!(#id #tokens;);
    let carrier = transport::carrier("a kernel", name, &declaration.visibility, &cfg, &payload);
    let request = Request {
        path: Path::from(name.clone()),
        origin: transport::origin().unwrap_or_default(),
        listed: listed(&declaration, &kernel, runtime),
        declaration,
    };
    let requests = request.send(&kernel, &cfg, runtime);
    quote!(#definition #carrier #requests)
}

/// Returns the formats of each operand; `*` stands for a stock format, to which tensors in others are converted.
fn listed(declaration: &KernelDecl, kernel: &Kernel, runtime: &Runtime) -> Vec<syntax::SparseOperand> {
    let mut listed = declaration.sparse.clone();
    for operand in listed.iter_mut().filter(|operand| operand.every.is_some()) {
        let rank = kernel
            .operands
            .iter()
            .find(|of| operand.name == of.name)
            .map_or(0, |of| of.rank);
        let runtime = runtime.at(operand.name.span());
        let name = kernel::stock::converted_to(rank).map(|name| Ident::new(name, operand.name.span()));
        let path = name.and_then(|name| syn::parse2(quote!(#runtime::formats::#name)).ok());
        operand.formats.extend(path.map(|path| FormatUse {
            path,
            arguments: Vec::new(),
        }));
    }
    listed
}

/// Expands the second half of a kernel: its statement, with the declarations of formats.
pub(crate) fn kernel_resume(tokens: TokenStream) -> TokenStream {
    let answers: Answers = match syn::parse2(tokens) {
        Ok(answers) => answers,
        Err(error) => return error.to_compile_error(),
    };
    if let Some(request) = answers.request_next(RESUME) {
        return request;
    }
    let request: Request = match syn::parse2(answers.request.clone()) {
        Ok(request) => request,
        Err(error) => return error.to_compile_error(),
    };
    // The statement was checked before the request, and the formats when they were declared.
    let Some(kernel) = kernel::check(&request.declaration, &mut Diagnostics::default()) else {
        return TokenStream::new();
    };
    let mut errors = Diagnostics::default();
    let candidates = candidates(&request, &kernel, answers.payloads, &mut errors);
    let converted: Vec<usize> = kernel
        .sparse()
        .zip(&request.listed)
        .filter(|(_, listed)| listed.every.is_some())
        .map(|(number, _)| number)
        .collect();
    check_parameters(&candidates, &converted, &mut errors);
    check_origin(&request, &candidates, &mut errors);
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    let names = Names::new(last_of(&request.path).map_or_else(|| request.declaration.name.span(), Ident::span));
    let (path, runtime) = (&request.path, answers.runtime.at(names.span()));
    let same = candidates.iter().flatten().map(|candidate| {
        let Candidate {
            written, operand, id, ..
        } = candidate;
        same_declaration(&written.path, operand.parameters.len(), &operand.name, id)
    });
    let implementations = grouped(combinations(&candidates), &converted)
        .into_iter()
        .map(|mut group| {
            let last = group.pop().unwrap_or_default();
            let operands: Vec<SparseOperand<'_>> = last.into_iter().map(Candidate::operand).collect();
            let before = group.into_iter().map(|combination| {
                let operands: Vec<SparseOperand<'_>> = combination.into_iter().map(Candidate::operand).collect();
                (
                    lower(&kernel, &SparseOperand::inputs(&operands), &Target::RUST),
                    operands,
                )
            });
            let device = device::kernels(
                &request.declaration,
                &kernel,
                &SparseOperand::inputs(&operands),
                &runtime,
            );
            let device = device.unwrap_or_else(|reason| {
                device::refuse(&request.declaration, &kernel, &reason, &mut errors);
                None
            });
            let hardware = hardware::design(
                &request.declaration,
                &kernel,
                &SparseOperand::inputs(&operands),
                &runtime,
            );
            let hardware = hardware.unwrap_or_else(|reason| {
                hardware::refuse(&request.declaration, &kernel, &reason, &mut errors);
                Some(hardware::refused(&runtime))
            });
            Implementation {
                program: lower(&kernel, &SparseOperand::inputs(&operands), &Target::RUST),
                operands,
                path: path.to_token_stream(),
                names,
                runtime: runtime.clone(),
                cfg: TokenStream::new(),
                device,
                hardware,
                converted: converted.clone(),
                before: before.collect(),
            }
            .print()
        });
    let implementations: TokenStream = implementations.collect();
    let errors = errors.into_tokens();
    quote!(#(#same)* #implementations #errors)
}

/// Returns the formats of each sparse operand of a request, with the declarations that answer it, in the order of the paths.
fn candidates<'a>(
    request: &'a Request,
    kernel: &Kernel,
    answers: Vec<TokenStream>,
    errors: &mut Diagnostics,
) -> Vec<Vec<Candidate<'a>>> {
    let paths = distinct(request.listed.iter());
    let payloads: BTreeMap<String, TokenStream> = paths.iter().map(text).zip(answers).collect();
    let mut candidates = Vec::new();
    for (number, operand) in kernel.sparse().zip(&request.listed) {
        if number == 0 && operand.formats.is_empty() {
            continue;
        }
        let mut of_operand = Vec::new();
        for format in &operand.formats {
            let payload = payloads.get(&text(&format.path)).cloned().unwrap_or_default();
            // The stand-in of a format with errors answers every call.
            let Ok(declared) = syn::parse2::<Declared>(payload) else {
                continue;
            };
            of_operand.extend(candidate(kernel, number, format, declared, errors));
        }
        candidates.push(of_operand);
    }
    candidates
}

/// A format that an operand may have.
struct Candidate<'a> {
    number: usize,
    written: &'a FormatUse,
    operand: Operand,
    id: LitInt,
    /// The crate that declares the format; empty if unknown.
    origin: String,
}

impl Candidate<'_> {
    fn operand(&self) -> SparseOperand<'_> {
        SparseOperand {
            number: self.number,
            operand: &self.operand,
            path: self.written.path.to_token_stream(),
            arguments: &self.written.arguments,
        }
    }
}

/// Returns a format that an operand may have, if it fits.
fn candidate<'a>(
    kernel: &Kernel,
    number: usize,
    written: &'a FormatUse,
    declared: Declared,
    errors: &mut Diagnostics,
) -> Option<Candidate<'a>> {
    if let DeclaredKind::Kernel { declaration, .. } = &declared.kind {
        refuse_kernel(written, declaration, errors);
        return None;
    }
    let mut operand = Operand::new(declared.kind)?;
    let mut found = Diagnostics::default();
    check_use(kernel, number, &operand, written, &mut found);
    let fits = found.is_empty();
    errors.absorb(found);
    let alone = kernel.others().next().is_none();
    if !alone {
        // Operands of one format have equal parameter names.
        let name = kernel.operands[number].name.trim_start_matches("r#").to_uppercase();
        operand.hide_parameters(&format!("{name}_"));
    } else if !written.arguments.is_empty() {
        // The arguments are the user's expressions, which the names of parameters must not capture.
        operand.hide_parameters("");
    }
    fits.then_some(Candidate {
        number,
        written,
        operand,
        id: declared.id,
        origin: declared.origin,
    })
}

/// Reports a kernel of another crate that is implemented for foreign formats only. The compiler would report this too,
/// but without the help.
fn check_origin(request: &Request, candidates: &[Vec<Candidate<'_>>], errors: &mut Diagnostics) {
    let Some(here) = transport::origin().filter(|here| *here != request.origin) else {
        return;
    };
    let may_be_here = |candidate: &Candidate<'_>| candidate.origin.is_empty() || candidate.origin == here;
    let Some(first) = candidates.iter().flatten().next() else {
        return;
    };
    // Any format of another operand may be the one declared in this crate.
    let alone = !candidates[1..].iter().flatten().any(may_be_here);
    if alone && !request.origin.is_empty() && !may_be_here(first) {
        errors.error(
            first.written.name(),
            format!(
                "neither the kernel `{}` nor `{}` is declared in this crate, so it cannot join them\nhelp: declare the kernel in this crate: its statement can list any format",
                request.declaration.name, first.operand.name
            ),
        );
    }
}

/// Returns all combinations of one item from each list.
fn combinations<'a, T>(candidates: &'a [Vec<T>]) -> Vec<Vec<&'a T>> {
    candidates.iter().fold(vec![Vec::new()], |shorter, next| {
        let longer = shorter.iter().flat_map(|chosen: &Vec<&'a T>| {
            next.iter().map(|candidate| {
                let mut chosen = chosen.clone();
                chosen.push(candidate);
                chosen
            })
        });
        longer.collect()
    })
}

/// Returns the combinations that one implementation serves: those that differ in the formats of converted operands only. The
/// last of each is the one that others are converted to.
fn grouped<'a>(combinations: Vec<Vec<&'a Candidate<'a>>>, converted: &[usize]) -> Vec<Vec<Vec<&'a Candidate<'a>>>> {
    let mut groups: Vec<(Vec<String>, Vec<Vec<&Candidate<'_>>>)> = Vec::new();
    for combination in combinations {
        let fixed = combination
            .iter()
            .filter(|candidate| !converted.contains(&candidate.number));
        let fixed: Vec<String> = fixed.map(|candidate| candidate.written.text()).collect();
        match groups.iter_mut().find(|(of, _)| *of == fixed) {
            Some((_, group)) => group.push(combination),
            None => groups.push((fixed, vec![combination])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Reports formats before `*` that are listed for all values of their parameters: a tensor has one type.
fn check_parameters(candidates: &[Vec<Candidate<'_>>], converted: &[usize], errors: &mut Diagnostics) {
    for candidate in candidates.iter().flatten() {
        let Candidate {
            number,
            written,
            operand,
            ..
        } = candidate;
        if converted.contains(number) && written.arguments.is_empty() && !operand.parameters.is_empty() {
            errors.error(
                written.name(),
                format!(
                    "before `*`, a format has its {}\nhelp: write numbers, `{}<{}>`",
                    counted(operand.parameters.len(), "const argument", "const arguments"),
                    operand.name,
                    vec!["2"; operand.parameters.len()].join(", ")
                ),
            );
        }
    }
}

/// Reports a kernel that is listed as a format.
pub(super) fn refuse_kernel(written: &FormatUse, kernel: &KernelDecl, errors: &mut Diagnostics) {
    errors.error(
        written.name(),
        format!(
            "`{}` is a kernel, not a format\nhelp: list a format, `Csr`",
            kernel.name
        ),
    );
}

/// Reports a format that does not fit the operand for which it is listed.
fn check_use(kernel: &Kernel, number: usize, operand: &Operand, written: &FormatUse, errors: &mut Diagnostics) {
    let last = written.name();
    let listed = &kernel.operands[number];
    let (rank, dims) = (listed.rank, operand.dims);
    if rank != dims {
        errors.error(
            last,
            format!(
                "`{}` has {}, the operand `{}` has {}\nhelp: list formats of {}",
                operand.name,
                counted(dims, "dim", "dims"),
                listed.name,
                counted(rank, "index", "indices"),
                counted(rank, "dim", "dims"),
            ),
        );
    }
    let (given, taken) = (written.arguments.len(), operand.parameters.len());
    if given != 0 && given != taken {
        errors.error(
            last,
            format!(
                "`{}` takes {}, found {given}\nhelp: give all of them, or none to implement it for all values; leave out the element type",
                operand.name,
                counted(taken, "const argument", "const arguments")
            ),
        );
    }
    for argument in &written.arguments {
        let literal = syn::parse2::<LitInt>(argument.clone());
        if literal.is_ok_and(|literal| literal.base10_digits() == "0") {
            errors.error(
                argument,
                "a const parameter is at least 1\nhelp: write a positive integer",
            );
        }
    }
    if number == 0 && operand.is_part() {
        errors.error(
            last,
            format!(
                "`{}` is one part of a tensor: no kernel returns a single part\nhelp: return the whole, and take its `parts()`",
                operand.name
            ),
        );
    }
}

fn last_of(path: &Path) -> Option<&Ident> {
    path.segments.last().map(|segment| &segment.ident)
}
