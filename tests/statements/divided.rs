//! Rows with most of the elements: their entries are divided among threads if nothing else adds to a row. The oracle is
//! sums over a map.

use std::collections::BTreeMap;

use unisparse::prelude::*;

use crate::common::Random;
use crate::common::sample::sample;

sparse_format! {
    /// Blocks in the order of a diagonal inside each block row.
    pub format Banded<const B: usize = 3> =
        |i, j| (rows: i / B, diag: j - i, lane: i % B) { merge(rows); trim(diag); }
    /// Columns in tuples with their values.
    pub format Tuples = |i, j| (row: i, col: j) { merge(row); trim(col); pack(col); }
    /// Only rows with elements, and two levels of columns.
    pub format Halves = |i, j| (row: i, half: j / 64, col: j % 64) { merge(row, half); trim(half..=col); }
}

sparse_kernel! {
    fn product: y[i] = A[i, j] * x[j] where A: Csr | Banded | Tuples | Halves | Bcsr;
    fn added: y[i] += 2 * A[i, j] * x[j] where A: Csr | Banded | Tuples | Halves | Bcsr;
    fn scaled: y[i] = d[i] * A[i, j] * x[j] if d[i] where A: Csr | Banded | Tuples | Halves | Bcsr;
    fn shifted: y[i] = A[i, j] * x[j] + d[i] where A: Csr | Banded | Tuples | Halves | Bcsr;
    fn least: y[i] min= A[i, j] + x[j] where A: Csr | Banded | Tuples | Halves | Bcsr;
    fn columns: C[i, n] = A[i, j] * B[j, n] where A: Csr | Banded | Tuples | Halves | Bcsr;
    // Pairs of elements of one row, which may be in different pieces.
    fn pairs: y[i] = A[i, j] * A[i, k] * x[j] * x[k] where A: Csr;
    fn both: y[i] = A[i, j] * x[j] + B[i, j] * d[j] where A: Csr, B: Tuples;
    fn total: s = A[i, j] * x[j] where A: Csr;
}

type Elements = BTreeMap<[usize; 2], f64>;

/// One test at a time, because the number of pieces is a setting of the whole process.
static PIECES: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Rows with two of three columns, and others with three elements. Loops are divided from about 130 000 elements on.
fn skewed([rows, columns]: [usize; 2], heavy: &[usize]) -> (Triplets<f64, 2>, Elements) {
    let mut random = Random::new(rows as u64);
    let mut all = Elements::new();
    for i in 0..rows {
        if heavy.contains(&i) {
            all.extend(
                (0..columns)
                    .filter(|j| j % 3 != 2)
                    .map(|j| ([i, j], 1.0 + (j % 5) as f64)),
            );
        } else if i % 4 != 1 {
            all.extend((0..3).map(|_| ([i, random.below(columns)], 1.0 + random.below(4) as f64)));
        }
    }
    let triplets = Triplets::try_from_triplets([rows, columns], all.iter().map(|(&at, &value)| (at, value)));
    (triplets.unwrap(), all)
}

#[test]
fn rows_with_most_elements_are_summed_in_parts() {
    const ROWS: usize = 90;
    let _alone = PIECES.lock();
    for heavy in sample([&[0][..], &[ROWS - 1], &[0, 7, 8, ROWS - 1]], 2, 3) {
        let columns = 210_000 / heavy.len();
        let (a, elements) = skewed([ROWS, columns], heavy);
        let x: Vec<f64> = (0..columns).map(|j| ((j * 7) % 5) as f64 - 1.0).collect();
        let d: Vec<f64> = (0..ROWS).map(|i| ((i * 3) % 4) as f64).collect();
        let b: Vec<f64> = (0..3 * columns).map(|at| ((at * 5) % 7) as f64).collect();
        let sums = |start: f64, term: &dyn Fn([usize; 2], f64) -> f64| {
            let mut y = vec![start; ROWS];
            elements.iter().for_each(|(&at, &value)| y[at[0]] += term(at, value));
            y
        };
        let ax = sums(0.0, &|[_, j], value| value * x[j]);
        let twice = sums(3.0, &|[_, j], value| 2.0 * value * x[j]);
        let dax = sums(0.0, &|[i, j], value| d[i] * value * x[j]);
        let ax_and_d: Vec<f64> = ax.iter().zip(&d).map(|(y, d)| y + d).collect();
        let mut lesser = vec![3.0f64; ROWS];
        let mut c = vec![0.0; 3 * ROWS];
        for ([i, j], value) in &elements {
            lesser[*i] = lesser[*i].min(value + x[*j]);
            (0..3).for_each(|n| c[3 * i + n] += value * b[3 * j + n]);
        }
        let run = |kernel: &dyn Fn(&mut Vec<f64>)| {
            let mut y = vec![3.0; ROWS];
            kernel(&mut y);
            y
        };
        macro_rules! check {
            ($($format:ty)*) => {$(
                let of: $format = a.convert().unwrap();
                for pieces in [None, Some(2), Some(5)] {
                    unisparse::set_reproducible(pieces);
                    let name = format!("{} {pieces:?} {heavy:?}", stringify!($format));
                    assert_eq!(run(&|y| product(y, &of, &x).unwrap()), ax, "{name}");
                    assert_eq!(run(&|y| added(y, &of, &x).unwrap()), twice, "{name}");
                    assert_eq!(run(&|y| scaled(y, &d, &of, &x).unwrap()), dax, "{name}");
                    assert_eq!(run(&|y| shifted(y, &of, &x, &d).unwrap()), ax_and_d, "{name}");
                    assert_eq!(run(&|y| least(y, &of, &x).unwrap()), lesser, "{name}");
                    let mut found = vec![1.0; 3 * ROWS];
                    self::columns(&mut found, &of, &b).unwrap();
                    assert_eq!(found, c, "{name}");
                }
            )*};
        }
        check!(Csr<f64> Banded<f64> Tuples<f64> Halves<f64> Bcsr<f64, 2, 2>);
        unisparse::set_reproducible(None);
    }
}

#[test]
fn what_needs_all_entries_of_a_row_gets_them() {
    const ROWS: usize = 1600;
    const COLUMNS: usize = 125;
    let _alone = PIECES.lock();
    let heavy: Vec<usize> = (0..ROWS - 1).collect();
    let (a, elements) = skewed([ROWS, COLUMNS], &heavy);
    let x: Vec<f64> = (0..COLUMNS).map(|j| ((j * 7) % 5) as f64 - 1.0).collect();
    let d: Vec<f64> = (0..COLUMNS).map(|j| ((j * 3) % 4) as f64).collect();
    let mut sums = vec![[0.0; 2]; ROWS];
    for ([i, j], value) in elements {
        sums[i][0] += value * x[j];
        sums[i][1] += value * d[j];
    }
    let (rows, tuples): (Csr<f64>, Tuples<f64>) = (a.convert().unwrap(), a.convert().unwrap());
    unisparse::set_reproducible(Some(ROWS));
    let mut y = vec![7.0; ROWS];
    pairs(&mut y, &rows, &x).unwrap();
    assert!(y.iter().zip(&sums).all(|(y, [ax, _])| *y == ax * ax));
    both(&mut y, &rows, &x, &tuples, &d).unwrap();
    assert!(y.iter().zip(&sums).all(|(y, [ax, ad])| *y == ax + ad));
    assert_eq!(total(&rows, &x).unwrap(), sums.iter().map(|[ax, _]| ax).sum::<f64>());
    unisparse::set_reproducible(None);
}
