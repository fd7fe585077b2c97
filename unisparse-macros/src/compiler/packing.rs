//! What the primitives of layout apply to: the arrays of one length that `pack` lays side by side, those that have widths.

use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::encoding::Format;
use crate::compiler::storage::{Kind, LevelStorage, Storage};
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::syntax::primitive::PrimitiveKind;

/// Each `pack` lays at least two arrays side by side: how levels are stored tells. Notes those that do not.
pub(crate) fn check(format: &Format, declaration: &FormatDecl, errors: &mut Diagnostics) {
    let storages = [
        Some(Storage::new(format)),
        format.partition.map(|cut| Storage::of_part(format, cut)),
    ];
    let packs = |range| {
        let mut storages = storages.iter().flatten();
        storages.any(|storage| !runs(format, storage, range).is_empty())
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
        let apart = format.partition.map_or_else(String::new, |cut| {
            format!(
                "\nnote: the levels below `{}` are in the parts: they are not packed with those above",
                name(cut)
            )
        });
        errors.error(
            &primitive.tokens,
            format!("this packs nothing: no two arrays of these levels are of one length\nhelp: {help}\nnote: the values are packed with the last level, if there is one of them for each of its entries{apart}"),
        );
    }
}

/// Each width is that of an array: how levels are stored tells. Notes those of arrays that do not exist.
pub(crate) fn check_widths(format: &Format, declaration: &FormatDecl, errors: &mut Diagnostics) {
    let storage = Storage::new(format);
    for primitive in &declaration.primitives {
        match &primitive.kind {
            PrimitiveKind::Index(widths) => {
                for (written, width) in widths {
                    let level = written.resolved(format.levels.iter().map(|level| level.name.as_str()));
                    let Some(stored) = level.map(|level| (&format.levels[level].name, &storage.levels[level])) else {
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
            PrimitiveKind::Pointer(width) if !storage.levels.iter().any(|level| level.kind.is_pointed()) => {
                errors.error(
                    width,
                    "this width has no effect: no level has a `ptr` array\nhelp: leave it out\nnote: a trimmed level has one below a level that is not trimmed, or that is merged",
                );
            }
            _ => {}
        }
    }
}

/// Arrays of one length that are held as one array of tuples.
pub(crate) struct Run {
    /// The levels whose `idx` arrays these are, from the root down: the first names the array.
    pub(crate) levels: Vec<usize>,
    /// Whether the values come last.
    pub(crate) values: bool,
    /// The level whose positions the tuples stand at; none for the root.
    holder: Option<usize>,
}

/// The runs of two arrays or more among the levels `first..=last` whose arrays are here, and the values if `last` is the
/// last level and they are.
pub(crate) fn runs(format: &Format, storage: &Storage, (first, last): (usize, usize)) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let last = last.min(storage.end - 1);
    for level in first..=last {
        let Some(holder) = index_holder(storage, level) else {
            continue;
        };
        match runs.iter_mut().find(|run| run.holder == holder) {
            Some(run) => run.levels.push(level),
            None => runs.push(Run {
                levels: vec![level],
                values: false,
                holder,
            }),
        }
    }
    if last + 1 == format.levels.len() {
        let holder = value_holder(storage);
        runs.iter_mut().for_each(|run| run.values = run.holder == holder);
    }
    runs.retain(|run| run.width() > 1);
    runs
}

impl Run {
    /// How many arrays it holds.
    fn width(&self) -> usize {
        self.levels.len() + usize::from(self.values)
    }

    /// The level whose `ptr` array cuts the tuples into lists.
    pub(crate) fn pointed(&self, storage: &Storage) -> Option<usize> {
        let holder = self.holder?;
        let first = (0..=holder).find(|&level| storage.starts_chain(level) && storage.chain_end(level) == holder);
        let first = first.unwrap_or(holder);
        match storage.levels[first].kind {
            Kind::Indexed { pointer, .. } | Kind::Counted { pointer } => pointer.map(|_| first),
            _ => None,
        }
    }
}

/// The level whose positions the `idx` array of `level` has an entry for, if it has such an array.
fn index_holder(storage: &Storage, level: usize) -> Option<Option<usize>> {
    let end = |holder: usize| match storage.levels[holder].kind {
        Kind::Indexed { .. } => storage.chain_end(holder),
        _ => holder,
    };
    match storage.levels[level].kind {
        Kind::Indexed { .. } => Some(Some(end(level))),
        Kind::Aligned { .. } => Some(storage.levels[level].parent.map(end)),
        Kind::Fixed | Kind::Given | Kind::Dense | Kind::Counted { .. } => None,
    }
}

/// The level whose positions are those of the values.
fn value_holder(storage: &Storage) -> Option<usize> {
    let holds = |kind: Kind| matches!(kind, Kind::Dense | Kind::Counted { .. } | Kind::Indexed { .. });
    storage.levels.iter().rposition(|level| holds(level.kind))
}

#[cfg(test)]
mod tests {
    use crate::compiler::brute::declared;

    /// The levels of each run, `*` for the values, and the level whose pointers cut it.
    fn check(text: &str, expected: &[&str]) {
        let compiled = declared(&format!("format F = {text}"));
        let name = |level: usize| compiled.format.levels[level].name.clone();
        let runs = compiled.storage.runs.iter().map(|run| {
            let mut items: Vec<String> = run.levels.iter().map(|&level| name(level)).collect();
            items.extend(run.values.then(|| "*".to_owned()));
            let pointed = run
                .pointed(&compiled.storage)
                .map(|level| format!(" below {}", name(level)));
            items.join(" ") + &pointed.unwrap_or_default()
        });
        assert_eq!(runs.collect::<Vec<_>>(), expected, "{text}");
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
        // Below a dense level there are more values than entries.
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
