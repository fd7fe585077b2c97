//! Generates random format declarations, as text.

use proptest::prelude::*;

use super::super::algebra::Expression;
use super::super::algebra::tests::maps::{DIMS, NAMES, invertible, show};

/// Generates the declaration of a format of at most three dims, with its number of dims.
pub(super) fn declaration() -> impl Strategy<Value = (usize, String)> {
    (invertible(), any::<u16>(), any::<u16>()).prop_map(|((dims, levels), merged, trimmed)| {
        let text = text(dims, &levels, merged, trimmed);
        (dims, text)
    })
}

/// Returns the declaration. The bits of `merged` and `trimmed` select levels.
fn text(dims: usize, levels: &[Expression], merged: u16, trimmed: u16) -> String {
    let names = DIMS[..dims].join(", ");
    let parameters: Vec<String> = NAMES.iter().map(|name| format!("const {name}: usize")).collect();
    let levels: Vec<String> = levels
        .iter()
        .enumerate()
        .map(|(at, level)| format!("l{at}: {}", show(level)))
        .collect();
    let mut primitives = String::new();
    for at in 0..levels.len() {
        if merged >> at & 1 == 1 && at + 1 < levels.len() {
            primitives += &format!(" merge({at});");
        }
        if trimmed >> at & 1 == 1 {
            primitives += &format!(" trim({at});");
        }
    }
    format!(
        "format Random<{}> = |{names}| ({}) {{{primitives} }}",
        parameters.join(", "),
        levels.join(", ")
    )
}
