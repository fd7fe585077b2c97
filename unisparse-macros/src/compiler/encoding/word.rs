//! The layout of an element as a machine word.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::LitInt;
use syn::ext::IdentExt;

use super::{Level, Status};
use crate::compiler::diagnostics::{Diagnostics, counted, did_you_mean, list};
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::syntax::primitive::PrimitiveKind;
use crate::compiler::syntax::word::{FieldDecl, WordDecl};

/// The sizes that a word can have.
const SIZES: [u32; 5] = [8, 16, 32, 64, 128];

/// The layout of an element as a word of `bits` bits.
pub(crate) struct Word {
    pub(crate) bits: u32,
    /// The fields, as they are written.
    pub(crate) fields: Vec<WordField>,
    /// The word of a hole.
    pub(crate) filler: Option<u128>,
}

/// Bits of a word: the coordinate of a level, or the value.
#[derive(Clone, Copy)]
pub(crate) struct WordField {
    /// The level; `None` for the value.
    pub(crate) level: Option<usize>,
    pub(crate) bits: u32,
    /// The place of the lowest bit.
    pub(crate) at: u32,
}

impl Word {
    /// Whether a level has a field.
    pub(crate) fn has(&self, level: usize) -> bool {
        self.fields.iter().any(|field| field.level == Some(level))
    }
}

/// Returns the layout that is written, for levels called `names`, or `None` after reporting errors.
pub(super) fn check_word(written: &WordDecl, names: &[String], errors: &mut Diagnostics) -> Option<Word> {
    let mut found = Diagnostics::default();
    let bits = written.bits.base10_parse().ok().filter(|bits| SIZES.contains(bits));
    if bits.is_none() {
        found.error(
            &written.bits,
            "a word has 8, 16, 32, 64 or 128 bits\nhelp: write `word(64)`, and leave bits of it unused",
        );
    }
    let mut fields: Vec<(WordField, &FieldDecl)> = Vec::new();
    for field in &written.fields {
        let Some(checked) = check_field(field, bits, names, &mut found) else {
            continue;
        };
        if let Some((_, first)) = fields.iter().find(|(other, _)| other.level == checked.level) {
            let message = format!("`{}` already has a field\nhelp: leave this one out", first.name);
            found.error(&field.tokens, message);
        } else if let Some((other, first)) = fields.iter().find(|(other, _)| overlap(other, &checked)) {
            let above = other.at + other.bits;
            let help = match bits {
                Some(word) if above + checked.bits > word => "make one of them narrower".to_owned(),
                _ => format!("place it at bit {above} or above"),
            };
            let message = format!(
                "bits {} to {} of this field are those of `{}` too\nhelp: {help}",
                other.at.max(checked.at),
                above.min(checked.at + checked.bits) - 1,
                first.name,
            );
            found.error(&field.tokens, message);
        }
        fields.push((checked, field));
    }
    let filler = written
        .filler
        .as_ref()
        .and_then(|filler| check_filler(filler, bits, &mut found));
    let clean = found.is_empty();
    errors.absorb(found);
    let fields = fields.into_iter().map(|(field, _)| field).collect();
    bits.filter(|_| clean).map(|bits| Word { bits, fields, filler })
}

fn overlap(one: &WordField, other: &WordField) -> bool {
    one.at < other.at + other.bits && other.at < one.at + one.bits
}

fn check_field(field: &FieldDecl, word: Option<u32>, names: &[String], errors: &mut Diagnostics) -> Option<WordField> {
    let name = field.name.unraw().to_string();
    let level = names.iter().position(|candidate| *candidate == name);
    if name != "value" && level.is_none() {
        let known = || names.iter().map(String::as_str).chain(["value"]);
        let help = did_you_mean(&name, known());
        errors.error(
            &field.name,
            format!(
                "there is no level `{name}`{help}\nnote: a field is one of {}",
                list(known())
            ),
        );
        return None;
    }
    if name == "value" && level.is_some() {
        errors.error(
            &field.name,
            "`value` is a level, and the value of an element\nhelp: give the level another name",
        );
        return None;
    }
    let bits = number(&field.bits, errors)?;
    let at = number(&field.at, errors)?;
    if bits == 0 {
        errors.error(&field.bits, "a field has at least one bit\nhelp: leave the field out");
        return None;
    }
    if let Some(word) = word.filter(|&word| at.saturating_add(bits) > word) {
        let help = if bits > word {
            format!("give it {word} bits or fewer")
        } else {
            format!("place it at bit {} or below", word - bits)
        };
        errors.error(
            &field.tokens,
            format!(
                "this field ends at bit {}, outside of a word of {word} bits\nhelp: {help}",
                at.saturating_add(bits) - 1
            ),
        );
        return None;
    }
    if level.is_some() && bits > 63 {
        errors.error(
            &field.bits,
            "a coordinate has at most 63 bits\nhelp: write a smaller number",
        );
        return None;
    }
    Some(WordField { level, bits, at })
}

fn check_filler(filler: &LitInt, bits: Option<u32>, errors: &mut Diagnostics) -> Option<u128> {
    let value = filler.base10_parse::<u128>();
    let fits = |value: &u128| bits.is_none_or(|bits| bits >= 128 || value >> bits == 0);
    let value = value.ok().filter(fits);
    if value.is_none() {
        let bits = bits.unwrap_or(128);
        errors.error(
            filler,
            format!("this does not fit a word of {bits} bits\nhelp: write a smaller number"),
        );
    }
    value
}

fn number(literal: &LitInt, errors: &mut Diagnostics) -> Option<u32> {
    let number = literal.base10_parse::<u32>().ok().filter(|&number| number <= 128);
    if number.is_none() {
        errors.error(literal, "a word has at most 128 bits\nhelp: write a smaller number");
    }
    number
}

/// Reports fields that are too narrow for the coordinates that a level is known to have, and fields of levels whose coordinates
/// no array has.
pub(super) fn check_word_widths(
    declaration: &FormatDecl,
    levels: &[Level],
    (word, tokens): &(Word, TokenStream),
    pack: Option<&TokenStream>,
    errors: &mut Diagnostics,
) {
    if let Some(pack) = pack {
        errors.error(
            pack,
            "`pack` and `word` both lay out the elements\nhelp: leave one of them out",
        );
    }
    for field in &word.fields {
        let Some(at) = field.level else { continue };
        let (level, name) = (&levels[at], &levels[at].name);
        let tokens = field_tokens(declaration, name).unwrap_or_else(|| tokens.clone());
        if level.status == Status::Fixed && level.indirect {
            errors.error(
                &tokens,
                format!("the levels above fix `{name}`, so no array stores its coordinate\nhelp: leave this field out"),
            );
        }
        let (Some(lo), Some(hi)) = level.interval.known() else {
            continue;
        };
        let needed = bits_of(lo, hi);
        if needed > field.bits {
            errors.error(
                &tokens,
                format!(
                    "level `{name}` runs from {lo} to {hi}, which takes {}, and this field has {}\nhelp: write `{name}: {needed} @ {}`",
                    counted(needed as usize, "bit", "bits"),
                    field.bits,
                    field.at
                ),
            );
        }
    }
}

/// Returns the bits that coordinates take, of which negative ones are two's complements.
fn bits_of(lo: i128, hi: i128) -> u32 {
    let of = |number: i128| 128 - number.max(0).leading_zeros();
    match lo < 0 {
        true => of(hi).max(of(-lo - 1)) + 1,
        false => of(hi).max(1),
    }
}

/// Returns the tokens of the field with this name.
fn field_tokens(declaration: &FormatDecl, name: &str) -> Option<TokenStream> {
    let mut fields = declaration
        .primitives
        .iter()
        .filter_map(|primitive| match &primitive.kind {
            PrimitiveKind::Word(word) => Some(&word.fields),
            _ => None,
        });
    let field = fields.next()?.iter().find(|field| field.name.unraw() == name)?;
    Some(field.tokens.to_token_stream())
}

/// Returns a layout as it is written, on one line.
pub(super) fn word_text(word: &WordDecl) -> String {
    let fields = word.fields.iter().map(|field| {
        let FieldDecl { name, bits, at, .. } = field;
        format!("{name}: {bits} @ {at}")
    });
    let fields: Vec<String> = fields.collect();
    let filler = word.filler.as_ref().map(|filler| format!(" filler {filler}"));
    format!(
        "word({}) {{ {} }}{}",
        word.bits,
        fields.join(", "),
        filler.unwrap_or_default()
    )
}
