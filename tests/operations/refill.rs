//! Other values in place: `refill`, `update`, `fill` and `values_mut` against tensors assembled from the new elements; `Debug`.

use crate::common::Random;
use unisparse::formats::*;
use unisparse::prelude::*;
use unisparse::{ErrorKind, Pattern, TripletsView};

sparse_format! {
    /// Skewed: no level is a dim, and two share both.
    format Skewed = |i, j| (sum: i + j, third: j / 3, skew: 2 * i - j) { merge(sum); trim(sum..=skew); }
    /// Entries with holes: every column has one in each row.
    format Holes = |i, j| (row: i, col: j) { trim(col); }
    /// Rows from the last to the first, entries side by side.
    format Packed = |i, j, k| (k, back: 0 - i, j) { merge(k, back); trim(k..=j); pack(j..=j); }
    /// Great elements first: the place depends on the value.
    format Great = |i, j| (class, row: i, col: j)
        where { class = enumerate(value > 0.5 => 0, _ => 1).group_by(i).traverse_by(j); }
        { merge(class); trim(class..=col); }
}

type Elements<const N: usize> = crate::common::random::Elements<f64, N>;

fn triplets<const N: usize>(shape: [usize; N], elements: &Elements<N>) -> Triplets<f64, N> {
    Triplets::try_from_triplets(shape, elements.clone()).unwrap()
}

/// Checks that `tensor` has the values of a tensor that is assembled from `elements`, at each position.
fn same<const N: usize, F: SparseTensor<N, Scalar = f64>>(tensor: &F, elements: &Elements<N>) {
    let assembled: F = triplets(tensor.shape(), elements).convert().unwrap();
    assert!(tensor.values().eq(assembled.values()), "{}", F::NAME);
    assert!(tensor.fiber([]).eq(assembled.fiber([])), "{}", F::NAME);
    assert_eq!(tensor.nnz(), elements.len(), "{}", F::NAME);
}

fn check<const N: usize, F: SparseTensor<N, Scalar = f64> + Clone>(shape: [usize; N], elements: &Elements<N>) {
    let old: F = triplets(shape, elements).convert().unwrap();
    let other: Elements<N> = elements.iter().map(|(at, value)| (*at, 3.0 - 2.0 * value)).collect();
    // From triplets in another order, with each value in two halves; and in the same order.
    let mut twice = Triplets::new(shape);
    for (&at, &value) in other.iter().rev().chain(&other) {
        twice.push(at, value / 2.0).unwrap();
    }
    let mut tensor = old.clone();
    tensor.refill(&twice).unwrap();
    same(&tensor, &other);
    tensor.refill(&old).unwrap();
    same(&tensor, elements);
    // The coordinates that `update` passes are those of the elements.
    tensor.update(|at, value| value + elements[&at] + at[0] as f64).unwrap();
    let expected = elements.iter().map(|(at, value)| (*at, 2.0 * value + at[0] as f64));
    same(&tensor, &expected.collect());
    tensor.fill(4.5).unwrap();
    same(&tensor, &elements.keys().map(|at| (*at, 4.5)).collect());
    if let Some(first) = elements.keys().next().copied() {
        let none = Triplets::try_from_triplets(shape, [(first, 7.0)]).unwrap();
        tensor.refill(&none).unwrap();
        assert_eq!(tensor.get(first), Some(7.0), "{}", F::NAME);
        assert_eq!(
            tensor.fiber([]).filter(|(_, value)| *value != 0.0).count(),
            1,
            "{}",
            F::NAME
        );
    }
}

/// Returns about this many elements, each coordinate once, none zero before or after they are changed.
fn some<const N: usize>(shape: [usize; N], count: usize, seed: u64) -> Elements<N> {
    let elements = Random::new(seed).triplets(shape, count);
    elements
        .iter()
        .enumerate()
        .map(|(number, (at, _))| (at, 2.0 + number as f64))
        .collect()
}

#[test]
fn matrices_and_tensors() {
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
            ($($format:ty),* $(,)?) => { $(check::<2, $format>(shape, &elements);)* };
        }
        all!(
            Csc<f64>, Coo<f64>, Dcsr<f64>, Lil<f64>, Dia<f64>, Ell<f64>, Bcsr<f64, 2, 3>, Csb<f64, 4>, Sell<f64, 4, 8>, Cisr<f64, 2>,
            Serpens<f64>, BellCoo<f64, 2>, Skewed<f64>, Holes<f64>,
        );
        #[cfg(every_product)]
        all!(
            Csr<f64>, Dok<f64>, DiaVariant<f64>, Jds<f64>, Bcsc<f64, 2, 2>, HiCoo<f64, 4>, Bdia<f64, 4>, Bell<f64, 2>, C2sr<f64, 3>,
            BdiaCsr<f64, 4>,
        );
    }
    for (shape, count) in [([4, 5, 6], 30), ([1, 9, 2], 9), ([3, 1, 1], 2)] {
        let elements = some(shape, count, 7);
        check::<3, Csf<f64>>(shape, &elements);
        check::<3, Packed<f64>>(shape, &elements);
    }
}

#[test]
fn elements_without_a_place_are_refused() {
    let elements = Elements::from([([0, 1], 1.0), ([2, 0], 2.0)]);
    let refused = |error: Error, kind, text: &str| {
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains(text), "{error}");
    };
    let mut rows: Csr<f64> = triplets([3, 3], &elements).convert().unwrap();
    let before = rows.clone();
    let stray = Triplets::try_from_triplets([3, 3], [([0, 1], 5.0), ([1, 2], 6.0)]).unwrap();
    refused(
        rows.refill(&stray).unwrap_err(),
        ErrorKind::Structure,
        "an element at [1, 2]",
    );
    let wide = Triplets::new([3, 4]);
    refused(rows.refill(&wide).unwrap_err(), ErrorKind::Shape, "[3, 4]");
    let twice = Triplets::try_from_triplets([3, 3], [([0, 1], 5.0), ([0, 1], 6.0), ([2, 0], 7.0)]).unwrap();
    let by = |policy| twice.clone().duplicates(policy);
    refused(
        rows.refill(&by(Duplicates::Reject)).unwrap_err(),
        ErrorKind::Duplicate,
        "[0, 1]",
    );
    assert_eq!(rows, before);
    for (policy, value) in [
        (Duplicates::Sum, 11.0),
        (Duplicates::First, 5.0),
        (Duplicates::Last, 6.0),
    ] {
        rows.refill(&by(policy)).unwrap();
        assert_eq!(rows.values(), [value, 7.0]);
    }
    // A place of a dense block is a place, one beside the elements of a padded row is not.
    let mut blocks: Bcsr<f64, 2, 2> = triplets([3, 3], &elements).convert().unwrap();
    let beside = Triplets::try_from_triplets([3, 3], [([0, 0], 5.0), ([1, 1], 6.0)]).unwrap();
    blocks.refill(&beside).unwrap();
    assert!(blocks.iter().eq([([0, 0], 5.0), ([1, 1], 6.0)]));
    let mut padded: Ell<f64> = triplets([3, 3], &elements).convert().unwrap();
    let beside = Triplets::try_from_triplets([3, 3], [([1, 0], 5.0)]).unwrap();
    refused(
        padded.refill(&beside).unwrap_err(),
        ErrorKind::Structure,
        "an element at [1, 0]",
    );
}

#[test]
fn values_stay_where_queries_place_them() {
    let elements = Elements::from([([0, 0], 0.25), ([0, 1], 2.0), ([1, 1], 0.5)]);
    let mut great: Great<f64> = triplets([2, 2], &elements).convert().unwrap();
    let (before, error) = (great.clone(), great.fill(1.0).unwrap_err());
    assert_eq!((error.kind(), &great), (ErrorKind::Structure, &before));
    assert!(error.to_string().contains("1.0 in place of 0.25"), "{error}");
    great.update(|_, value| if value > 0.5 { 9.0 } else { -1.0 }).unwrap();
    same(&great, &Elements::from([([0, 0], -1.0), ([0, 1], 9.0), ([1, 1], -1.0)]));
}

#[test]
fn values_as_a_slice_to_change() {
    let elements = [([0, 1], 1.0), ([2, 0], 2.0)];
    let mut a = Csc::try_from_triplets([3, 3], elements).unwrap();
    a.values_mut()[0] = 5.0;
    assert!(a.iter().eq([([2, 0], 5.0), ([0, 1], 1.0)]));
    let mut patterns = Coo::try_from_triplets([2, 2], [([0, 1], Pattern::<f64>::default())]).unwrap();
    patterns.refill(&patterns.clone()).unwrap();
    assert_eq!(patterns.nnz(), 1);
}

#[test]
fn debug_shows_the_first_entries() {
    let short = Csr::try_from_triplets([2, 3], [([0, 2], 1.5)]).unwrap();
    let text = "Csr { shape: [2, 3], row_ptr: [0, 1, 1], col_idx: [2], values: [1.5] }";
    assert_eq!(format!("{short:?}"), text);
    let many = || (0..100_usize).map(|i| ([i, i], i as f64));
    let first = "0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, .. 92 more";
    let (rows, keys, banks) = (
        Csr::try_from_triplets([100, 100], many()).unwrap(),
        Dok::try_from_triplets([100, 100], many()).unwrap(),
        C2sr::<f64, 2>::try_from_triplets([100, 100], many()).unwrap(),
    );
    assert!(
        format!("{rows:?}").ends_with(&format!("values: [{first}] }}")),
        "{rows:?}"
    );
    assert!(
        format!("{rows:?}").contains("row_ptr: [0, 1, 2, 3, 4, 5, 6, 7, .. 93 more]"),
        "{rows:?}"
    );
    assert!(format!("{keys:?}").ends_with("(7, 7, 7.0), .. 92 more] }"), "{keys:?}");
    assert!(
        format!("{banks:?}").contains("prefix: [1]") && format!("{banks:?}").len() < 1000,
        "{banks:?}"
    );
}

#[test]
fn triplets_and_pictures_show_the_first_entries() {
    let rows: Vec<u32> = (0..100).collect();
    let values = vec![1.5; 100];
    let view = TripletsView::try_new([100, 100], [&rows, &rows], &values).unwrap();
    let triplets = Triplets::try_from_triplets([100, 100], view.iter()).unwrap();
    for text in [
        format!("{view:?}"),
        format!("{triplets:?}"),
        format!("{:?}", triplets.spy()),
    ] {
        assert!(text.len() < 600 && text.contains(" more]"), "{text}");
    }
    let short = Triplets::try_from_triplets([1, 2], [([0, 1], 2.5)]).unwrap();
    assert_eq!(short.to_string(), "Triplets  1 x 2  1 element\n  .  2.5");
    let repeated = Triplets::try_from_triplets([1, 2], [([0, 1], 2.5), ([0, 1], 1.0)]).unwrap();
    assert_eq!(
        repeated.to_string(),
        "Triplets  1 x 2  2 elements\n  [0, 1]  2.5\n  [0, 1]  1"
    );
    let pattern = Csr::try_from_triplets([1, 2], [([0, 1], Pattern::<f64>::new())]).unwrap();
    assert_eq!(pattern.to_string(), "Csr  1 x 2  1 element\n  .  1");
}

/// Iterates in generic code, with no bound beside the format.
fn places<A: SparseTensor<2, Scalar = f64>>(a: &A) -> Vec<[usize; 2]> {
    a.iter().map(|(at, _)| at).collect()
}

#[test]
fn generic_code_iterates() {
    let columns = Csc::try_from_triplets([3, 3], [([0, 1], 1.0), ([2, 0], 2.0)]).unwrap();
    assert_eq!(places(&columns), [[2, 0], [0, 1]]);
    assert_eq!(places(&columns.convert::<Csr<f64>>().unwrap()), [[0, 1], [2, 0]]);
}
