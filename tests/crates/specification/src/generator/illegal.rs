//! Declarations with one mistake each.

use super::expressions::mentions;
use super::legal::Draft;
use super::{Features, Random};

/// A declaration with a mistake.
pub fn illegal(seed: u64) -> String {
    /// Levels, queries and primitives of formats of two dims with one mistake each.
    const MISTAKES: &[(&str, &str, &str)] = &[
        // Names.
        ("i, jj", "", ""),
        ("row: i, row: j", "", ""),
        (
            "i, j, slott",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "",
        ),
        ("i, j", "len = sum(value != 0 => 1, _ => 0).group_by(ii);", ""),
        ("i, j", "i = sum(value != 0 => 1, _ => 0).group_by(j);", ""),
        ("i, j", "P = sum(value != 0 => 1, _ => 0).group_by(j);", ""),
        ("i, j", "a = sum(_ => 0).group_by(i); a = sum(_ => 0).group_by(j);", ""),
        ("i, j", "", "merge(k);"),
        ("i, j", "", "trim(5);"),
        ("i, j", "", "glue(i);"),
        ("i, j", "len = total(value != 0 => 1, _ => 0).group_by(i);", ""),
        // Queries that are declared later.
        (
            "i, j",
            "rank = reorder(len, ascending).traverse_by(i); len = sum(value != 0 => 1, _ => 0).group_by(i);",
            "",
        ),
        ("i, j", "a = sum(value != 0 => a, _ => 0).group_by(i);", ""),
        (
            "i, j",
            "a = sum(value != 0 => 1, _ => 0).group_by(b); b = sum(value != 0 => 1, _ => 0).group_by(i);",
            "",
        ),
        ("i, j", "rank = reorder(rank, ascending).traverse_by(i);", ""),
        // Clauses.
        ("i, j", "len = sum(value != 0 => 1, _ => 0);", ""),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i).group_by(j);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i).traverse_by(j);",
            "",
        ),
        ("i, j", "slot = enumerate(_ => 0).group_by(i);", ""),
        ("i, j", "slot = enumerate(_ => 0).traverse_by(j);", ""),
        ("i, j", "slot = slot(2).group_by(i).traverse_by(j);", ""),
        ("i, j", "slot = slot(2).key(i).traverse_by(j);", ""),
        (
            "i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j).key(i);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); rank = reorder(len, ascending);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); bank = schedule(len, 2);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); rank = reorder(len, upward).traverse_by(i);",
            "",
        ),
        ("i, j", "len = sum(value != 0 => 1, _ => 0).order_by(i);", ""),
        // Value maps.
        ("i, j", "len = sum(value != 0 => 1).group_by(i);", ""),
        ("i, j", "len = sum().group_by(i);", ""),
        ("i, j", "len = sum(_ => 0, value != 0 => 1).group_by(i);", ""),
        ("i, j", "len = sum(value != 0 => 0 - 1, _ => 0).group_by(i);", ""),
        ("i, j", "len = sum(value != 0 => i - j, _ => 0).group_by(i);", ""),
        ("i, j", "len = sum(value ! 0 => 1, _ => 0).group_by(i);", ""),
        ("i, j", "len = sum(number != 0 => 1, _ => 0).group_by(i);", ""),
        ("i, j", "len = sum(value == 0 => j, _ => 0).group_by(i);", ""),
        (
            "i, j",
            "a = sum(_ => 0).group_by(j); len = sum(value == 0 => a, _ => 0).group_by(i);",
            "",
        ),
        (
            "i, j",
            "a = sum(value != 0 => 1, _ => 0).group_by(i); len = sum(_ => 1).group_by(a);",
            "",
        ),
        // Names that are not queries, and expressions that are not functions of a group.
        (
            "i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j); bank = schedule(slot, 2).traverse_by(i);",
            "",
        ),
        (
            "i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j); rank = reorder(slot, ascending).traverse_by(i);",
            "",
        ),
        (
            "i, j",
            "slot = slot(1).group_by(i).key(i).traverse_by(j); rank = reorder(slot, ascending).traverse_by(i);",
            "",
        ),
        ("i, j", "rank = reorder(i, ascending).traverse_by(i);", ""),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); rank = reorder(len, ascending).traverse_by(j);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i / 2); rank = reorder(len, ascending).traverse_by(i);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); rank = reorder(len, ascending).group_by(j).traverse_by(i);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); bank = schedule(len, 2).traverse_by(j);",
            "",
        ),
        // Numbers.
        ("i / 0, i % 0, j", "", ""),
        ("i, j", "len = sum(value != 0 => 1, _ => 0).group_by(i / 0);", ""),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); bank = schedule(len, 0).traverse_by(i);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); bank = schedule(len, i).traverse_by(i);",
            "",
        ),
        ("i, j", "slot = slot(0 - 2).group_by(i).key(i).traverse_by(j);", ""),
        ("i, j", "slot = slot(j).group_by(i).key(i).traverse_by(j);", ""),
        ("i, j", "len = sum(value != 0 => 1, _ => 0).group_by(i * j);", ""),
        ("i, j, len * i", "len = sum(value != 0 => 1, _ => 0).group_by(i);", ""),
        ("i, j, i / len", "len = sum(value != 0 => 1, _ => 0).group_by(i);", ""),
        // Dims that the levels do not determine.
        ("i, i", "", ""),
        ("i / 2, j", "", ""),
        ("i + j", "", ""),
        ("i % 2, i % 3, j", "", ""),
        (
            "slot, i",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "trim(slot);",
        ),
        (
            "rank, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); rank = reorder(len, ascending).traverse_by(i);",
            "",
        ),
        // Primitives.
        ("i, j", "", "trim(j..=i);"),
        ("i, j", "", "trim(i); trim(i..=j);"),
        ("i, j", "", "merge(i); merge(i);"),
        ("i, j", "", "merge(j);"),
        ("i, j", "", "merge();"),
        ("i, j", "", "pad(i);"),
        (
            "slot, i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "merge(slot); pad(slot); trim(slot);",
        ),
        (
            "slot, i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "merge(slot); pad(slot); pad(slot);",
        ),
        (
            "l: slot / 2, i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "merge(l); pad(l);",
        ),
        (
            "slot, i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "merge(slot); pad(width);",
        ),
        (
            "i, slot, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "trim(i); pad(slot);",
        ),
        (
            "l: slot - i, i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "",
        ),
        ("i, j", "", "pack(j..=i);"),
        ("i, j", "", "pack(x..=j);"),
        ("i, j", "", "pack(i..=j); pack(j);"),
        ("i, j", "", "partition(bank);"),
        ("i, j", "", "partition(j);"),
        ("i, j, k: i", "", "partition(i); partition(j);"),
        ("i, j", "", "index(i: u7);"),
        ("d: j - i, i", "", "index(d: u32);"),
        ("i, j", "", "pointer(i32);"),
        ("i, j", "", "pointer(u32); pointer(u64);"),
        // Syntax.
        ("i, j", "len = sum(value != 0 => 1, _ => 0).group_by(i)", ""),
        ("i, j", "len sum(value != 0 => 1, _ => 0).group_by(i);", ""),
        ("i, j", "len = ;", ""),
        ("i, j", "len = reorder();", ""),
        ("i, j", "len = sum(value != 0 => 1, _ => 0)group_by(i);", ""),
        ("i, j", "len = sum(value != x => 1, _ => 0).group_by(i);", ""),
        ("i, j,, i", "", ""),
        ("i, j", "", "trim(i)"),
        ("i, j", "", "trim i;"),
    ];
    let mut random = Random::new(seed);
    match random.below(8) {
        0 => return laid_out(seed, false),
        1 => return laid_out(seed, true),
        _ => {}
    }
    let (levels, queries, primitives) = MISTAKES[random.below(MISTAKES.len())];
    let (mut levels, mut queries, mut primitives) = (levels.to_owned(), queries.to_owned(), primitives.to_owned());
    // The rest of the declaration, which is legal, does not matter.
    if random.one_in(3) {
        levels = format!("more: {}, {levels}", random.pick(&["3", "0", "P + 1"]));
    }
    if random.one_in(3) {
        queries = format!(
            "more = {}; {queries}",
            random.pick(&[
                "sum(value > 2 => 3, _ => 0).group_by(j)",
                "enumerate(value == 0 => 4, _ => 0).group_by(j).traverse_by(i)",
                "slot(3).group_by().key(i).traverse_by(i, j)",
            ])
        );
    }
    if random.one_in(3) {
        primitives = format!("index(0: i64); {primitives}");
    }
    let queries = if queries.is_empty() {
        queries
    } else {
        format!(" where {{ {queries} }}")
    };
    let parameters = if random.one_in(2) || mentions(&queries, "P") || mentions(&levels, "P") {
        "<const P: usize = 2>"
    } else {
        ""
    };
    format!("pub format Wrong{parameters} = |i, j| ({levels}){queries} {{ {primitives} }}")
}

/// Returns a declaration with a `pack` or a `partition` that has no effect.
fn laid_out(seed: u64, partitioned: bool) -> String {
    for seed in seed << 16.. {
        let mut draft = Draft::new(seed.into(), "Wrong", Features::ALL);
        if partitioned {
            let levels = draft.partitions(false);
            let level = draft.generator.random.any(&levels);
            draft.partition(level);
        } else {
            let ranges = draft.packs(false);
            if ranges.is_empty() {
                continue;
            }
            let range = draft.generator.random.any(&ranges);
            draft.pack(range);
        }
        draft.shuffle();
        return draft.text();
    }
    unreachable!("a level has no array");
}
