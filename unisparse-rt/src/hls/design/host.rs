//! Prints the packing as a program of C++, from the declaration.

use std::fmt::Write as _;

use super::Parameters;
use super::digits::Digits;
use super::layout::Layout;
use crate::format::{Atom, Form, Query, QueryKind};

/// Returns the program, for formats whose only query numbers the slots.
pub(super) fn host(layout: &Layout, parameters: &Parameters, element: &str) -> Option<String> {
    let encoding = layout.encoding;
    let query = match (encoding.queries, layout.slot) {
        ([], None) => None,
        ([query], Some(_)) if query.kind == QueryKind::Slot || query.first.is_some() => Some(query),
        _ => return None,
    };
    let fields = |fields: fn(&Query) -> &'static [Form]| -> String {
        let texts: Vec<String> = query.map_or(&[][..], fields).iter().map(form).collect();
        texts.join(", ")
    };
    let first = query.and_then(|query| query.first.as_ref());
    let level = |level: usize| match layout.slot == Some(level) {
        true => "slot".to_owned(),
        false => form(&encoding.levels[level].form),
    };
    let levels: Vec<String> = (0..encoding.levels.len()).map(level).collect();
    let filler = layout.word.filler.unwrap_or(0);
    let text = include_str!("../shim/host_pack.cpp.in")
        .replace("{LEVELS}", &format!("{{{}}}", levels.join(", ")))
        .replace("GROUP_FIELDS", &fields(|query| query.groups))
        .replace("KEY_FIELDS", &fields(|query| query.key))
        .replace("ORDER_FIELDS", &fields(|query| query.traverse))
        .replace(
            "SLOT_DISTANCE_NUMBER",
            &query.map_or(0, |query| query.distance).to_string(),
        )
        .replace("SHARES_SLOTS_VALUE", &first.is_some().to_string())
        .replace("FIRST_SLOT", &first.map_or_else(|| "0".to_owned(), form))
        .replace("HAS_SLOTS_VALUE", &query.is_some().to_string())
        .replace("HAS_FILLER_VALUE", &layout.word.filler.is_some().to_string())
        .replace("HAS_WINDOWS_VALUE", &(!layout.windows.0.is_empty()).to_string())
        .replace(
            "FILLER_WORD",
            &format!("word_bits({:#x}u) << 64 | {:#x}u", (filler >> 64) as u64, filler as u64),
        )
        .replace("CHANNEL_NUMBER", &number(&layout.channels))
        .replace("WINDOW_NUMBER", &number(&layout.windows))
        .replace("LANE_NUMBER", &number(&layout.lanes))
        .replace("COLUMN_NUMBER", &number(&layout.columns))
        .replace("VALUE_PLACE", &layout.value.at.to_string())
        .replace("FIELDS    ", &put_fields(layout))
        .replace("BUFFER_MULTIPLE", &parameters.multiple.to_string());
    let integer = element
        .strip_prefix("unisparse::wrapping<")
        .and_then(|element| element.strip_suffix('>'));
    let parsed = match (element, integer) {
        ("float", _) => "real_of(text, std::strtof)".to_owned(),
        ("double", _) => "real_of(text, std::strtod)".to_owned(),
        (_, integer) => format!("integer_of<{}>(text)", integer.unwrap_or("bool")),
    };
    Some(text.replace("PARSED", &parsed))
}

/// Returns the statements that put coordinates into the fields of a word.
fn put_fields(layout: &Layout) -> String {
    let mut text = String::new();
    for field in layout.word.fields {
        let Some(level) = field.level else { continue };
        let _ = writeln!(
            text,
            "    put(word, \"{}\", level[{level}], {}, {});",
            field.name, field.at, field.bits
        );
        if field.stored {
            let _ = writeln!(text, "    is_hole = is_hole && level[{level}] == 0;");
        }
    }
    text + "    "
}

/// Returns the number that levels make.
fn number(digits: &Digits) -> String {
    let of = |number: String, digit: &super::digits::Digit| match (number.as_str(), digit.size) {
        ("0", _) => format!("level[{}]", digit.level),
        (number, Some(size)) => format!("({number}) * {size} + level[{}]", digit.level),
        (number, None) => format!("({number}) + level[{}]", digit.level),
    };
    digits.0.iter().fold("0".to_owned(), of)
}

/// Returns an expression of the declaration as C++.
fn form(form: &Form) -> String {
    let atom = |atom: &Atom| match *atom {
        Atom::Dim(0) => "i".to_owned(),
        Atom::Dim(_) => "j".to_owned(),
        // The only query is that of the level of slots, which no other level mentions.
        Atom::Query(_) => "slot".to_owned(),
        Atom::Quotient(dividend, divisor) => format!("quotient({}, {divisor})", self::form(dividend)),
    };
    let terms = form.terms.iter().map(|(of, factor)| match factor {
        1 => atom(of),
        factor => format!("{factor} * {}", atom(of)),
    });
    let mut text = terms.collect::<Vec<_>>().join(" + ");
    if form.constant != 0 || text.is_empty() {
        let _ = write!(text, "{}{}", if text.is_empty() { "" } else { " + " }, form.constant);
    }
    text
}
