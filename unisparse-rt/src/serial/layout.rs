//! The layout of a format as text, which says what the arrays mean.

use crate::format::{Array, Encoded, Encoding, Storage};

/// Returns what the arrays of a tensor mean: the index map, the primitives and the queries as declared, the values of the
/// parameters, and the types of the arrays. Two formats with one layout read each other's arrays, whatever their names.
#[must_use]
pub fn layout<F: Encoded>(parameters: &[(&str, usize)]) -> String {
    let parts = F::ENCODINGS
        .iter()
        .zip(F::STORAGE)
        .map(|(encoding, storage)| of(encoding, storage));
    let mut text = parts.collect::<Vec<_>>().join(" + ");
    for (name, value) in parameters {
        text += &format!(", {name} = {value}");
    }
    text
}

fn of(encoding: &Encoding, storage: &Storage) -> String {
    let level = |number: usize| encoding.levels[number].name;
    let levels = encoding
        .levels
        .iter()
        .map(|level| format!("{}: {}", level.name, level.text));
    let mut text = format!("|{}| ({})", encoding.dims.join(", "), list(levels));
    if !encoding.queries.is_empty() {
        let queries = encoding
            .queries
            .iter()
            .map(|query| format!("{} = {}", query.name, query.text));
        text += &format!(" where {}", list(queries));
    }
    let mut primitive = |name: &str, levels: Vec<&str>| {
        if !levels.is_empty() {
            text += &format!(" {name}({})", levels.join(", "));
        }
    };
    let named = |holds: fn(&crate::format::LevelForm) -> bool| {
        encoding
            .levels
            .iter()
            .filter(|level| holds(level))
            .map(|level| level.name)
            .collect()
    };
    primitive("merge", named(|level| level.merged));
    primitive("trim", named(|level| level.trimmed));
    for &(first, last) in encoding.packs {
        // The last of a pack may be the values.
        primitive(
            "pack",
            (first..=last)
                .map(|number| encoding.levels.get(number).map_or("values", |level| level.name))
                .collect(),
        );
    }
    primitive("partition", encoding.partition.map(level).into_iter().collect());
    let arrays = storage.levels.iter().flat_map(|level| [level.ptr, level.idx]).flatten();
    let arrays = list(arrays.map(|Array { name, entry, .. }| format!("{name}: {entry}")));
    if arrays.is_empty() { text } else { text + " " + &arrays }
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
