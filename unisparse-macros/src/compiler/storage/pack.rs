//! Finds the arrays of equal length that `pack` interleaves.

use super::{Kind, Storage, TupleArray};
use crate::compiler::encoding::Format;

/// Returns the arrays of tuples of at least two members, from the levels `first..=last` that are stored here. The values join one
/// if `last` is the last level and the values are stored here.
pub(crate) fn tuple_arrays(format: &Format, storage: &Storage, (first, last): (usize, usize)) -> Vec<TupleArray> {
    let mut tuple_arrays: Vec<TupleArray> = Vec::new();
    let last = last.min(storage.end - 1);
    for level in first..=last {
        let Some(holder) = index_holder(storage, level) else {
            continue;
        };
        match tuple_arrays.iter_mut().find(|tuples| tuples.holder == holder) {
            Some(tuples) => tuples.levels.push(level),
            None => tuple_arrays.push(TupleArray {
                levels: vec![level],
                values: false,
                holder,
            }),
        }
    }
    if last + 1 == format.levels.len() {
        let holder = value_holder(storage);
        tuple_arrays
            .iter_mut()
            .for_each(|tuples| tuples.values = tuples.holder == holder);
    }
    tuple_arrays.retain(|tuples| tuples.width() > 1);
    tuple_arrays
}

/// Returns the level that has one `idx` entry of `level` per position (`None` inside: the root), or `None` without an
/// `idx` array.
fn index_holder(storage: &Storage, level: usize) -> Option<Option<usize>> {
    let end = |holder: usize| match storage.levels[holder].kind {
        Kind::Indexed { .. } => storage.chain_end(holder),
        _ => holder,
    };
    match storage.levels[level].kind {
        Kind::Indexed { .. } => Some(Some(end(level))),
        Kind::Aligned { .. } if storage.is_invariant(level) => None,
        Kind::Aligned { .. } => Some(storage.levels[level].parent.map(end)),
        Kind::Fixed | Kind::Given | Kind::Dense | Kind::Counted { .. } => None,
    }
}

/// Whether a level has an `idx` entry for each value.
pub(crate) fn is_per_value(storage: &Storage, level: usize) -> bool {
    index_holder(storage, level).is_some_and(|holder| holder == value_holder(storage))
}

/// Returns the level that has one value per position; `None` for the root.
fn value_holder(storage: &Storage) -> Option<usize> {
    let holds = |kind: Kind| matches!(kind, Kind::Dense | Kind::Counted { .. } | Kind::Indexed { .. });
    storage.levels.iter().rposition(|level| holds(level.kind))
}

#[cfg(test)]
mod tests {
    use crate::compiler::compiled::declared;

    /// Checks the levels of each array of tuples, with `*` for the values, and the level whose pointers divide it.
    fn check(text: &str, expected: &[&str]) {
        let compiled = declared(&format!("format F = {text}"));
        let name = |level: usize| compiled.format.levels[level].name.clone();
        let tuple_arrays = compiled.storage.tuple_arrays.iter().map(|tuples| {
            let mut items: Vec<String> = tuples.levels.iter().map(|&level| name(level)).collect();
            items.extend(tuples.values.then(|| "*".to_owned()));
            let pointed = tuples
                .pointed(&compiled.storage)
                .map(|level| format!(" below {}", name(level)));
            items.join(" ") + &pointed.unwrap_or_default()
        });
        assert_eq!(tuple_arrays.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn arrays_of_one_length_are_packed() {
        check("|i, j| (i, j) { trim(0..=1); pack(0..=1); }", &["i j *"]);
        check("|i, j| (i, j) { merge(i); trim(j); pack(0..=1); }", &["j * below j"]);
        check("|i, j, k| (i, j, k) { trim(0..=2); pack(0..=1); }", &["i j"]);
        check(
            "|i, j, k| (i, j, k) { merge(i); trim(0..=2); pack(0..=2); }",
            &["j k * below j"],
        );
        check(
            "|i, j, k, l| (i, j, k, l) { merge(j); trim(0..=3); pack(0..=3); }",
            &["i j", "k l * below k"],
        );
        // A dense level has more values than the levels above it have entries.
        check("|i, j, k| (i, j, k) { merge(j); trim(0..=1); pack(0..=2); }", &["i j"]);
        check("|i, j| (i, l: -i, j) { trim(0..=2); pack(0..=2); }", &["i j *"]);
    }

    #[test]
    fn aligned_levels_are_packed_with_what_holds_them() {
        let queries = "where {
            len = sum(value != 0 => 1, _ => 0).group_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
            rank = reorder(len, descending).traverse_by(i);
        }";
        let check = |levels: &str, primitives: &str, expected: &[&str]| {
            check(&format!("|i, j| ({levels}) {queries} {{ {primitives} }}"), expected);
        };
        check("slot, i, j", "merge(slot); trim(slot); pack(j);", &["j *"]);
        check(
            "slot, rank, i, j",
            "merge(slot); trim(0..=1); pack(rank..=j);",
            &["rank i j * below rank"],
        );
        check(
            "i, slot, j",
            "merge(i); trim(slot); pack(slot..=j);",
            &["j * below slot"],
        );
        check(
            "rank, i, j",
            "merge(rank, i); trim(j); pack(rank..=j);",
            &["j * below j"],
        );
    }
}
