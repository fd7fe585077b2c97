//! Tests of every rule of storage inference, level by level.

use super::{Kind, Stored};
use crate::compiler::compiled::declared;

/// Returns the storage of each level, with `*` for copied and `+` for full levels, and whether there can be holes.
fn kinds(text: &str) -> (Vec<String>, bool) {
    let storage = declared(&format!("format F{text}")).storage;
    let kind = |kind: Kind| {
        let copied = if kind.is_copied() { "*" } else { "" };
        format!(
            "{}{copied}{}",
            kind.to_string().replace(" u32", ""),
            if kind.is_full() { "+" } else { "" }
        )
    };
    (
        storage.levels.iter().map(|level| kind(level.kind)).collect(),
        storage.holes,
    )
}

fn check(text: &str, expected: &[&str], holes: bool) {
    assert_eq!(
        kinds(text),
        (expected.iter().map(ToString::to_string).collect(), holes),
        "{text}"
    );
}

#[test]
fn every_rule_of_the_design() {
    // Untrimmed levels store `size` only.
    check(" = |i, j| (i, j) {}", &["size", "size"], true);
    // Trimmed levels at the root, below a dense parent, below a merged one, and below an unmerged one.
    check(" = |i, j| (i, j) { merge(0); trim(1); }", &["size", "ptr, idx"], false);
    check(
        " = |i, j| (i, j) { merge(0); trim(0..=1); }",
        &["idx", "ptr, idx"],
        false,
    );
    check(" = |i, j| (i, j) { trim(0..=1); }", &["idx*", "idx"], false);
    check(" = |i, j| (i, j) { trim(0); }", &["idx", "size"], true);
    // The paper's format A has a level that is neither trimmed nor merged above a trimmed level.
    check(" = |i, j| (i, j) { trim(1); }", &["idx*+", "idx"], true);
    check(" = |i, j, k| (i, j, k) { trim(2); }", &["idx*+", "idx*+", "idx"], true);
    check(
        " = |i, j, k| (i, j, k) { merge(0); trim(2); }",
        &["size", "ptr, idx*+", "idx"],
        true,
    );
    check(
        " = |i, j, k| (i, j, k) { merge(1); trim(2); }",
        &["size", "size", "ptr, idx"],
        false,
    );
    // Two ranges of trims.
    check(
        " = |i, j, k| (i, j, k) { merge(0); trim(0); trim(2); }",
        &["idx", "ptr, idx*+", "idx"],
        true,
    );
    check(
        " = |i, j, k| (i, j, k) { trim(0); trim(2); }",
        &["idx*", "idx*+", "idx"],
        true,
    );
}

#[test]
fn fixed_levels_store_nothing_and_pass_a_merge_on() {
    check(
        " = |i, j| (d: j - i, i, j) { merge(d); trim(d); }",
        &["idx i32", "size", "nothing"],
        true,
    );
    check(
        " = |i, j| (i, k: 2 * i, j) { merge(k); trim(j); }",
        &["size", "nothing", "ptr, idx"],
        false,
    );
    check(
        " = |i, j| (i, k: 2 * i, j) { trim(j); }",
        &["idx*+", "nothing", "idx"],
        true,
    );
    check(
        " = |i, j| (one: 1, i, j) { merge(i); trim(j); }",
        &["nothing", "size", "ptr, idx"],
        false,
    );
}

#[test]
fn levels_of_queries() {
    let queries = "where {
        len = sum(value != 0 => 1, _ => 0).group_by(i);
        slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        rank = reorder(len, descending).group_by(i / 4).traverse_by(i);
        bank = schedule(len, 2).traverse_by(rank);
        place = slot(3).group_by(i % 2).key(i).traverse_by(j, i);
    }";
    let check = |levels: &str, primitives: &str, expected: &[&str], holes| {
        check(
            &format!(" = |i, j| ({levels}) {queries} {{ {primitives} }}"),
            expected,
            holes,
        );
    };
    // Numbers count from zero at the root and below levels that their group determines, and not elsewhere.
    check("slot, i, j", "merge(slot); trim(slot);", &["size", "size", "idx"], true);
    check("i, slot, j", "merge(i); trim(slot);", &["size", "ptr", "idx"], false);
    check(
        "k: j % 2, slot, i, j",
        "merge(k, slot); trim(slot);",
        &["size", "ptr, idx", "size", "idx"],
        true,
    );
    // Below a copied level, each number has an entry.
    check("i, slot, j", "trim(i..=slot);", &["idx*", "idx", "idx"], false);
    let sell = "w: i / 4, c: rank / 2, slot, l: rank % 2, i, j";
    check(
        sell,
        "merge(w, c, slot); trim(slot);",
        &["size", "size", "ptr", "size", "idx", "idx"],
        true,
    );
    // A bucket is a function of the row, but a row is not a function of its bucket.
    check(
        "bank, i, j",
        "merge(bank, i); trim(i..=j);",
        &["size", "ptr, idx", "ptr, idx"],
        false,
    );
    check(
        "i, bank, j",
        "merge(i); trim(j);",
        &["size", "idx u8", "ptr, idx"],
        false,
    );
    check(
        "rank, w: i / 4, i, j",
        "trim(rank..=j);",
        &["idx*", "idx*", "idx", "idx"],
        false,
    );
    // A place in a group determines the element.
    check(
        "h: i % 2, place, i, j",
        "merge(h); pad(place);",
        &["size", "ptr", "idx", "idx"],
        true,
    );
    check(
        "place, h: i % 2, i, j",
        "merge(place); pad(place);",
        &["size", "size", "idx", "idx"],
        true,
    );
    check(
        "d: rank - i, i, j",
        "merge(d, i); trim(d..=j);",
        &["idx i32", "ptr, idx", "ptr, idx"],
        false,
    );
    check(
        "a: 2 * rank, b: rank + 1, i, j",
        "trim(a..=j);",
        &["idx*", "nothing", "idx*", "idx"],
        false,
    );
}

#[test]
fn parts_start_at_a_root_of_their_own() {
    let check = |text: &str, whole: &[&str], part: &[&str]| {
        let stored = Stored::new(declared(&format!("format F = {text}")).format);
        let cut = stored.cut.expect("a cut");
        for (storage, expected) in [(stored.whole, whole), (cut.part, part)] {
            let kinds = storage.levels.iter().map(|level| match level.kind {
                Kind::Given => "given".to_owned(),
                kind => kind.to_string().replace(" u32", ""),
            });
            assert_eq!(kinds.collect::<Vec<_>>(), expected, "{text}");
        }
    };
    // The list below each node is the whole array of its part; the lists below it keep their pointers.
    check(
        "|i, j, k| (i, j, k) { merge(i, j); trim(i..=k); partition(i); }",
        &["idx", "ptr, idx", "ptr, idx"],
        &["given", "idx", "ptr, idx"],
    );
    check(
        "|i, j, k| (i, j, k) { merge(i, j); trim(i..=k); partition(j); }",
        &["idx", "ptr, idx", "ptr, idx"],
        &["given", "given", "idx"],
    );
    check(
        "|i, j| (b: i % 2, l: i / 2, j) { merge(b, l); trim(j); partition(b); }",
        &["size", "size", "ptr, idx"],
        &["given", "size", "ptr, idx"],
    );
    // The count below each node is the size of its part.
    let slot = "where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); }";
    check(
        &format!("|i, j| (i, slot, j) {slot} {{ merge(i); trim(slot); partition(i); }}"),
        &["size", "ptr", "idx"],
        &["given", "size", "idx"],
    );
    // Fixed levels stay fixed; a level that a query determines is given, or stores one entry.
    let rank = "where { len = sum(_ => 1).group_by(i); rank = reorder(len, ascending).traverse_by(i); }";
    check(
        &format!("|i, j| (rank, i, k: 2 * i, j) {rank} {{ merge(rank); trim(j); partition(rank); }}"),
        &["size", "idx", "nothing", "ptr, idx"],
        &["given", "idx", "nothing", "idx"],
    );
    check(
        &format!("|i, j| (rank, i, k: 2 * i, j) {rank} {{ merge(rank); trim(j); partition(k); }}"),
        &["size", "idx", "nothing", "ptr, idx"],
        &["given", "given", "nothing", "idx"],
    );
}

#[test]
fn chains_are_levels_with_one_entry_per_position_of_the_last() {
    let storage = declared("format F = |i, j, k| (i, l: -i, j, k) { merge(j); trim(i..=k); }").storage;
    let starts: Vec<bool> = (0..4).map(|level| storage.starts_chain(level)).collect();
    assert_eq!(starts, [true, false, false, true]);
    assert_eq!((storage.chain_end(0), storage.chain_end(3)), (2, 3));
    assert_eq!(
        storage.levels.iter().map(|level| level.parent).collect::<Vec<_>>(),
        [None, Some(0), Some(0), Some(2)]
    );
}
