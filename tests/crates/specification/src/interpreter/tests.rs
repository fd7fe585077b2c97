//! The interpreter, checked by hand.

use std::collections::BTreeMap;

use super::Format;

const ELL: &str = "pub format Ell = |i, j| (slot, row: i, col: j) where {
    len = sum(value != 0 => 1, _ => 0).group_by(i);
    slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
} { merge(slot); trim(slot); }";
const CISR: &str = "pub format Cisr<const BANKS: usize = 2> = |i, j| (bank, row: i, col: j) where {
    len = sum(value != 0 => 1, _ => 0).group_by(i);
    bank = schedule(len, BANKS).traverse_by(i);
} { merge(bank, row); trim(row..=col); partition(bank); }";
const CISR_PLUS: &str = "pub format CisrPlus<const BANKS: usize = 2> = |i, j| (bank, row: i, col: j) where {
    len = sum(value != 0 => 1, _ => 0).group_by(i);
    rank = reorder(len, descending).traverse_by(i);
    bank = schedule(len, BANKS).traverse_by(rank);
} { merge(bank, row); trim(row..=col); partition(bank); }";
const SELL: &str = "pub format Sell<const C: usize = 2, const SIGMA: usize = 4> =
    |i, j| (window: i / SIGMA, chunk: rank / C, slot, lane: rank % C, row: i, col: j) where {
    len = sum(value != 0 => 1, _ => 0).group_by(i);
    rank = reorder(len, descending).group_by(i / SIGMA).traverse_by(i);
    slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
} { merge(window, chunk, slot); trim(slot); }";
const JDS: &str = "pub format Jds = |i, j| (slot, rank, row: i, col: j) where {
    len = sum(value != 0 => 1, _ => 0).group_by(i);
    rank = reorder(len, descending).traverse_by(i);
    slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
} { merge(slot); trim(slot..=rank); }";

/// The matrix of the paper.
fn paper() -> BTreeMap<Vec<usize>, f64> {
    let entries = [
        ([0, 0], 1.0),
        ([1, 1], 2.0),
        ([2, 1], 3.0),
        ([2, 2], 4.0),
        ([2, 3], 5.0),
        ([4, 3], 6.0),
    ];
    entries.into_iter().map(|(at, value)| (at.to_vec(), value)).collect()
}

/// `ptr` and `idx` of each level as text, then the sizes, then the values.
fn check(text: &str, arrays: &[&str], sizes: &[i64], values: &[i64]) {
    let format = Format::parse(text);
    let stored = format.storage(&format.plan(), &[5, 4], &paper(), 10_000).unwrap();
    let show = |array: &Option<Vec<i64>>| {
        array.as_ref().map_or(String::from("-"), |array| {
            array.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        })
    };
    let found: Vec<String> = stored
        .arrays
        .iter()
        .map(|level| format!("{} | {}", show(&level.ptr), show(&level.idx)))
        .collect();
    assert_eq!(found, arrays, "{text}");
    assert_eq!(stored.sizes, sizes, "{text}");
    assert_eq!(
        stored.values,
        values.iter().map(|&value| value as f64).collect::<Vec<_>>(),
        "{text}"
    );
}

#[test]
fn direct_formats() {
    check(
        "format Csr = |i, j| (row: i, col: j) { merge(row); trim(col); }",
        &["- | -", "0 1 2 5 5 6 | 0 1 1 2 3 3"],
        &[0, 0],
        &[1, 2, 3, 4, 5, 6],
    );
    check(
        "format Dia = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); }",
        &["- | -1 0 1", "- | -"],
        &[0, 0],
        &[0, 0, 3, 0, 6, 1, 2, 4, 0, 0, 0, 0, 5, 0, 0],
    );
    check(
        "format PaperA = |i, j| (row: i, col: j) { trim(1..=1); }",
        &["- | 0 1 2 2 2 3 4", "- | 0 1 1 2 3 0 3"],
        &[0, 0],
        &[1, 2, 3, 4, 5, 0, 6],
    );
    check(
        "pub format C2sr<const BANKS: usize = 2> = |i, j| (bank: i % BANKS, local: i / BANKS, col: j) { merge(bank, local); trim(col); partition(bank); }",
        &["- | -", "- | -", "0 1 4 5 6 6 6 | 0 1 2 3 3 1"],
        &[0, 0, 0],
        &[1, 3, 4, 5, 6, 2],
    );
}

#[test]
fn ell() {
    check(
        ELL,
        &["- | -", "- | -", "- | 0 1 1 0 3 0 0 2 0 0 0 0 3 0 0"],
        &[3, 0, 0],
        &[1, 2, 3, 0, 6, 0, 0, 4, 0, 0, 0, 0, 5, 0, 0],
    );
}

#[test]
fn cisr() {
    // Row 0 to bank 0, row 1 to bank 1, row 2 to bank 0 (1 and 1), row 4 to bank 1 (4 and 1); row 3 is not placed.
    check(
        CISR,
        &["- | -", "0 2 4 | 0 2 1 4", "0 1 4 5 6 | 0 1 2 3 1 3"],
        &[0, 0, 0],
        &[1, 3, 4, 5, 2, 6],
    );
    // Rows by length: 2, 0, 1, 4. Row 2 to bank 0, the others to bank 1.
    check(
        CISR_PLUS,
        &["- | -", "0 1 4 | 2 0 1 4", "0 3 4 5 6 | 1 2 3 0 1 3"],
        &[0, 0, 0],
        &[3, 4, 5, 1, 2, 6],
    );
}

#[test]
fn sorted_rows() {
    // Window 0: rows 2, 0 | 1, 3. Window 1: row 4. Two chunks each, of widths 3 1 1 0.
    check(
        SELL,
        &[
            "- | -",
            "- | -",
            "0 3 4 5 5 | -",
            "- | -",
            "- | 2 0 1 0 4 0 0 0",
            "- | 1 0 2 0 3 0 1 0 3 0",
        ],
        &[0, 2, 0, 0, 0, 0],
        &[3, 1, 4, 0, 5, 0, 2, 0, 6, 0],
    );
    // The ranks of rows 0 1 2 3 4 are 1 2 0 4 3.
    check(
        JDS,
        &["- | -", "0 4 5 6 | -", "- | 2 0 1 4", "- | 1 0 1 3 2 3"],
        &[3, 0, 0, 0],
        &[3, 1, 2, 6, 4, 5],
    );
}

#[test]
fn slots() {
    // Columns 0 and 1 alternate: the second element of row 2 goes two slots on, and the gap is filled.
    let serpens = "format Serpens = |i, j| (slot, row: i, col: j) where {
        slot = slot(2).group_by().key(i).traverse_by(i, j);
    } { merge(slot); pad(slot); }";
    // 1 at 0, 2 at 1, 3 at 2, 4 at 4, 5 at 6, 6 at 3: no element at 5.
    check(
        serpens,
        &["- | -", "- | 0 1 2 4 2 0 2", "- | 0 1 1 3 2 0 3"],
        &[7, 0, 0],
        &[1, 2, 3, 6, 4, 0, 5],
    );
}
