//! `get`, `fiber`, `row`, `col` and `within` against the elements of all formats, and of formats of this file.

use core::ops::Range;
use std::collections::BTreeMap;

use crate::common::Random;
use crate::common::random::{Elements, some};
use unisparse::formats::*;
use unisparse::prelude::*;

sparse_format! {
    /// Skewed: no level is a dim, and two share both.
    format Skewed = |i, j| (sum: i + j, third: j / 3, skew: 2 * i - j) { merge(sum); trim(sum..=skew); }
    /// Entries with holes: every column has one in each row.
    format Holes = |i, j| (row: i, col: j) { trim(col); }
    /// A slice per `k`, with rows from the last to the first.
    format Slices = |i, j, k| (k, back: 0 - i, j) { merge(k, back); trim(k..=j); }
    /// Rows by length, each row stored once for all of its elements.
    format ByLength = |i, j| (rank, y: j, x: i)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
        } { merge(rank); trim(rank..=x); }
}

/// Checks every lookup in boxes of a tensor against its elements.
fn check<const N: usize, F: SparseTensor<N, Scalar = f64>>(tensor: &F, elements: &Elements<f64, N>, seed: u64) {
    let (shape, name, mut random) = (tensor.shape(), F::NAME, Random::new(seed));
    for _ in 0..40 {
        // Some boxes are points, some are empty, and some reach beyond the shape.
        let ranges: [Range<usize>; N] = shape.map(|extent| {
            let start = random.below(extent + 2);
            let end = match random.below(4) {
                0 => start + 1,
                1 => usize::MAX,
                _ => start + random.below(extent + 2),
            };
            start..end
        });
        let inside = |at: &[usize; N]| (0..N).all(|dim| ranges[dim].contains(&at[dim]));
        // In storage order, which is that of a whole visit.
        let mut expected = Vec::new();
        tensor.for_each(|at, value| expected.extend(inside(&at).then_some((at, value))));
        let found: Vec<_> = tensor.within(ranges.clone()).collect();
        assert_eq!(found, expected, "{name} {shape:?} {ranges:?}");
        let all = elements.iter().filter(|(at, _)| inside(at)).count();
        assert_eq!(found.len(), all, "{name} {shape:?} {ranges:?}");
        let at = ranges.each_ref().map(|range| range.start);
        assert_eq!(tensor.get(at), elements.get(&at).copied(), "{name} {shape:?} {at:?}");
        let fiber: Elements<_, _> = tensor.fiber([at[0]]).collect();
        let expected: Elements<_, _> = elements
            .iter()
            .map(|(at, v)| (*at, *v))
            .filter(|(of, _)| of[0] == at[0])
            .collect();
        assert_eq!(fiber, expected, "{name} {shape:?} {at:?}");
    }
    for (at, value) in elements {
        assert_eq!(tensor.get(*at), Some(*value), "{name} {shape:?} {at:?}");
    }
    assert_eq!(tensor.fiber([]).count(), elements.len());
    assert_eq!(tensor.get([usize::MAX; N]), None);
}

fn check_as<const N: usize, F: SparseTensor<N, Scalar = f64>>(elements: &Elements<f64, N>, shape: [usize; N]) {
    let all = elements.iter().map(|(at, value)| (*at, *value));
    let triplets = Triplets::try_from_triplets(shape, all).unwrap();
    check(&triplets.convert::<F>().unwrap(), elements, 3);
}

#[test]
fn matrices() {
    for (shape, count) in [
        ([9, 7], 20),
        ([1, 40], 15),
        ([40, 1], 15),
        ([23, 31], 200),
        ([5, 6], 0),
        ([0, 4], 0),
    ] {
        let elements = some(shape, count, count as u64);
        macro_rules! all {
            ($($format:ty),* $(,)?) => { $(check_as::<2, $format>(&elements, shape);)* };
        }
        all!(
            Csr<f64>, Coo<f64>, Dcsr<f64>, Dia<f64>, Jds<f64>, Bcsr<f64, 2, 3>, HiCoo<f64, 4>, Bdia<f64, 4>, Sell<f64, 4, 8>,
            C2sr<f64, 3>, Serpens<f64>, BdiaCsr<f64, 4>, Skewed<f64>, ByLength<f64>, Holes<f64>,
        );
        #[cfg(every_product)]
        all!(
            Csc<f64>, Dok<f64>, Lil<f64>, DiaVariant<f64>, Ell<f64>, Bcsc<f64, 2, 2>, Csb<f64, 4>, Bell<f64, 2>, Cisr<f64, 2>,
            BellCoo<f64, 2>,
        );
    }
}

#[test]
fn tensors_of_three_dims() {
    for (shape, count) in [([4, 5, 6], 30), ([1, 9, 2], 9), ([3, 1, 1], 2)] {
        let elements = some(shape, count, 7);
        check_as::<3, Slices<f64>>(&elements, shape);
        check_as::<3, Csf<f64>>(&elements, shape);
    }
}

#[test]
fn rows_and_columns() {
    let elements = some([12, 9], 40, 5);
    let triplets = Triplets::try_from_triplets([12, 9], elements.clone()).unwrap();
    let (rows, hybrid): (Csr<f64>, BdiaCsr<f64, 4>) = (triplets.convert().unwrap(), triplets.convert().unwrap());
    for at in 0..14 {
        let row: Vec<(usize, f64)> = elements
            .iter()
            .filter(|(of, _)| of[0] == at)
            .map(|(of, v)| (of[1], *v))
            .collect();
        assert_eq!(rows.row(at).collect::<Vec<_>>(), row);
        assert_eq!(hybrid.row(at).collect::<BTreeMap<_, _>>(), row.into_iter().collect());
        let col: Vec<(usize, f64)> = elements
            .iter()
            .filter(|(of, _)| of[1] == at)
            .map(|(of, v)| (of[0], *v))
            .collect();
        assert_eq!(rows.col(at).collect::<Vec<_>>(), col);
    }
    assert_eq!(rows.get([0, 0]), elements.get(&[0, 0]).copied());
}

#[test]
fn references_are_iterated_by_for() {
    let elements = some([12, 9], 40, 5);
    let triplets = Triplets::try_from_triplets([12, 9], elements.clone()).unwrap();
    let (rows, hybrid, parts): (Csr<f64>, BdiaCsr<f64, 4>, C2sr<f64, 3>) = (
        triplets.convert().unwrap(),
        triplets.convert().unwrap(),
        triplets.convert().unwrap(),
    );
    let mut all = Vec::new();
    for (at, value) in &rows {
        all.push((at, value));
    }
    assert_eq!(all, elements.clone().into_iter().collect::<Vec<_>>());
    assert_eq!((&hybrid).into_iter().collect::<Elements<_, _>>(), elements);
    assert_eq!((&parts).into_iter().collect::<Elements<_, _>>(), elements);
}

#[test]
fn matrices_and_tensors_as_text() {
    let elements = [([0, 0], 1.0), ([1, 1], -2.5), ([2, 1], 3.0), ([4, 3], 60.0)];
    let a = Bcsr::<f64, 2, 2>::try_from_triplets([5, 4], elements).unwrap();
    let grid = "Bcsr<R=2, C=2>  5 x 4  4 elements\n  1     .  .   .\n  .  -2.5  .   .\n  .     3  .   .\n  .     .  .   .\n  .     .  .  60";
    assert_eq!(a.to_string(), grid);
    assert_eq!(
        format!(
            "{:.1}",
            Coo::<f64>::try_from_triplets([1, 2], [([0, 1], 0.25)]).unwrap()
        ),
        "Coo  1 x 2  1 element\n  .  0.2"
    );
    assert_eq!(
        Csr::<f64>::try_from_triplets([0, 3], []).unwrap().to_string(),
        "Csr  0 x 3  0 elements"
    );
    let many = (0..18).map(|i| ([i, 2 * i], i as f64));
    let long = Csc::try_from_triplets([18, 40], many).unwrap().to_string();
    let lines: Vec<&str> = long.lines().collect();
    assert_eq!(
        (lines.len(), lines[0], lines[2]),
        (18, "Csc  18 x 40  18 elements", "  [1, 2]  1")
    );
    assert_eq!(lines[17], "  .. 2 more");
}
