//! Validates a format declaration and reports all of its semantic errors.

use std::collections::HashMap;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;

use super::check_queries::check_queries;
use super::invert::check_inverse;
use super::lower::Scope;
use super::primitives::{Mutations, check_width};
use super::query::{Query, interval, is_measured, mentions_query};
use super::status::{Status, invariant, statuses};
use super::word::{check_word_widths, word_text};
use super::{Format, IndexType, Level, Parameter};
use crate::compiler::algebra::{Expression, Interval};
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::syntax::expression::ExprKind;
use crate::compiler::syntax::format::{FormatDecl, LevelDecl, ParameterDecl};
use crate::compiler::syntax::primitive::{LevelRef, PrimitiveKind};

/// Maximum number of levels: more than any known format has, and few enough for exact arithmetic.
const MOST_LEVELS: usize = 16;

/// Returns the validated format, or `None` after reporting errors.
pub(crate) fn check(declaration: &FormatDecl, errors: &mut Diagnostics) -> Option<Format> {
    if !declaration.malformed.is_empty() {
        // A check without the malformed items would report wrong errors, so report only the syntax errors.
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
    let parameters = check_parameters(&declaration.parameters, errors);
    let names = level_names(declaration);
    let mutations = Mutations::new(declaration, &names, errors);
    let parameter_names: Vec<Ident> = declaration.parameters.iter().map(|p| p.name.clone()).collect();
    let queries = check_queries(&declaration.queries, &declaration.dims, &parameter_names, errors);
    let expressions = check_levels(declaration, &parameter_names, errors)?;
    let queries = queries?;
    let intervals = check_intervals(declaration, &queries, &expressions, errors)?;
    if !distinct {
        // Two dims of one name cannot be distinguished below. `check_names` has reported them.
        return None;
    }
    let dims = declaration.dims.len();
    let direct: Vec<Option<&Expression>> = expressions
        .iter()
        .map(|expression| (!mentions_query(expression, dims)).then_some(expression))
        .collect();
    let inverse = check_inverse(declaration, &direct, errors)?;
    let is_packed = |at: usize| {
        mutations
            .packs
            .iter()
            .any(|(first, last, _)| (*first..=*last).contains(&at))
            || mutations.word.iter().any(|(word, _)| word.has(at))
    };
    let statuses = statuses(dims, &queries, &expressions, &inverse.fixed, is_packed);
    let (all, mut levels) = (expressions.clone(), Vec::new());
    for (at, (expression, interval)) in expressions.into_iter().zip(intervals).enumerate() {
        let (status, counting) = statuses[at];
        let invariant = if status == Status::Aligned {
            invariant(dims, &queries, &all, at)
        } else {
            None
        };
        let index = mutations.index[at].as_ref().map_or_else(
            || IndexType::narrowest(&interval),
            |(declared, tokens)| check_width(&names[at], *declared, tokens, &interval, errors),
        );
        levels.push(Level {
            name: names[at].clone(),
            text: declaration.levels[at].expression.to_string(),
            indirect: mentions_query(&expression, dims),
            measured: is_measured(dims, &interval),
            expression,
            interval,
            status,
            counting,
            invariant,
            padded: mutations.padded[at].is_some(),
            merged: mutations.merged[at],
            trimmed: mutations.trimmed[at],
            index,
        });
    }
    check_measured(declaration, &levels, errors);
    check_padding(declaration, &levels, &mutations, errors);
    check_partition(&levels, &mutations, errors);
    if let Some(word) = &mutations.word {
        let pack = mutations.packs.first().map(|(_, _, tokens)| tokens);
        check_word_widths(declaration, &levels, word, pack, errors);
    }
    Some(Format {
        name: declaration.name.to_string(),
        dims: declaration.dims.iter().map(|dim| dim.unraw().to_string()).collect(),
        parameters,
        queries,
        levels,
        inverse,
        pointer: mutations.pointer.unwrap_or(IndexType::U32),
        packs: mutations.packs.iter().map(|&(first, last, _)| (first, last)).collect(),
        partition: mutations.partition.as_ref().map(|&(level, _)| level),
        word: mutations.word.map(|(word, _)| word),
        text: text(declaration, &names),
    })
}

/// Returns the name of each level: the declared name, else the dim that the level is, else `level` and its number.
fn level_names(declaration: &FormatDecl) -> Vec<String> {
    let levels = declaration.levels.iter().enumerate();
    let name = |(at, level): (usize, &LevelDecl)| match (&level.name, &level.expression.kind) {
        (Some(name), _) => name.unraw().to_string(),
        (None, ExprKind::Name(dim)) => dim.unraw().to_string(),
        _ => format!("level{at}"),
    };
    levels.map(name).collect()
}

/// Reports names that clash. Returns whether the names of parameters, dims and queries are distinct.
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
            format!("a format has at most {MOST_LEVELS} levels\nhelp: leave this level out, and those after it"),
        );
    }
    let parameters = declaration
        .parameters
        .iter()
        .map(|parameter| ("const parameter", &parameter.name));
    let dims = declaration.dims.iter().map(|dim| ("dim", dim));
    let queries = declaration.queries.iter().map(|query| ("query", &query.name));
    let distinct = duplicates(parameters.chain(dims).chain(queries), errors);
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
    // The default name of an unnamed level can clash with a declared name.
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

/// Reports duplicate names. Returns true if there are none.
pub(crate) fn duplicates<'a>(names: impl Iterator<Item = (&'static str, &'a Ident)>, errors: &mut Diagnostics) -> bool {
    let mut distinct = true;
    let mut seen: HashMap<String, &'static str> = HashMap::new();
    for (kind, name) in names {
        if let Some(first) = seen.insert(name.unraw().to_string(), kind) {
            distinct = false;
            errors.error(
                name,
                format!("`{name}` already names a {first}\nhelp: give this {kind} another name"),
            );
        }
    }
    distinct
}

/// Returns the const parameters and reports errors in their defaults.
pub(crate) fn check_parameters(declared: &[ParameterDecl], errors: &mut Diagnostics) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    let defaulted = declared.iter().position(|parameter| parameter.default.is_some());
    for (at, parameter) in declared.iter().enumerate() {
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
            errors.error(name, format!("`{name}` has no default, but a parameter before it has one\nhelp: write `const {name}: usize = 64`, or move it to the front"));
        }
        parameters.push(Parameter {
            name: parameter.name.to_string(),
            default: parameter
                .default
                .as_ref()
                .and_then(|default| default.base10_parse().ok()),
        });
    }
    parameters
}

fn check_levels(declaration: &FormatDecl, parameters: &[Ident], errors: &mut Diagnostics) -> Option<Vec<Expression>> {
    let queries: Vec<Ident> = declaration.queries.iter().map(|query| query.name.clone()).collect();
    let scope = Scope {
        dims: &declaration.dims,
        parameters,
        queries: &queries,
        later: Some(&[]),
    };
    let lowered: Vec<Option<Expression>> = declaration
        .levels
        .iter()
        .map(|level| scope.lower(&level.expression, errors))
        .collect();
    let expressions: Vec<Expression> = lowered.into_iter().collect::<Option<_>>()?;
    (!expressions.is_empty() && expressions.len() <= MOST_LEVELS).then_some(expressions)
}

fn check_intervals(
    declaration: &FormatDecl,
    queries: &[Query],
    expressions: &[Expression],
    errors: &mut Diagnostics,
) -> Option<Vec<Interval>> {
    let mut intervals = Vec::new();
    for (level, expression) in declaration.levels.iter().zip(expressions) {
        match interval(declaration.dims.len(), queries, expression) {
            Some(interval) => intervals.push(interval),
            None => errors.error(
                &level.expression.tokens,
                "the sign of a coefficient depends on a const parameter\nhelp: write a literal, or a sum of multiples of parameters",
            ),
        }
    }
    (intervals.len() == expressions.len()).then_some(intervals)
}

/// Reports dense levels of measured size that can be negative: their coordinates start at zero.
fn check_measured(declaration: &FormatDecl, levels: &[Level], errors: &mut Diagnostics) {
    for (level, written) in levels.iter().zip(&declaration.levels) {
        let dense = level.status == Status::Free && !level.trimmed;
        if dense && level.measured && !level.interval.is_nonnegative() {
            errors.error(
                &written.expression.tokens,
                format!(
                    "level `{0}` depends on a query and can be negative, so it cannot hold every coordinate\nhelp: write `trim({0})`",
                    level.name
                ),
            );
        }
    }
}

/// Reports padded levels that cannot be padded.
///
/// A padded level must be the bare result of a query, and must be stored as one list below each position of its parent.
fn check_padding(declaration: &FormatDecl, levels: &[Level], mutations: &Mutations, errors: &mut Diagnostics) {
    let dims = declaration.dims.len();
    let free = |at: &usize| levels[*at].status == Status::Free;
    let merged = |at: usize| is_merged(levels, at);
    for (at, level) in levels.iter().enumerate() {
        let Some(tokens) = &mutations.padded[at] else { continue };
        let name = &level.name;
        let parent = (0..at).rev().find(free);
        if !matches!(level.expression, Expression::Dim(unknown) if unknown >= dims) {
            errors.error(
                tokens,
                format!("level `{name}` is not the result of a query alone, as a padded level must be\nhelp: leave this out, or add a level for the query"),
            );
        } else if level.trimmed {
            errors.error(
                tokens,
                format!("level `{name}` is both trimmed and padded\nhelp: choose one of them"),
            );
        } else if level.status != Status::Free {
            errors.error(
                tokens,
                format!("the levels above determine level `{name}`, so there is nothing to pad\nhelp: leave this out"),
            );
        } else if !merged(at) && (at + 1..levels.len()).any(|below| free(&below)) {
            errors.error(
                tokens,
                format!("a padded level must be merged\nhelp: write `merge({name})`"),
            );
        } else if let Some(parent) = parent.filter(|&parent| !merged(parent)) {
            let parent = &levels[parent].name;
            errors.error(
                tokens,
                format!("the level above a padded level must be merged\nhelp: write `merge({parent})`"),
            );
        }
    }
}

/// Reports a partition whose parts would not be subtrees: the nodes at the cut must have several children.
fn check_partition(levels: &[Level], mutations: &Mutations, errors: &mut Diagnostics) {
    let Some((cut, tokens)) = &mutations.partition else {
        return;
    };
    let name = &levels[*cut].name;
    let free = |at: &usize| levels[*at].status == Status::Free;
    let below = (cut + 1..levels.len()).filter(free);
    if below.clone().next().is_none() {
        // `Mutations` has reported a cut at the last level.
        if cut + 1 < levels.len() {
            errors.error(
                tokens,
                format!("the levels down to `{name}` determine those below: a part would hold one element\nhelp: partition a level further up"),
            );
        }
        return;
    }
    // An unmerged level above a trimmed one has a node for each child.
    let Some(holder) = (0..=*cut).rev().find(free) else {
        return;
    };
    let mut unmerged = true;
    let copied = std::iter::once(holder).chain(below).any(|at| {
        let reached = at > holder && unmerged && (levels[at].trimmed || levels[at].padded);
        unmerged &= !is_merged(levels, at);
        reached
    });
    if copied {
        let merged = &levels[holder].name;
        errors.error(
            tokens,
            format!("level `{name}` is not merged: each of its nodes has one child, so a part would hold one child\nhelp: write `merge({merged})`"),
        );
    }
}

/// Whether the children of a level share one node. Merging a level that is not free merges the free level above it.
fn is_merged(levels: &[Level], at: usize) -> bool {
    let held = (at + 1..levels.len()).take_while(|&below| levels[below].status != Status::Free);
    std::iter::once(at).chain(held).any(|level| levels[level].merged)
}

/// Returns the declaration on one line, with the name of each level.
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
        PrimitiveKind::Pad(padded) => format!(" pad({});", level(padded)),
        PrimitiveKind::Pack(first, last) if level(first) == level(last) => format!(" pack({});", level(first)),
        PrimitiveKind::Pack(first, last) => format!(" pack({}..={});", level(first), level(last)),
        PrimitiveKind::Partition(cut) => format!(" partition({});", level(cut)),
        PrimitiveKind::Index(widths) => {
            let widths: Vec<String> = widths
                .iter()
                .map(|(at, width)| format!("{}: {width}", level(at)))
                .collect();
            format!(" index({});", widths.join(", "))
        }
        PrimitiveKind::Pointer(width) => format!(" pointer({width});"),
        PrimitiveKind::Word(word) => format!(" {};", word_text(word)),
        PrimitiveKind::Unknown(_) => String::new(),
    });
    let primitives: String = primitives.collect();
    let space = if primitives.is_empty() { "" } else { " " };
    let queries = declaration.queries.iter();
    let queries: String = queries
        .map(|query| format!("{} = {}; ", query.name, query.query.text()))
        .collect();
    let clause = if queries.is_empty() {
        String::new()
    } else {
        format!("where {{ {queries}}} ")
    };
    format!(
        "|{}| ({}) {clause}{{{primitives}{space}}}",
        dims.join(", "),
        levels.join(", ")
    )
}
