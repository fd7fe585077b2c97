//! Tests of the compiler on random declarations, against an independent interpreter.

use std::ops::Range;

use proc_macro2::TokenStream;
use quote::quote;
use specification::generator::{Features, illegal, legal};
use specification::interpreter;

use super::compiled::compile;
use super::sparse_format;
use super::storage::Kind;

/// The number of declarations, unless `GENERATED_DECLARATIONS` is set.
const DECLARATIONS: u64 = 500;

fn seeds() -> Range<u64> {
    let count = std::env::var("GENERATED_DECLARATIONS").ok();
    0..count.map_or(DECLARATIONS, |count| count.parse().expect("a number of declarations"))
}

fn parsed(text: &str) -> TokenStream {
    text.parse().expect("the declaration is tokens")
}

/// Panics with all differences, if there are any, or more than one in 600 declarations.
///
/// The interpreter knows the values of const parameters and evaluates all levels at points. So it finds some digits that the algebra of
/// the compiler does not find, as `i - j` below `j % 2 - 2 * (i - j)`; rarely it is the other way round. Such a level costs memory, and
/// its values are those of every other format.
fn none(found: &[String]) {
    let shown: Vec<&str> = found.iter().take(30).map(String::as_str).collect();
    let most = seeds().end / 600;
    assert!(
        found.len() as u64 <= most,
        "{} of {:?}\n\n{}",
        found.len(),
        seeds(),
        shown.join("\n\n")
    );
}

#[test]
fn legal_declarations_are_accepted_and_stored_as_interpreted() {
    let (mut below, mut between, mut several, mut counted) = (0, 0, 0, 0);
    let differs = |seed| {
        let text = legal(seed, "Random", Features::ALL).text;
        let storage = match compile(parsed(&text)) {
            Ok(compiled) => compiled.storage,
            Err(errors) => return Some(format!("{text}\n{errors}")),
        };
        for level in 0..storage.levels.len() {
            let over = &storage.levels[level].invariant_over;
            let kept: Vec<usize> = storage.below_invariant(level).collect();
            below += usize::from(!over.is_empty() && kept.is_empty());
            between += usize::from(!kept.is_empty());
            several += usize::from(over.len() > 1);
            let is_counted = |&level: &usize| matches!(storage.levels[level].kind, Kind::Counted { .. });
            counted += usize::from(kept.iter().any(is_counted));
        }
        let kinds = storage.levels.iter().map(|level| match level.kind {
            Kind::Fixed | Kind::Given => "fixed".to_owned(),
            Kind::Dense => "dense".to_owned(),
            Kind::Counted { pointer } => format!("counted{}", if pointer.is_some() { " ptr" } else { "" }),
            Kind::Aligned { .. } if level.invariant_over.is_empty() => "aligned".to_owned(),
            Kind::Aligned { .. } => format!("aligned, whatever {:?}", level.invariant_over),
            Kind::Indexed {
                pointer, copied, full, ..
            } => {
                let mark = |is: bool, mark: &'static str| if is { mark } else { "" };
                let pointer = mark(pointer.is_some(), " ptr");
                format!("indexed{pointer}{}{}", mark(copied, " copied"), mark(full, " full"))
            }
        });
        let kinds: Vec<String> = kinds.collect();
        let plan = interpreter::Format::parse(&text).plan();
        let same = (&kinds, storage.holes) == (&plan.kinds(), plan.holes);
        let found = format!("compiler    {kinds:?}, holes: {}", storage.holes);
        (!same).then(|| format!("{text}\n{found}\ninterpreter {:?}, holes: {}", plan.kinds(), plan.holes))
    };
    none(&seeds().filter_map(differs).collect::<Vec<_>>());
    // Some declarations have levels that are stored once, of each kind.
    let counts = [below, between, several, counted];
    assert!(counts.iter().all(|&count| count > 3), "{counts:?}");
}

#[test]
fn illegal_declarations_are_refused() {
    let accepted = |seed| {
        let text = illegal(seed);
        let tokens = parsed(&text);
        let output = sparse_format(quote!({ ::unisparse } #tokens)).to_string();
        // The stand-in of a format with errors is not a struct.
        let refused =
            compile(tokens).is_err() && output.starts_with(":: core :: compile_error") && !output.contains("struct");
        (!refused).then_some(text)
    };
    let mut accepted: Vec<String> = seeds().filter_map(accepted).collect();
    accepted.sort();
    none(&accepted);
}
