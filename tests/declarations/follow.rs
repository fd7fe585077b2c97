//! Levels that are determined by others, at any place: the bins and keys by which elements are sorted have no bits of
//! them, so there must be no key bits below the last level with coordinates of its own.

use unisparse::prelude::*;
use unisparse::{Limit, plan};

sparse_format! {
    /// Antidiagonals; two levels determine the row.
    format Last = |i, j| (s: i + j, j, i) { merge(s); trim(1); }
    /// The same, every level trimmed.
    format Trimmed = |i, j| (s: i + j, j, i) { merge(s); trim(s..=i); }
    /// The same, no level merged.
    format Lists = |i, j| (s: i + j, j, i) { trim(s..=i); }
    /// Several determined levels.
    format Several = |i, j| (s: i + j, j, i, d: j - i, c: 7, odd: j % 2) { merge(s); trim(j..=odd); }
    /// The last level is not determined: the order is the same.
    format Without = |i, j| (s: i + j, j) { merge(s); trim(j); }
    /// Three dims.
    format Cube = |i, j, k| (s: i + k, j, k, i, t: j + k) { merge(s, j); trim(j..=t); }
    /// Below a query.
    format Below = |j, k, l| (n: j - q, s: l + k, j, l, k)
        where { q = enumerate(_ => 0).group_by(l, j).traverse_by(j / 2); } { trim(n); trim(j..=k); merge(n, s); }
}

const LINE: [([usize; 2], f64); 3] = [([0, 0], 1.0), ([0, 1], 2.0), ([0, 2], 3.0)];
const SCATTERED: [([usize; 2], f64); 5] = [
    ([2, 1], 1.0),
    ([0, 2], 2.0),
    ([1, 1], 3.0),
    ([2, 0], 4.0),
    ([0, 0], 5.0),
];

#[test]
fn a_level_that_its_bin_determines_has_its_own_array() {
    let csr = Csr::try_from_triplets([3, 3], LINE).unwrap();
    let last: Last<f64> = csr.convert().unwrap();
    let expected = ([3, 3], vec![0, 1, 2, 3, 3, 3], vec![0, 1, 2], vec![1.0, 2.0, 3.0]);
    assert_eq!(last.into_parts(), expected);
}

/// Checks that every element is read back, and multiplied.
fn holds<F: SparseTensor<2, Scalar = f64>>(source: &impl Source<2, Scalar = f64>, elements: &[([usize; 2], f64)]) {
    let made = F::assemble(source, Limit::none()).unwrap();
    let mut found = Vec::new();
    made.for_each(|at, value| found.push((at, value)));
    assert_eq!(found, by_sum(elements));
}

fn by_sum(elements: &[([usize; 2], f64)]) -> Vec<([usize; 2], f64)> {
    let mut sorted = elements.to_vec();
    sorted.sort_by_key(|&([i, j], _)| (i + j, j));
    sorted
}

#[test]
fn elements_come_back_from_every_source() {
    macro_rules! each {
        ($elements:ident: $($format:ident)*) => {
            let mut by_column = $elements.to_vec();
            by_column.sort_by_key(|&([i, j], _)| [j, i]);
            let mut by_row = by_column.clone();
            by_row.sort_by_key(|&(at, _)| at);
            let backwards: Vec<_> = by_row.iter().rev().copied().collect();
            for order in [&$elements.to_vec(), &by_column, &by_row, &backwards] {
                let triplets = Triplets::try_from_triplets([3, 3], order.iter().copied()).unwrap();
                $(
                    holds::<$format<f64>>(&triplets, order);
                    holds::<$format<f64>>(&triplets.convert::<Csr<f64>>().unwrap(), order);
                    holds::<$format<f64>>(&triplets.convert::<Csc<f64>>().unwrap(), order);
                    holds::<$format<f64>>(&triplets.convert::<Dia<f64>>().unwrap(), order);
                    holds::<$format<f64>>(&triplets.convert::<Bcsr<f64>>().unwrap(), order);
                )*
            }
        };
    }
    each!(LINE: Last Trimmed Lists Several);
    each!(SCATTERED: Last Trimmed Lists Several);
}

#[test]
fn three_dims_and_queries() {
    let diagonal: Vec<_> = (0..3).map(|at| ([at, 0, at], 1.0 + at as f64)).collect();
    let triplets = Triplets::try_from_triplets([3, 2, 3], diagonal.clone()).unwrap();
    let below: Below<f64> = triplets.convert().unwrap();
    assert_eq!(below.iter().collect::<Vec<_>>(), diagonal);

    let elements: Vec<_> = (0..12)
        .map(|at| ([at % 2, at / 2 % 3, at / 6], at as f64 + 1.0))
        .collect();
    let mut expected = elements.clone();
    expected.sort_by_key(|&([i, j, k], _)| (i + k, j, k));
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut elements = elements.clone();
        elements.sort_by_key(|(at, _)| order.map(|dim: usize| at[dim]));
        let triplets = Triplets::try_from_triplets([2, 3, 2], elements).unwrap();
        assert_eq!(
            triplets.convert::<Cube<f64>>().unwrap().iter().collect::<Vec<_>>(),
            expected
        );
        let csf: Csf<f64> = triplets.convert().unwrap();
        assert_eq!(csf.convert::<Cube<f64>>().unwrap().iter().collect::<Vec<_>>(), expected);
    }
}

/// A determined level does not change the algorithm of the conversion.
#[test]
fn the_plan_is_that_of_the_format_without_them() {
    let steps = |plan: String| -> Vec<String> {
        let lines = plan
            .lines()
            .filter(|line| line.starts_with("  runs as") || line.starts_with("  steps"));
        lines.map(str::to_owned).collect()
    };
    let with = steps(plan::<Csr<f64>, Last<f64>>().to_string());
    assert_eq!(with, steps(plan::<Csr<f64>, Without<f64>>().to_string()));
    assert_eq!(with.len(), 2);
}
