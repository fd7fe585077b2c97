//! Checks a declaration against its inferred storage: a `pack` needs arrays of equal length, a width needs an array.

use std::iter;

use super::pack::{is_per_value, tuple_arrays};
use super::{Kind, LevelStorage, Stored};
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::encoding;
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::syntax::primitive::PrimitiveKind;

/// Returns the format of a declaration with its storage, or `None` after reporting errors. Later stages find no errors.
pub(crate) fn check(declaration: &FormatDecl, errors: &mut Diagnostics) -> Option<Stored> {
    let stored = Stored::new(encoding::check(declaration, errors)?);
    let mut found = Diagnostics::default();
    check_packs(&stored, declaration, &mut found);
    check_widths(&stored, declaration, &mut found);
    check_word(&stored, declaration, &mut found);
    let clean = found.is_empty();
    errors.absorb(found);
    clean.then_some(stored)
}

/// Reports each `pack` that does not interleave at least two arrays.
fn check_packs(stored: &Stored, declaration: &FormatDecl, errors: &mut Diagnostics) {
    let Stored { format, whole, cut } = stored;
    let packs = |range| {
        let mut storages = iter::once(whole).chain(cut.iter().map(|cut| &cut.part));
        storages.any(|storage| !tuple_arrays(format, storage, range).is_empty())
    };
    let last = format.levels.len() - 1;
    let written = declaration.primitives.iter();
    let written = written.filter(|primitive| matches!(primitive.kind, PrimitiveKind::Pack(..)));
    for (primitive, &(first, end)) in written.zip(&format.packs) {
        if packs((first, end)) {
            continue;
        }
        let name = |level: usize| &format.levels[level].name;
        let longer = (0..=first).rev().find(|&first| packs((first, last)));
        let help = match longer {
            Some(first) if first == last => format!("write `pack({})`", name(last)),
            Some(first) => format!("write `pack({}..={})`", name(first), name(last)),
            None => "leave it out".to_owned(),
        };
        let apart = cut.as_ref().map_or_else(String::new, |cut| {
            format!(
                "\nnote: the levels below `{}` are stored in the parts, so they are not packed with those above",
                name(cut.level)
            )
        });
        errors.error(
            &primitive.tokens,
            format!("this packs nothing: no two arrays of these levels have the same length\nhelp: {help}\nnote: the values are packed with the last level if each of its entries has one value{apart}"),
        );
    }
}

/// Reports each declared width of an array that is not stored.
fn check_widths(stored: &Stored, declaration: &FormatDecl, errors: &mut Diagnostics) {
    let Stored { format, whole, .. } = stored;
    for primitive in &declaration.primitives {
        match &primitive.kind {
            PrimitiveKind::Index(widths) => {
                for (written, width) in widths {
                    let level = written.resolved(format.levels.iter().map(|level| level.name.as_str()));
                    let Some(stored) = level.map(|level| (&format.levels[level].name, &whole.levels[level])) else {
                        continue;
                    };
                    let (name, LevelStorage { kind, why, .. }) = stored;
                    if !matches!(kind, Kind::Indexed { .. } | Kind::Aligned { .. }) {
                        errors.error(
                            width,
                            format!("this width has no effect: level `{name}` has no `idx` array\nhelp: leave it out\nnote: {why}"),
                        );
                    }
                }
            }
            PrimitiveKind::Pointer(width) if !whole.levels.iter().any(|level| level.kind.is_pointed()) => {
                errors.error(
                    width,
                    "this width has no effect: no level has a `ptr` array\nhelp: leave it out\nnote: a trimmed level has one if the level above is not trimmed, or is merged",
                );
            }
            _ => {}
        }
    }
}

/// Reports words that leave out what an element has, and fillers that would hide what a hole has.
fn check_word(stored: &Stored, declaration: &FormatDecl, errors: &mut Diagnostics) {
    let format = &stored.format;
    let written = declaration
        .primitives
        .iter()
        .find_map(|primitive| match &primitive.kind {
            PrimitiveKind::Word(word) => Some((primitive, word)),
            _ => None,
        });
    let (Some(word), Some((primitive, written))) = (&format.word, written) else {
        return;
    };
    let storage = stored.of_values();
    let stored_levels = || (0..format.levels.len()).filter(|&level| is_per_value(storage, level));
    for level in stored_levels().filter(|&level| !word.has(level)) {
        let name = &format.levels[level].name;
        errors.error(
            &primitive.tokens,
            format!("level `{name}` has a coordinate for each value, and the word has no field for it\nhelp: add one, such as `{name}: 16 @ ..`, or leave the level out of the format"),
        );
    }
    if word.fields.iter().all(|field| field.level.is_some()) {
        errors.error(
            &primitive.tokens,
            "the word has no field for the value\nhelp: add one, such as `value: 32 @ ..`",
        );
    }
    let Some(filler) = &written.filler else { return };
    if !storage.holes {
        errors.error(filler, "this format has no holes to fill\nhelp: leave the filler out");
        return;
    }
    if let Some(level) = stored_levels().find(|&level| !matches!(storage.levels[level].kind, Kind::Aligned { .. })) {
        let name = &format.levels[level].name;
        errors.error(
            filler,
            format!(
                "a hole has a coordinate of level `{name}`, which the filler would hide\nhelp: leave the filler out"
            ),
        );
    }
    // A hole has the lowest coordinate of the domain, which is known only if it is not measured or starts at zero.
    let is_open = |&level: &usize| {
        let level = &format.levels[level];
        level.measured && !level.interval.is_nonnegative()
    };
    if let Some(level) = stored_levels().find(is_open) {
        let name = &format.levels[level].name;
        errors.error(
            filler,
            format!("the lowest coordinate of level `{name}` depends on the elements, so a hole has no word of its own\nhelp: leave the filler out"),
        );
    }
}
