//! A kernel over one choice of formats as C: the declarations are asked for as `sparse_kernel!` asks for them.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, Path, braced};

use super::diagnostics::Diagnostics;
use super::emit::c::{Dialect, Element, Function, Member, MemberKind, ParameterKind, Source, Sparse};
use super::emit::rust::print::count;
use super::front::Invocation;
use super::kernel::{self, Kernel};
use super::lower::{Target, lower};
use super::operand::Operand;
use super::syntax::kernel::{FormatUse, ImplementDecl, JoinedFormats, KernelDecl};
use super::transport::{self, Answers, Declared, DeclaredKind};

const JOIN: &str = "__kernel_c_join";
const RESUME: &str = "__kernel_c_resume";

/// `f64 impl spgemm for A: Csr, B: Dia;`: one format for each sparse input.
struct Request {
    element: Ident,
    statement: ImplementDecl,
}

impl Parse for Request {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Request {
            element: input.parse()?,
            statement: input.parse()?,
        })
    }
}

impl ToTokens for Request {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.element.to_tokens(tokens);
        self.statement.to_tokens(tokens);
    }
}

impl Request {
    /// The format of each sparse input, by number in [`Kernel::operands`].
    fn formats(&self, kernel: &Kernel) -> syn::Result<Vec<(usize, &FormatUse)>> {
        let inputs = (1..kernel.operands.len()).filter(|number| kernel.sparse().any(|sparse| sparse == *number));
        let format = |number: usize| {
            let name = &kernel.operands[number].name;
            let listed = match &self.statement.formats {
                JoinedFormats::Only(formats) => Some(formats),
                JoinedFormats::Each(operands) => {
                    let operand = operands.iter().find(|operand| operand.name == name);
                    operand.map(|operand| &operand.formats)
                }
            };
            match listed.map(Vec::as_slice) {
                Some([format]) => Ok((number, format)),
                _ => Err(syn::Error::new_spanned(
                    &self.statement.kernel,
                    format!("a function is for one format of `{name}`\nhelp: write `{name}: Csr`"),
                )),
            }
        };
        inputs.map(format).collect()
    }
}

/// The kernel's declaration is asked for.
pub(crate) fn kernel_c(tokens: TokenStream) -> TokenStream {
    let parsed = syn::parse2::<Invocation>(tokens).and_then(|Invocation { runtime, tokens }| {
        let request: Request = syn::parse2(tokens)?;
        Ok((runtime, request))
    });
    match parsed {
        Ok((runtime, request)) => {
            let kernel = std::slice::from_ref(&request.statement.kernel);
            transport::ask(kernel, &runtime, JOIN, &request.to_token_stream())
        }
        Err(error) => error.to_compile_error(),
    }
}

/// The kernel is known, its formats are asked.
pub(crate) fn kernel_c_join(tokens: TokenStream) -> TokenStream {
    join(tokens).unwrap_or_else(|error| error.to_compile_error())
}

fn join(tokens: TokenStream) -> syn::Result<TokenStream> {
    let answers: Answers = syn::parse2(tokens)?;
    let request: Request = syn::parse2(answers.request.clone())?;
    let not_a_kernel = || syn::Error::new_spanned(&request.statement.kernel, "this is not a kernel");
    let payload = answers.payloads.first().cloned().unwrap_or_default();
    let DeclaredKind::Kernel { declaration, .. } = syn::parse2::<Declared>(payload)?.kind else {
        return Err(not_a_kernel());
    };
    let kernel = kernel::check(&declaration, &mut Diagnostics::default()).ok_or_else(not_a_kernel)?;
    let mut paths: BTreeMap<String, Path> = BTreeMap::new();
    for (_, format) in request.formats(&kernel)? {
        paths.insert(text(&format.path), format.path.clone());
    }
    let paths: Vec<Path> = paths.into_values().collect();
    let tokens = &declaration.tokens;
    let asked = quote!({#request} {#tokens;});
    Ok(transport::ask(&paths, &answers.runtime, RESUME, &asked))
}

fn text(path: &Path) -> String {
    path.to_token_stream().to_string()
}

/// A request, and the kernel it is about.
struct Known {
    request: Request,
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

/// All is known: the function, as a value of the run time.
pub(crate) fn kernel_c_resume(tokens: TokenStream) -> TokenStream {
    resume(tokens).unwrap_or_else(|error| error.to_compile_error())
}

fn resume(tokens: TokenStream) -> syn::Result<TokenStream> {
    let answers: Answers = syn::parse2(tokens)?;
    if let Some(asked) = answers.ask_next(RESUME) {
        return Ok(asked);
    }
    let Known { request, declaration } = syn::parse2(answers.request.clone())?;
    let Some(kernel) = kernel::check(&declaration, &mut Diagnostics::default()) else {
        return Ok(TokenStream::new());
    };
    let element = Element::parse(&request.element.to_string()).ok_or_else(|| {
        let names: Vec<&str> = Element::ALL.iter().map(|element| element.name).collect();
        let message = format!("no element type of C\nhelp: write one of {}", names.join(", "));
        syn::Error::new_spanned(&request.element, message)
    })?;
    let formats = request.formats(&kernel)?;
    // Asked in the order of their paths, each once.
    let paths: BTreeSet<String> = formats.iter().map(|(_, format)| text(&format.path)).collect();
    let payloads: BTreeMap<String, TokenStream> = paths.into_iter().zip(answers.payloads).collect();
    let mut operands = Vec::new();
    for (number, format) in &formats {
        let declared: Declared = syn::parse2(payloads[&text(&format.path)].clone())?;
        let operand = Operand::new(declared.kind);
        let mut operand = operand.ok_or_else(|| syn::Error::new_spanned(&format.path, "this is not a format"))?;
        if operand.dims != kernel.operands[*number].rank {
            let message = format!("`{}` has {} dims", operand.name, operand.dims);
            return Err(syn::Error::new_spanned(&format.path, message));
        }
        if formats.len() > 1 {
            // Operands of one format have parameters of one name.
            operand.hide_parameters(&format!("{}_", kernel.operands[*number].name));
        }
        operands.push(operand);
    }
    let mut name = kernel.name.clone();
    let mut sparse = Vec::new();
    for ((number, format), operand) in formats.iter().zip(&operands) {
        let arguments = format
            .arguments
            .iter()
            .map(argument)
            .collect::<syn::Result<Vec<String>>>()?;
        for word in std::iter::once(&operand.name.to_lowercase()).chain(&arguments) {
            name += &format!("_{word}");
        }
        sparse.push(Sparse {
            number: *number,
            operand,
            arguments,
        });
    }
    let inputs: Vec<(usize, &Operand)> = sparse.iter().map(|sparse| (sparse.number, sparse.operand)).collect();
    let function = Source {
        program: lower(&kernel, &inputs, &Target::C),
        operands: sparse,
        element,
        dialect: Dialect::C,
        name: format!("{name}_{}", element.name),
    };
    let runtime = answers.runtime.at(request.element.span());
    Ok(value(&function.print(), &quote!(#runtime::__private::c)))
}

/// A const argument, which C must be able to say.
fn argument(tokens: &TokenStream) -> syn::Result<String> {
    let number = syn::parse2::<LitInt>(tokens.clone());
    let number = number.map_err(|_| {
        let message = "a function of C is for a number\nhelp: write one, or list the format without arguments";
        syn::Error::new_spanned(tokens, message)
    })?;
    Ok(number.base10_digits().to_owned())
}

/// The function as a value.
fn value(function: &Function, c: &TokenStream) -> TokenStream {
    let Function {
        name, prelude, text, ..
    } = function;
    let parameters = function.parameters.iter().map(|parameter| {
        let name = &parameter.name;
        let kind = match &parameter.kind {
            ParameterKind::Dense => quote!(Dense),
            ParameterKind::Scalar => quote!(Scalar),
            ParameterKind::Output { scattered } => quote!(Output { scattered: #scattered }),
            ParameterKind::Tensor { kind, is_cut, members } => {
                let members = members.iter().map(|member| of_member(member, c));
                quote!(Tensor { kind: #kind, is_cut: #is_cut, members: &[#(#members),*] })
            }
            ParameterKind::Extent => quote!(Extent),
            ParameterKind::Constant => quote!(Constant),
        };
        quote!(#c::Parameter { name: #name, kind: #c::ParameterKind::#kind })
    });
    quote!(#c::Function { name: #name, prelude: #prelude, text: #text, parameters: &[#(#parameters),*] })
}

fn of_member(member: &Member, c: &TokenStream) -> TokenStream {
    let Member { name, entry, .. } = member;
    let level = count(member.level);
    let kind = match &member.kind {
        MemberKind::Given => quote!(Given),
        MemberKind::Size => quote!(Size),
        MemberKind::Count => quote!(Count),
        MemberKind::Pointers => quote!(Pointers),
        MemberKind::Indices => quote!(Indices),
        MemberKind::Values => quote!(Values),
        MemberKind::Entries(columns) => {
            let columns = columns.iter().map(|column| of_member(column, c));
            quote!(Entries(&[#(#columns),*]))
        }
    };
    quote!(#c::Member { name: #name, level: #level, entry: #entry, kind: #c::MemberKind::#kind })
}
