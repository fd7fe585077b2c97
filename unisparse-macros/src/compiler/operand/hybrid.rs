//! Validates hybrids: a declaration with the declarations of its parts.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::LitInt;
use syn::ext::IdentExt;

use crate::compiler::diagnostics::{Diagnostics, counted, did_you_mean};
use crate::compiler::encoding::{self, Format, Query, Scope, part_name};
use crate::compiler::storage::{self, Storage};
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::syntax::hybrid::{HybridDecl, ThresholdDecl};
use crate::compiler::syntax::kernel::FormatUse;

/// A validated hybrid.
pub(crate) struct Hybrid {
    pub(crate) name: String,
    /// The query whose result selects the part, as a format without levels. The dims have the names of the first part's
    /// declaration.
    pub(crate) grouping: Format,
    pub(crate) parts: Vec<Part>,
    pub(crate) thresholds: Vec<Threshold>,
    /// The declaration on one line.
    pub(crate) text: String,
}

/// One part: a format, with values for its parameters.
pub(crate) struct Part {
    pub(crate) format: Format,
    pub(crate) storage: Storage,
    /// The field that holds the part: its name in snake case, with a number if several parts have the same name.
    pub(crate) field: String,
    /// The value of each parameter of the format.
    pub(crate) arguments: Vec<Argument>,
}

#[derive(Clone)]
pub(crate) enum Argument {
    /// A parameter of the hybrid, by its number.
    Parameter(usize),
    Number(u32),
}

/// The number with which the result of a group is compared.
pub(crate) enum Threshold {
    /// An argument of `split`.
    Name(String),
    Number(i64),
}

/// Reports the errors that do not depend on the parts. Returns whether there are none.
pub(crate) fn check_head(declaration: &HybridDecl, errors: &mut Diagnostics) -> bool {
    if !declaration.malformed.is_empty() {
        // A check without the malformed items would report wrong errors, so report only the syntax errors.
        declaration
            .malformed
            .iter()
            .cloned()
            .for_each(|error| errors.push(error));
        return false;
    }
    let mut found = Diagnostics::default();
    check_names(declaration, &mut found);
    encoding::check_parameters(&declaration.parameters, &mut found);
    check_counts(declaration, &mut found);
    for part in &declaration.parts {
        for written in &part.arguments {
            argument(written, declaration, &mut found);
        }
    }
    for written in &declaration.thresholds {
        threshold(written, &mut found);
    }
    let clean = found.is_empty();
    errors.absorb(found);
    clean
}

/// Returns the hybrid of these parts, or `None` after reporting errors.
pub(crate) fn check(declaration: &HybridDecl, parts: &[FormatDecl], errors: &mut Diagnostics) -> Option<Hybrid> {
    if !check_head(declaration, errors) {
        return None;
    }
    let mut found = Diagnostics::default();
    check_descending(declaration, &mut found);
    let hybrid = check_parts(declaration, parts, &mut found);
    let clean = found.is_empty();
    errors.absorb(found);
    hybrid.filter(|_| clean)
}

fn check_parts(declaration: &HybridDecl, parts: &[FormatDecl], errors: &mut Diagnostics) -> Option<Hybrid> {
    let written_query = declaration.query.as_ref()?;
    let fields = fields(&declaration.parts);
    let mut checked = Vec::new();
    for ((written, part), field) in declaration.parts.iter().zip(parts).zip(fields) {
        // A part with errors has reported them itself.
        let (format, storage) = storage::check(part, &mut Diagnostics::default())?.into_loops();
        let arguments = arguments(declaration, written, part, errors);
        checked.push(Part {
            format,
            storage,
            field,
            arguments,
        });
    }
    let (first, dims) = (checked.first()?, &parts.first()?.dims);
    for (part, written) in checked.iter().zip(&declaration.parts).skip(1) {
        let (dims, first_dims) = (part.format.dims.len(), first.format.dims.len());
        if dims != first_dims {
            errors.error(
                written.name(),
                format!(
                    "`{}` has {}, the first part `{}` has {first_dims}\nhelp: list formats of {}",
                    part.format.name,
                    counted(dims, "dim", "dims"),
                    first.format.name,
                    counted(first_dims, "dim", "dims"),
                ),
            );
        }
    }
    let names: Vec<Ident> = declaration
        .parameters
        .iter()
        .map(|parameter| parameter.name.clone())
        .collect();
    let of_dims = dims.iter().map(|dim| ("dim", dim));
    if !encoding::duplicates(
        of_dims.chain(names.iter().map(|name| ("const parameter", name))),
        errors,
    ) {
        return None;
    }
    let scope = Scope {
        dims,
        parameters: &names,
        queries: &[],
        later: None,
    };
    let query = encoding::lower_query(written_query, "split", &scope, &[], errors)?;
    let use_text = |part: &FormatUse| part.to_token_stream().to_string().replace(' ', "").replace(',', ", ");
    let parts: Vec<String> = declaration.parts.iter().map(use_text).collect();
    let thresholds: Vec<Threshold> = declaration
        .thresholds
        .iter()
        .filter_map(|written| threshold(written, errors))
        .collect();
    let compared: String = thresholds
        .iter()
        .map(|threshold| format!(" > {}", threshold.text()))
        .collect();
    Some(Hybrid {
        name: declaration.name.to_string(),
        text: format!("{} split {}{compared}", parts.join(" + "), query.text),
        grouping: Format::of_queries(
            declaration.name.to_string(),
            first.format.dims.clone(),
            encoding::check_parameters(&declaration.parameters, errors),
            vec![query],
        ),
        parts: checked,
        thresholds,
    })
}

impl Hybrid {
    /// Returns the query whose result is compared with the thresholds.
    pub(crate) fn query(&self) -> &Query {
        &self.grouping.queries[0]
    }
}

impl Threshold {
    pub(crate) fn text(&self) -> String {
        match self {
            Threshold::Name(name) => name.clone(),
            Threshold::Number(number) => number.to_string(),
        }
    }
}

/// Reports a part that is itself a hybrid.
pub(crate) fn refuse_hybrid(written: &FormatUse, part: &HybridDecl, errors: &mut Diagnostics) {
    let name = &part.name;
    errors.error(
        written.name(),
        format!("`{name}` is a hybrid, and a hybrid's parts are formats\nhelp: list the parts of `{name}` instead"),
    );
}

/// Reports a part that is the part format of a partitioned format.
pub(crate) fn refuse_part(written: &FormatUse, whole: &FormatDecl, errors: &mut Diagnostics) {
    let (name, part) = (&whole.name, part_name(&whole.name.to_string()));
    errors.error(
        written.name(),
        format!("`{part}` is one part of a `{name}`, and a hybrid's parts are formats\nhelp: write `{name}` instead"),
    );
}

/// Returns the fields, such as `bdia`, `csr`, or `csr0`, `csr1` if the names are equal.
fn fields(parts: &[FormatUse]) -> Vec<String> {
    let names: Vec<String> = parts
        .iter()
        .map(|part| {
            part.name()
                .map_or_else(String::new, |name| snake_case(&name.unraw().to_string()))
        })
        .collect();
    let repeated = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let numbered = |(at, name): (usize, &String)| {
        if repeated(name) {
            let number = names[..at].iter().filter(|other| *other == name).count();
            format!("{name}{number}")
        } else {
            name.clone()
        }
    };
    let mut fields: Vec<String> = names.iter().enumerate().map(numbered).collect();
    // In `Csr + Csr + Csr0`, the numbered names clash, so number all fields.
    if (1..fields.len()).any(|at| fields[..at].contains(&fields[at])) {
        fields = names
            .iter()
            .enumerate()
            .map(|(at, name)| format!("{name}_{at}"))
            .collect();
    }
    fields
}

/// Returns `BdiaCsr` as `bdia_csr`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut after_small = false;
    for character in name.chars() {
        if character.is_uppercase() && after_small {
            snake.push('_');
        }
        after_small = !character.is_uppercase() && character != '_';
        snake.extend(character.to_lowercase());
    }
    snake
}

fn check_names(declaration: &HybridDecl, errors: &mut Diagnostics) {
    if declaration.name == "T" {
        errors.error(
            &declaration.name,
            "`T` is the element type of every format\nhelp: choose another name",
        );
    }
    for parameter in declaration.parameters.iter().filter(|parameter| parameter.name == "T") {
        errors.error(
            &parameter.name,
            "`T` is the element type of every format\nhelp: choose another name",
        );
    }
    let parameters = declaration
        .parameters
        .iter()
        .map(|parameter| ("const parameter", &parameter.name));
    let thresholds = declaration.thresholds.iter().filter_map(|threshold| match threshold {
        ThresholdDecl::Name(name) => Some(("threshold", name)),
        ThresholdDecl::Number(_) => None,
    });
    encoding::duplicates(parameters.chain(thresholds), errors);
}

/// Reports a number of thresholds that is not one less than the number of parts.
fn check_counts(declaration: &HybridDecl, errors: &mut Diagnostics) {
    let (parts, thresholds) = (declaration.parts.len(), declaration.thresholds.len());
    if parts < 2 {
        errors.error(
            declaration.parts.first().and_then(FormatUse::name),
            "a hybrid has at least two parts\nhelp: write `P + Q`, or use the format directly",
        );
    } else if thresholds > parts - 1 {
        let tokens = match &declaration.thresholds[parts - 1] {
            ThresholdDecl::Name(name) => name.to_token_stream(),
            ThresholdDecl::Number(number) => number.to_token_stream(),
        };
        errors.error(
            tokens,
            format!(
                "{parts} parts have {} between them, found {thresholds}\nhelp: leave this one out, or add a part",
                counted(parts - 1, "threshold", "thresholds"),
            ),
        );
    } else if thresholds < parts - 1 {
        errors.error(
            declaration.parts[thresholds + 1].name(),
            format!(
                "{parts} parts have {} between them, found {thresholds}\nhelp: leave this part out, or write another threshold: `> high > low`",
                counted(parts - 1, "threshold", "thresholds"),
            ),
        );
    }
}

/// Reports literal thresholds that do not descend: a later threshold applies to the groups that an earlier one left.
fn check_descending(declaration: &HybridDecl, errors: &mut Diagnostics) {
    let thresholds = declaration.thresholds.iter().enumerate();
    let literals = thresholds.filter_map(|(at, threshold)| match threshold {
        ThresholdDecl::Number(number) => Some((at, number, number.base10_parse::<u64>().ok()?)),
        ThresholdDecl::Name(_) => None,
    });
    let literals: Vec<_> = literals.collect();
    for pair in literals.windows(2) {
        let ((_, before, high), (at, number, low)) = (&pair[0], &pair[1]);
        if low < high {
            continue;
        }
        let part = declaration.parts.get(*at).and_then(FormatUse::name);
        let part = part.map_or_else(String::new, |part| {
            format!("\nnote: no group would go to the part `{part}`")
        });
        let help = if low == high {
            "leave out one of them and its part".to_owned()
        } else {
            format!("write the greatest first, `> {number} > {before}`")
        };
        errors.error(
            number,
            format!("the thresholds do not descend: {number} comes after {before}\nhelp: {help}{part}"),
        );
    }
}

fn threshold(written: &ThresholdDecl, errors: &mut Diagnostics) -> Option<Threshold> {
    match written {
        ThresholdDecl::Name(name) => Some(Threshold::Name(name.unraw().to_string())),
        ThresholdDecl::Number(literal) => match literal.base10_parse::<i64>() {
            Ok(number) if literal.suffix().is_empty() => Some(Threshold::Number(number)),
            _ => {
                let help = if literal.suffix().is_empty() {
                    "a threshold is below 2^63\nhelp: write a smaller one".to_owned()
                } else {
                    format!("a threshold has no suffix\nhelp: write `{}`", literal.base10_digits())
                };
                errors.error(literal, help);
                None
            }
        },
    }
}

/// Returns a value for each parameter of the part's format: the argument, or the default.
fn arguments(
    declaration: &HybridDecl,
    written: &FormatUse,
    part: &FormatDecl,
    errors: &mut Diagnostics,
) -> Vec<Argument> {
    let (given, taken) = (written.arguments.len(), part.parameters.len());
    let required = part
        .parameters
        .iter()
        .filter(|parameter| parameter.default.is_none())
        .count();
    if given > taken || given < required {
        let help = if taken == 0 {
            "leave them out, and the element type too".to_owned()
        } else {
            let parameters: Vec<String> = part
                .parameters
                .iter()
                .map(|parameter| parameter.name.to_string())
                .collect();
            format!(
                "write `{}<{}>`; leave out the element type",
                part.name,
                parameters.join(", ")
            )
        };
        errors.error(
            written.name(),
            format!(
                "`{}` takes {}, found {given}\nhelp: {help}",
                part.name,
                counted(taken, "const argument", "const arguments")
            ),
        );
    }
    let defaults = part.parameters.iter().skip(given).filter_map(|parameter| {
        let default = parameter.default.as_ref()?;
        default.base10_parse().ok().map(Argument::Number)
    });
    let mut arguments: Vec<Argument> = written
        .arguments
        .iter()
        .filter_map(|written| argument(written, declaration, errors))
        .collect();
    arguments.extend(defaults);
    arguments
}

fn argument(written: &TokenStream, declaration: &HybridDecl, errors: &mut Diagnostics) -> Option<Argument> {
    if let Ok(literal) = syn::parse2::<LitInt>(written.clone()) {
        match literal.base10_parse::<u32>() {
            Ok(number) if number > 0 && literal.suffix().is_empty() => return Some(Argument::Number(number)),
            _ => errors.error(
                literal,
                "the argument of a part is at least 1 and below 2^32, without a suffix\nhelp: write a positive integer literal",
            ),
        }
        return None;
    }
    let Ok(name) = syn::parse2::<Ident>(written.clone()) else {
        errors.error(
            written,
            "the argument of a part is a const parameter of the hybrid or a positive integer literal\nhelp: declare a const parameter and write its name",
        );
        return None;
    };
    let found = declaration
        .parameters
        .iter()
        .position(|parameter| parameter.name == name);
    if found.is_none() {
        let known: Vec<String> = declaration
            .parameters
            .iter()
            .map(|parameter| parameter.name.to_string())
            .collect();
        let mut help = did_you_mean(&name.to_string(), known.iter().map(String::as_str));
        if help.is_empty() {
            help = format!(
                "\nhelp: declare it, `hybrid {}<const {name}: usize>`, or write a positive integer literal; leave out the element type",
                declaration.name
            );
        }
        errors.error(&name, format!("`{name}` is not a const parameter of this hybrid{help}"));
    }
    found.map(Argument::Parameter)
}
