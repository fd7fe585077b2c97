//! Declaration to encoding: every semantic error of a format is found here.

use std::collections::HashMap;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;

use super::invert::check_inverse;
use super::lower::Scope;
use super::primitives::{Mutations, check_width};
use super::{Format, IndexType, Level, Parameter};
use crate::compiler::affine::{Expression, Interval};
use crate::compiler::diagnostics::{Diagnostics, did_you_mean};
use crate::compiler::syntax::expression::ExprKind;
use crate::compiler::syntax::format::{FormatDecl, LevelDecl};
use crate::compiler::syntax::primitive::{LevelRef, PrimitiveKind};

/// More levels than any known format, and few enough for exact arithmetic.
const MOST_LEVELS: usize = 16;

/// The encoding of a declaration, or `None` after errors were noted.
pub(crate) fn check(declaration: &FormatDecl, errors: &mut Diagnostics) -> Option<Format> {
    if !declaration.malformed.is_empty() {
        // What was not parsed would be missed here: only its own errors are worth reading.
        declaration
            .malformed
            .iter()
            .cloned()
            .for_each(|error| errors.push(error));
        return None;
    }
    let mut found = Diagnostics::default();
    let format = check_all(declaration, &mut found);
    let clean = found.is_empty();
    errors.absorb(found);
    format.filter(|_| clean)
}

fn check_all(declaration: &FormatDecl, errors: &mut Diagnostics) -> Option<Format> {
    let distinct = check_names(declaration, errors);
    let parameters = check_parameters(declaration, errors);
    let names = level_names(declaration);
    let mutations = Mutations::new(declaration, &names, errors);
    let expressions = check_levels(declaration, errors)?;
    let intervals = check_intervals(declaration, &expressions, errors)?;
    if !distinct {
        // Two dims of one name cannot be told apart: that is said already.
        return None;
    }
    let inverse = check_inverse(declaration, &expressions, errors)?;
    let mut levels = Vec::new();
    for (at, (expression, interval)) in expressions.into_iter().zip(intervals).enumerate() {
        let index = mutations.index[at].as_ref().map_or_else(
            || IndexType::narrowest(&interval),
            |(declared, tokens)| check_width(&names[at], *declared, tokens, &interval, errors),
        );
        levels.push(Level {
            name: names[at].clone(),
            text: declaration.levels[at].expression.to_string(),
            expression,
            interval,
            merged: mutations.merged[at],
            trimmed: mutations.trimmed[at],
            index,
        });
    }
    Some(Format {
        name: declaration.name.to_string(),
        dims: declaration.dims.iter().map(|dim| dim.unraw().to_string()).collect(),
        parameters,
        levels,
        inverse,
        pointer: mutations.pointer.unwrap_or(IndexType::U32),
        text: text(declaration, &names),
    })
}

/// The name of each level: as declared, else the dim it is, else its number.
fn level_names(declaration: &FormatDecl) -> Vec<String> {
    let levels = declaration.levels.iter().enumerate();
    let name = |(at, level): (usize, &LevelDecl)| match (&level.name, &level.expression.kind) {
        (Some(name), _) => name.unraw().to_string(),
        (None, ExprKind::Name(dim)) => dim.unraw().to_string(),
        _ => format!("level{at}"),
    };
    levels.map(name).collect()
}

/// Whether the names of dims and parameters are distinct.
fn check_names(declaration: &FormatDecl, errors: &mut Diagnostics) -> bool {
    if declaration.name == "T" {
        errors.error(
            &declaration.name,
            "`T` is the element type of every format\nhelp: choose another name",
        );
    }
    if declaration.dims.is_empty() {
        errors.error(
            &declaration.name,
            "a format has at least one dim\nhelp: write `|i, j| ..`",
        );
    }
    if declaration.levels.is_empty() {
        errors.error(
            &declaration.name,
            "a format has at least one level\nhelp: write `(row: i, col: j)`",
        );
    }
    if let Some(level) = declaration.levels.get(MOST_LEVELS) {
        errors.error(
            &level.expression.tokens,
            format!("a format has at most {MOST_LEVELS} levels"),
        );
    }
    let parameters = declaration
        .parameters
        .iter()
        .map(|parameter| ("const parameter", &parameter.name));
    let dims = declaration.dims.iter().map(|dim| ("dim", dim));
    let distinct = duplicates(parameters.chain(dims), errors);
    duplicates(
        declaration
            .levels
            .iter()
            .filter_map(|level| level.name.as_ref())
            .map(|name| ("level", name)),
        errors,
    );
    if let Some(parameter) = declaration.parameters.iter().find(|parameter| parameter.name == "T") {
        errors.error(
            &parameter.name,
            "`T` is the element type of every format\nhelp: choose another name",
        );
    }
    // An unnamed level takes its dim's name, or its number's: that can clash with a name given.
    let names = level_names(declaration);
    for (at, level) in declaration.levels.iter().enumerate() {
        if level.name.is_none()
            && names
                .iter()
                .enumerate()
                .any(|(other, name)| other != at && *name == names[at])
        {
            errors.error(
                &level.expression.tokens,
                format!(
                    "two levels are called `{}`\nhelp: name this one: `name: {}`",
                    names[at], level.expression
                ),
            );
        }
    }
    distinct
}

/// Whether there are none.
fn duplicates<'a>(names: impl Iterator<Item = (&'static str, &'a Ident)>, errors: &mut Diagnostics) -> bool {
    let mut distinct = true;
    let mut seen: HashMap<String, &'static str> = HashMap::new();
    for (kind, name) in names {
        if let Some(first) = seen.insert(name.unraw().to_string(), kind) {
            distinct = false;
            errors.error(
                name,
                format!("`{name}` is the name of a {first} already\nhelp: give this {kind} another name"),
            );
        }
    }
    distinct
}

fn check_parameters(declaration: &FormatDecl, errors: &mut Diagnostics) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    let defaulted = declaration
        .parameters
        .iter()
        .position(|parameter| parameter.default.is_some());
    for (at, parameter) in declaration.parameters.iter().enumerate() {
        if let Some(literal) = &parameter.default {
            match literal.base10_parse::<u32>() {
                _ if !literal.suffix().is_empty() => {
                    errors.error(
                        literal,
                        format!("a default has no suffix\nhelp: write `{}`", literal.base10_digits()),
                    );
                }
                Ok(0) => errors.error(
                    literal,
                    "a const parameter is at least 1\nhelp: write a positive default",
                ),
                Ok(_) => {}
                Err(_) => errors.error(
                    literal,
                    "the default of a const parameter is below 2^32\nhelp: write a smaller one",
                ),
            }
        } else if defaulted.is_some_and(|first| first < at) {
            let name = &parameter.name;
            errors.error(name, format!("`{name}` has no default, a parameter before it has one\nhelp: write `const {name}: usize = 64`, or move it to the front"));
        }
        parameters.push(Parameter {
            name: parameter.name.to_string(),
        });
    }
    parameters
}

fn check_levels(declaration: &FormatDecl, errors: &mut Diagnostics) -> Option<Vec<Expression>> {
    let scope = Scope { declaration };
    let mut expressions = Vec::new();
    let mut complete = true;
    for level in &declaration.levels {
        // A bare name that is nothing else is an indirect level.
        if let (None, ExprKind::Name(name)) = (&level.name, &level.expression.kind) {
            let known = declaration.dims.contains(name) || declaration.parameters.iter().any(|p| p.name == *name);
            if !known {
                let dims: Vec<String> = declaration.dims.iter().map(ToString::to_string).collect();
                let suggestion = did_you_mean(&name.to_string(), dims.iter().map(String::as_str));
                errors.error(name, format!("`{name}` is neither a dim nor a const parameter of this format{suggestion}\nnote: a bare name is a level computed by a query, and queries are not supported yet"));
                complete = false;
                continue;
            }
        }
        match scope.lower(&level.expression, errors) {
            Some(expression) => expressions.push(expression),
            None => complete = false,
        }
    }
    (complete && !expressions.is_empty() && expressions.len() <= MOST_LEVELS).then_some(expressions)
}

fn check_intervals(
    declaration: &FormatDecl,
    expressions: &[Expression],
    errors: &mut Diagnostics,
) -> Option<Vec<Interval>> {
    let mut intervals = Vec::new();
    for (level, expression) in declaration.levels.iter().zip(expressions) {
        match Interval::of(expression) {
            Some(interval) => intervals.push(interval),
            None => errors.error(
                &level.expression.tokens,
                "the sign of a coefficient depends on a const parameter\nhelp: write a literal, or a sum of multiples of parameters",
            ),
        }
    }
    (intervals.len() == expressions.len()).then_some(intervals)
}

/// The declaration on one line, levels named.
fn text(declaration: &FormatDecl, names: &[String]) -> String {
    let dims: Vec<String> = declaration.dims.iter().map(ToString::to_string).collect();
    let levels = names
        .iter()
        .zip(&declaration.levels)
        .map(|(name, level)| match level.expression.to_string() {
            expression if expression == *name => expression,
            expression => format!("{name}: {expression}"),
        });
    let levels: Vec<String> = levels.collect();
    let level = |level: &LevelRef| level.to_token_stream().to_string();
    let primitives = declaration.primitives.iter().map(|primitive| match &primitive.kind {
        PrimitiveKind::Merge(levels) => {
            let levels: Vec<String> = levels.iter().map(level).collect();
            format!(" merge({});", levels.join(", "))
        }
        PrimitiveKind::Trim(first, last) if level(first) == level(last) => format!(" trim({});", level(first)),
        PrimitiveKind::Trim(first, last) => format!(" trim({}..={});", level(first), level(last)),
        PrimitiveKind::Index(widths) => {
            let widths: Vec<String> = widths
                .iter()
                .map(|(at, width)| format!("{}: {width}", level(at)))
                .collect();
            format!(" index({});", widths.join(", "))
        }
        PrimitiveKind::Pointer(width) => format!(" pointer({width});"),
        PrimitiveKind::Unknown(_) => String::new(),
    });
    let primitives: String = primitives.collect();
    let space = if primitives.is_empty() { "" } else { " " };
    format!("|{}| ({}) {{{primitives}{space}}}", dims.join(", "), levels.join(", "))
}
