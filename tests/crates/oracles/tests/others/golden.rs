//! The arrays of the paper's matrix, and the arrays that the authors' system produced.

use crate::common::Specified;
use crate::common::data::shared;
use crate::common::specified::{declare, expressions, specify, specify_stock};
use serde_json::Value as Json;
use unisparse::Triplets;
use unisparse::prelude::*;

specify_stock!();

declare! {
    PaperA = |i, j| (row: i, col: j) { trim(1..=1); }
    DiaUnmerged = |i, j| (diag: j - i, row: i) { trim(diag); }
    Dia2 = |i, j| (diag: i - j, row: i) { merge(diag); trim(diag); }
    Dia3 = |i, j| (diag: i - j, col: j) { merge(diag); trim(diag); }
    Bdcsr = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { merge(brow, bcol); trim(brow..=bcol); }
    Bcsc23 = |i, j| (bcol: j / 3, brow: i / 2, r: i % 2, c: j % 3) { merge(bcol, brow); trim(brow); }
    Bcoo = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { trim(brow..=bcol); }
    CsbMerged<const R: usize = 2, const C: usize = 2> =
        |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(r..=c); }
    CsbCsr = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { merge(brow, bcol, r); trim(c); }
    CsbDcsr = |i, j| (brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3) { merge(brow, bcol, r); trim(r..=c); }
    BdiaMerged<const B: usize = 3> = |i, j| (block: i / B, diag: j - i, lane: i % B) { merge(block, diag); trim(diag); }
    C2sr = |i, j| (bank: i % 2, local: i / 2, col: j) { merge(bank, local); trim(col); }
}

fn paper_matrix() -> Triplets<f64, 2> {
    let entries = [
        ([0, 0], 1.0),
        ([1, 1], 2.0),
        ([2, 1], 3.0),
        ([2, 2], 4.0),
        ([2, 3], 5.0),
        ([4, 3], 6.0),
    ];
    Triplets::try_from_triplets([5, 4], entries.into_iter().rev()).unwrap()
}

/// The arrays of the paper's matrix: `ptr` and `idx` of each level, then the values.
macro_rules! arrays {
    ($($format:ty: $([$($ptr:expr),*] [$($idx:expr),*]),+; $($value:literal)*;)*) => {$(
        let tensor: $format = paper_matrix().convert().unwrap();
        let expected: Vec<[Vec<i64>; 2]> = vec![$([vec![$($ptr),*], vec![$($idx),*]]),+];
        let found: Vec<[Vec<i64>; 2]> = tensor
            .arrays()
            .into_iter()
            .map(|level| [level.ptr.unwrap_or_default(), level.idx.unwrap_or_default()])
            .collect();
        assert_eq!(found, expected, stringify!($format));
        assert_eq!(tensor.held_values(), [$(f64::from($value)),*], stringify!($format));
    )*};
}

#[test]
fn the_papers_matrix_by_hand() {
    arrays! {
        Coo<f64>: [] [0, 1, 2, 2, 2, 4], [] [0, 1, 1, 2, 3, 3]; 1 2 3 4 5 6;
        Csr<f64>: [] [], [0, 1, 2, 5, 5, 6] [0, 1, 1, 2, 3, 3]; 1 2 3 4 5 6;
        Dcsr<f64>: [] [0, 1, 2, 4], [0, 1, 2, 5, 6] [0, 1, 1, 2, 3, 3]; 1 2 3 4 5 6;
        Csc<f64>: [] [], [0, 1, 3, 4, 6] [0, 1, 2, 2, 2, 4]; 1 2 3 4 5 6;
        Dcsc<f64>: [] [0, 1, 2, 3], [0, 1, 3, 4, 6] [0, 1, 2, 2, 2, 4]; 1 2 3 4 5 6;
        Dia<f64>: [] [-1, 0, 1], [] []; 0 0 3 0 6  1 2 4 0 0  0 0 5 0 0;
        DiaVariant<f64>: [] [-1, 0, 1], [] []; 0 3 0 6  1 2 4 0  0 0 0 5;
        Bdia<f64, 3>: [] [], [0, 3, 4] [-1, 0, 1, -1], [] []; 0 0 3  1 2 4  0 0 5  0 6 0;
        C2sr<f64>: [] [], [] [], [0, 1, 4, 5, 6, 6, 6] [0, 1, 2, 3, 3, 1]; 1 3 4 5 6 2;
        Bcsr<f64>: [] [], [0, 1, 3, 4] [0, 0, 1, 1], [] [], [] []; 1 0 0 2  0 3 0 0  4 5 0 0  0 6 0 0;
        // The paper's format A by docs/LANGUAGE.md: row 3 has no element, and keeps an entry with a hole below it.
        PaperA<f64>: [] [0, 1, 2, 2, 2, 3, 4], [] [0, 1, 1, 2, 3, 0, 3]; 1 2 3 4 5 0 6;
    }
}

/// One array for each level that has one.
type Arrays = Vec<Option<Vec<i64>>>;

/// Returns the arrays of each level, with each `ptr` at the level to which it points, and the values, from one entry of a
/// golden file.
///
/// Sizes are not compared, because those of the file are inexact. A `ptr` in the file belongs to the parent level;
/// we do not store that of the root, nor one above a level with one entry per entry of its parent.
fn golden(entry: &Json) -> (Arrays, Arrays, Vec<f64>) {
    let integers = |level: &Json, array: &str| -> Option<Vec<i64>> {
        let array = level[array].as_array().unwrap();
        (!array.is_empty()).then(|| array.iter().map(|entry| entry.as_i64().unwrap()).collect())
    };
    let levels = entry["levels"].as_array().unwrap();
    let ptr = levels
        .iter()
        .take(levels.len() - 1)
        .map(|level| integers(level, "ptr").filter(|_| level["level"] != -1));
    let idx = levels.iter().skip(1).map(|level| integers(level, "crd"));
    let number = |value: &Json| value.as_f64().unwrap();
    let values = entry["values"].as_array().unwrap();
    let values = values.iter().flat_map(|value| {
        value
            .as_array()
            .map_or_else(|| vec![number(value)], |block| block.iter().map(number).collect())
    });
    (ptr.collect(), idx.collect(), values.collect())
}

fn compare<F: Specified<2>>(name: &str, entry: &Json, triplets: &Triplets<f64, 2>) -> bool {
    assert!(
        !entry["caution"]
            .as_str()
            .is_some_and(|text| text.contains("WRONG") || text.contains("TAINTED")),
        "{name}"
    );
    if let Some(reason) = entry["skipped"].as_str() {
        eprintln!("SKIPPED: {name}: {reason}");
        return false;
    }
    let tensor: F = triplets.convert_within(Limit::none()).unwrap();
    let (ptr, idx, values) = golden(entry);
    let arrays = tensor.arrays();
    let (own_ptr, own_idx): (Vec<_>, Vec<_>) = arrays.into_iter().map(|level| (level.ptr, level.idx)).unzip();
    assert_eq!(own_idx, idx, "idx of {name}");
    assert_eq!(own_ptr, ptr, "ptr of {name}");
    assert_eq!(tensor.held_values(), values, "values of {name}");
    true
}

/// Compares the golden entries of the authors' system for one matrix with the same format declared here.
fn compare_all(file: &str, triplets: &Triplets<f64, 2>, least: usize) {
    let Some(path) = shared(&format!("golden/unisparse/{file}")) else {
        return;
    };
    let json: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let formats = json["formats"].as_object().unwrap();
    let mut compared = 0;
    macro_rules! each {
        ($($name:literal => $format:ty,)*) => {$(
            compared += usize::from(compare::<$format>($name, &formats[$name], triplets));
        )*};
    }
    each! {
        "COO" => Coo<f64>,
        "CSR" => Csr<f64>,
        "DCSR" => Dcsr<f64>,
        "CSC" => Csc<f64>,
        "DCSC" => Dcsc<f64>,
        "DIA(paper)" => Dia<f64>,
        "DIA(repo, no fuse)" => DiaUnmerged<f64>,
        "DIA-variant(paper)" => DiaVariant<f64>,
        "DIA2" => Dia2<f64>,
        "DIA3" => Dia3<f64>,
        "BCSR-2x2(paper)" => Bcsr<f64, 2, 2>,
        "BCSR-2x3(repo)" => Bcsr<f64, 2, 3>,
        "BCSR-4x4(repo eval)" => Bcsr<f64, 4, 4>,
        "BDCSR-2x3" => Bdcsr<f64>,
        "BCSC-2x3" => Bcsc23<f64>,
        "BCOO-2x3" => Bcoo<f64>,
        "CSB-2x2(paper)" => Csb<f64, 2>,
        "CSB-2x2(fuse01)" => CsbMerged<f64, 2, 2>,
        "CSB-2x3(repo)" => CsbMerged<f64, 2, 3>,
        "CSBCSR-2x3" => CsbCsr<f64>,
        "CSBDCSR-2x3" => CsbDcsr<f64>,
        "BDIA-3(paper)" => Bdia<f64, 3>,
        "BDIA-3(repo fuse01)" => BdiaMerged<f64, 3>,
        "BDIA-2(repo)" => BdiaMerged<f64, 2>,
        "C2SR-2(paper)" => C2sr<f64>,
        "CSC(fused transpose from CSR, eval)" => Csc<f64>,
        "partition only" => Csr<f64>,
    }
    assert!(compared >= least, "{compared} of {file}");
    // The paper's format A is not compared: it is stored like CSR there, and ours keeps an entry for each child.
    eprintln!("{file}: {compared} formats equal");
}

#[test]
fn the_papers_matrix_as_its_authors_system_stores_it() {
    compare_all("levels_paperA.json", &paper_matrix(), 27);
}

#[test]
fn the_test_matrix_as_the_authors_system_stores_it() {
    let Some(path) = shared("data/variants/unisparse-test.mtx") else {
        return;
    };
    compare_all(
        "levels_test.json",
        &unisparse::io::read_matrix_market(path).unwrap(),
        27,
    );
}

#[test]
fn the_wide_matrix_as_the_authors_system_stores_it() {
    let Some(path) = shared("data/variants/unisparse-wide.mtx") else {
        return;
    };
    compare_all(
        "levels_wide.json",
        &unisparse::io::read_matrix_market(path).unwrap(),
        25,
    );
}
