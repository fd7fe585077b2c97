//! Expands conversion statements: each pair is checked against the two declarations, and becomes `TryFrom`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, LitInt, braced};

use crate::compiler::diagnostics::{Diagnostics, counted};
use crate::compiler::emit::rust::convert::{Side, implementations};
use crate::compiler::emit::rust::format::cfgs_in;
use crate::compiler::operand::Operand;
use crate::compiler::syntax::convert::{ConvertDecl, Pair};
use crate::compiler::syntax::kernel::FormatUse;
use crate::compiler::transport::{self, Answers, Declared, Runtime, same_declaration};

const RESUME: &str = "__sparse_convert_resume";

/// Expands the first half of a statement, which requests the declarations of its formats, pair by pair.
pub(super) fn item(tokens: TokenStream, runtime: &Runtime) -> TokenStream {
    let declaration: ConvertDecl = match syn::parse2(tokens) {
        Ok(declaration) => declaration,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Diagnostics::default();
    if let Some(error) = declaration.malformed {
        errors.push(error);
    }
    let (attributes, cfg) = (&declaration.attributes, cfgs_in(&declaration.attributes));
    let mut requests = TokenStream::new();
    for (at, pair) in declaration.pairs.iter().enumerate() {
        let clean = check_arguments(&pair.from, &mut errors) & check_arguments(&pair.to, &mut errors);
        if declaration.pairs[..at]
            .iter()
            .any(|before| before.text() == pair.text())
        {
            errors.error(
                pair.place(),
                format!("`{}` is already in this statement\nhelp: leave it out", pair.text()),
            );
        } else if clean {
            let paths = [pair.from.path.clone(), pair.to.path.clone()];
            let request = transport::request(&paths, runtime, RESUME, &quote!({#(#attributes)*} {#pair}));
            requests.extend(quote!(#cfg #request));
        }
    }
    let errors = errors.into_tokens();
    quote!(#errors #requests)
}

/// Reports literal arguments out of range. Other arguments are constants, which the format's own assertions check.
fn check_arguments(written: &FormatUse, errors: &mut Diagnostics) -> bool {
    let mut clean = true;
    for argument in &written.arguments {
        let Ok(literal) = syn::parse2::<LitInt>(argument.clone()) else {
            continue;
        };
        if literal.base10_parse::<u32>().is_ok_and(|number| number > 0) && literal.suffix().is_empty() {
            continue;
        }
        clean = false;
        errors.error(
            literal,
            "the argument of a format is at least 1 and below 2^32, without a suffix\nhelp: write a positive integer literal",
        );
    }
    clean
}

/// The request of one pair, with the attributes of its statement.
struct Request {
    attributes: Vec<Attribute>,
    pair: Pair,
}

impl Parse for Request {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (attributes, pair);
        braced!(attributes in input);
        braced!(pair in input);
        Ok(Request {
            attributes: attributes.call(Attribute::parse_outer)?,
            pair: pair.parse()?,
        })
    }
}

/// Expands the second half of a statement: one pair, with the declarations of both formats.
pub(crate) fn convert_resume(tokens: TokenStream) -> TokenStream {
    let answers: Answers = match syn::parse2(tokens) {
        Ok(answers) => answers,
        Err(error) => return error.to_compile_error(),
    };
    if let Some(request) = answers.request_next(RESUME) {
        return request;
    }
    let Request { attributes, pair } = match syn::parse2(answers.request) {
        Ok(request) => request,
        Err(error) => return error.to_compile_error(),
    };
    let declared = answers.payloads.into_iter().map(|payload| {
        let Declared { id, origin, kind } = syn::parse2(payload).ok()?;
        Some((id, origin, Operand::new(kind)?))
    });
    let declared: Option<Vec<_>> = declared.collect();
    // A format with errors has reported them itself.
    let Some([(from_id, from_origin, from), (to_id, to_origin, to)]) =
        declared.and_then(|declared| <[_; 2]>::try_from(declared).ok())
    else {
        return TokenStream::new();
    };
    let mut errors = Diagnostics::default();
    check_count(&pair.from, &from, &mut errors);
    check_count(&pair.to, &to, &mut errors);
    if from.dims != to.dims {
        errors.error(
            pair.to.name(),
            format!(
                "`{}` has {}, `{}` has {}\nhelp: convert into a format of {}",
                to.name,
                counted(to.dims, "dim", "dims"),
                from.name,
                from.dims,
                counted(from.dims, "dim", "dims"),
            ),
        );
    }
    if to.is_part() {
        errors.error(
            pair.to.name(),
            format!(
                "`{}` is one part of a tensor: no conversion makes a single part\nhelp: convert into the whole, and take its `parts()`",
                to.name
            ),
        );
    }
    let same = from_id.base10_digits() == to_id.base10_digits() && from.name == to.name;
    let texts = |written: &FormatUse| written.arguments.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (given, other) = (texts(&pair.from), texts(&pair.to));
    if same && (given.is_empty() || other.is_empty() || given == other) {
        let help = if from.parameters.is_empty() {
            "leave it out".to_owned()
        } else {
            "give both formats all const arguments, and make them differ".to_owned()
        };
        errors.error(
            pair.place(),
            format!("`{}` is converted into itself\nhelp: {help}", from.name),
        );
    } else if let (Some(crate_here), false) = (transport::origin(), from_origin.is_empty() || to_origin.is_empty()) {
        // The compiler would report this too, but without the help.
        if from_origin != crate_here && to_origin != crate_here {
            errors.error(
                pair.place(),
                format!(
                    "neither `{}` nor `{}` is declared in this crate, so it cannot implement `TryFrom` for them\nhelp: leave it out; `a.convert::<{}<_>>()` and `a.convert_into::<{}<_>>()` need no statement",
                    from.name, to.name, to.name, to.name
                ),
            );
        }
    }
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    let (from_side, to_side) = sides(&pair, &from, &to);
    let cfg = cfgs_in(&attributes);
    let same = [(&pair.from, &from, &from_id), (&pair.to, &to, &to_id)].map(|(written, operand, id)| {
        let assertion = same_declaration(&written.path, operand.parameters.len(), &operand.name, id);
        quote!(#cfg #assertion)
    });
    let implementations = implementations(&attributes, &pair, &from_side, &to_side, &answers.runtime);
    quote!(#(#same)* #implementations)
}

fn check_count(written: &FormatUse, operand: &Operand, errors: &mut Diagnostics) {
    let (given, taken) = (written.arguments.len(), operand.parameters.len());
    if given != 0 && given != taken {
        errors.error(
            written.name(),
            format!(
                "`{}` takes {}, found {given}\nhelp: give all of them, or none to implement it for all values; leave out the element type",
                operand.name,
                counted(taken, "const argument", "const arguments")
            ),
        );
    }
}

/// Returns both formats. The parameters of formats without arguments get distinct names.
fn sides<'a>(pair: &'a Pair, from: &'a Operand, to: &'a Operand) -> (Side<'a>, Side<'a>) {
    let mut taken: Vec<String> = Vec::new();
    // The arguments are the user's expressions, which the names of parameters must not capture.
    let hidden = !pair.from.arguments.is_empty() || !pair.to.arguments.is_empty();
    let mut side = |written: &'a FormatUse, operand: &'a Operand| {
        let mut own = Vec::new();
        if written.arguments.is_empty() {
            for parameter in &operand.parameters {
                let mut name = if hidden {
                    format!("__{parameter}")
                } else {
                    parameter.clone()
                };
                while taken.contains(&name) {
                    name += "_";
                }
                taken.push(name.clone());
                own.push(name);
            }
        }
        Side {
            written,
            operand,
            parameters: own,
        }
    };
    let from = side(&pair.from, from);
    (from, side(&pair.to, to))
}
