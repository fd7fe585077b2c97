//! Extents and counts at the limits of integers: large tensors of few elements, and sources with wrong counts.

use unisparse::prelude::*;
use unisparse::{ErrorKind, Limit, Source};

sparse_format! {
    /// Coordinates of the greatest width.
    pub format Wide = |i, j| (row: i, col: j) { trim(row..=col); index(row: u64, col: u64); }
    /// Wide rows of compressed columns.
    pub format WideRows = |i, j| (row: i, col: j) { merge(row); trim(row..=col); index(row: u64, col: u64); pointer(u64); }
    /// Only the blocks of columns have wide indices.
    pub format WideBlocks = |i, j| (row: i, block: j / 8, col: j % 8) { trim(row..=col); index(block: i64); }
    /// Digits of coordinates: each domain is far smaller than the extent.
    pub format Tiles = |i, j| (bi: i / 4, bj: j / 4, r: i % 4, c: j % 4) { trim(bi..=c); index(bi: u64, bj: u64); }
    /// Digits on both sides of the cut of a partition.
    pub format Banks = |i, j| (bank: i % 4, bi: i / 4, bj: j / 4, c: j % 4) {
        merge(bank); trim(bank..=c); partition(bank); index(bi: u64, bj: u64);
    }
    /// A query beside digits.
    pub format Counted = |i, j| (len, bi: i / 4, bj: j / 4, r: i % 4, c: j % 4)
        where { len = sum(value != 0 => 1, _ => 0).group_by(i); }
        { trim(len..=c); index(bi: u64, bj: u64); }
    pub hybrid Divided = Tiles + Wide split sum(value != 0 => 1, _ => 0).group_by(i) > threshold;
    /// Coordinates of four dims.
    pub format Points = |i, j, k, l| (i, j, k, l) { trim(0..=3); index(0: u64, 1: u64, 2: u64, 3: u64); }
}

sparse_kernel! {
    pub fn transpose: C[j, i] = A[i, j] where A: Wide | WideRows | WideBlocks, C: _;
    pub fn doubled: C[i, j] = A[i, j] + A[i, j] where A: Wide | WideRows | WideBlocks, C: _;
    /// The fibers of `C` have the extent of `j`.
    pub fn square: C[i, j] = A[i, k] * A[k, j] where A: Wide | WideRows, C: _;
    /// The fibers of `C` have three dims.
    pub fn product: C[i, j, k, l] = A[i, m] * B[m, j, k, l] where A: Wide, B: Points, C: Points;
}

/// The greatest possible extent.
const GREATEST: usize = 1 << 62;

fn elements<F: SparseTensor<2, Scalar = f64>>(tensor: &F) -> Vec<([usize; 2], f64)> {
    let mut all = Vec::new();
    tensor.for_each(|at, value| all.push((at, value)));
    sorted(all)
}

fn sorted(mut elements: Vec<([usize; 2], f64)>) -> Vec<([usize; 2], f64)> {
    elements.sort_by_key(|element| element.0);
    elements
}

fn holds_the_greatest_and_refuses_more<F: SparseTensor<2, Scalar = f64>>() {
    for (shape, dim) in [([8, GREATEST], 1), ([GREATEST, 8], 0)] {
        let mut at = [3, 5];
        at[dim] = GREATEST - 2;
        let mut triplets = Triplets::new(shape);
        triplets.push(at, 1.5).unwrap();
        triplets.push([0, 0], 2.5).unwrap();
        let tensor = F::assemble(&triplets, Limit::default()).unwrap();
        assert_eq!(
            elements(&tensor),
            [([0, 0], 2.5), (at, 1.5)],
            "{} of {shape:?}",
            F::NAME
        );

        for extent in [GREATEST + 1, i64::MAX as usize, usize::MAX] {
            let mut shape = shape;
            shape[dim] = extent;
            let triplets = Triplets::try_from_triplets(shape, [(at, 1.5)]).unwrap();
            let error = F::assemble(&triplets, Limit::default()).err().expect("too large");
            assert_eq!(error.kind(), ErrorKind::Overflow);
            let found = format!("extent {extent} of dim {dim}");
            assert_eq!((error.found(), error.position()), (&found[..], None), "{}", F::NAME);
        }
    }
}

#[test]
fn all_formats_refuse_extents_beyond_their_coordinates_with_one_error() {
    holds_the_greatest_and_refuses_more::<Wide<f64>>();
    holds_the_greatest_and_refuses_more::<Tiles<f64>>();
    holds_the_greatest_and_refuses_more::<Banks<f64>>();
    holds_the_greatest_and_refuses_more::<Counted<f64>>();
    holds_the_greatest_and_refuses_more::<Divided<f64>>();
}

#[test]
fn arrays_of_too_large_a_shape_are_refused() {
    let (bi, bj, r, c) = (vec![0], vec![1 << 61], vec![0], vec![1]);
    let error = Tiles::try_from_parts([8, usize::MAX], bi, bj, r, c, vec![1.0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Overflow);
    assert!(error.found().contains("dim 1"), "{error}");
}

/// Sparse results have coordinates of the width that their format declares.
fn results_are_wide<C>()
where
    C: SparseTensor<2, Scalar = f64>,
{
    const LARGE: usize = 1 << 40;
    let at = [
        ([0, LARGE - 1], 1.0),
        ([3, 0], 2.0),
        ([LARGE - 2, 3], 4.0),
        ([LARGE - 1, LARGE - 1], 8.0),
    ];
    let a = Wide::try_from_triplets([LARGE, LARGE], at).unwrap();
    let rows: WideRows<f64> = a.convert().unwrap();
    let mut expected = at.map(|([i, j], value)| ([j, i], value));
    expected.sort_by_key(|element| element.0);
    assert_eq!(elements::<C>(&transpose(&a).unwrap()), expected);
    assert_eq!(elements::<C>(&transpose(&rows).unwrap()), expected);
    assert_eq!(
        elements::<C>(&doubled(&a).unwrap()),
        at.map(|(at, value)| (at, 2.0 * value))
    );
    assert_eq!(
        elements::<C>(&doubled(&rows).unwrap()),
        at.map(|(at, value)| (at, 2.0 * value))
    );
    // (0, last) with (last, last), (3, 0) with (0, last), (last - 1, 3) with (3, 0), and (last, last) with itself.
    let last = LARGE - 1;
    assert_eq!(
        elements::<C>(&square(&a).unwrap()),
        [
            ([0, last], 8.0),
            ([3, last], 2.0),
            ([last - 1, 0], 8.0),
            ([last, last], 64.0)
        ]
    );
}

#[test]
fn sparse_results_have_the_declared_widths() {
    results_are_wide::<Wide<f64>>();
    results_are_wide::<WideRows<f64>>();
    results_are_wide::<Tiles<f64>>();
    results_are_wide::<Divided<f64>>();
}

#[test]
fn sparse_results_that_are_not_declared_wide_are_refused() {
    let a = Wide::try_from_triplets([1 << 33, 3], [([0, 0], 1.0), ([(1 << 33) - 1, 2], 2.0)]).unwrap();
    let error = Result::<Coo<f64>, Error>::unwrap_err(doubled(&a));
    assert_eq!(error.kind(), ErrorKind::Overflow);
    assert!(error.to_string().contains("index(level: u64)"), "{error}");
    // The number of values of `u32`, in narrow and wide levels.
    let a = Wide::try_from_triplets([1 << 32, 3], [([0, 0], 1.0), ([(1 << 32) - 1, 2], 2.0)]).unwrap();
    let doubled_in_narrow: Coo<f64> = doubled(&a).unwrap();
    assert_eq!(elements(&doubled_in_narrow), [([0, 0], 2.0), ([(1 << 32) - 1, 2], 4.0)]);
    let blocks: WideBlocks<f64> = a.convert().unwrap();
    let in_blocks: WideBlocks<f64> = doubled(&blocks).unwrap();
    assert_eq!(elements(&in_blocks), elements(&doubled_in_narrow));
}

#[test]
fn fibers_with_more_coordinates_than_a_word_are_refused() {
    const LARGE: usize = 1 << 31;
    let a = Wide::try_from_triplets([2, 2], [([0, 1], 1.0)]).unwrap();
    let at = [1, LARGE - 1, LARGE - 1, LARGE - 1];
    let b = Points::try_from_triplets([2, LARGE, LARGE, LARGE], [(at, 1.0), ([1, 0, 0, 0], 2.0)]).unwrap();
    let c: Result<Points<f64>, Error> = product(&a, &b);
    match c {
        Err(error) => assert_eq!(error.kind(), ErrorKind::Overflow),
        Ok(c) => {
            let expected = [([0, 0, 0, 0], 2.0), ([0, LARGE - 1, LARGE - 1, LARGE - 1], 1.0)];
            assert_eq!(c.iter().collect::<Vec<_>>(), expected);
        }
    }
}

/// A source of two elements, with a valid but loose bound on their number.
struct Promising(usize);

impl Source<2> for Promising {
    type Scalar = f64;
    fn shape(&self) -> [usize; 2] {
        [16, 16]
    }
    fn count(&self) -> usize {
        self.0
    }
    fn for_each(&self, mut visit: impl FnMut([usize; 2], f64)) {
        visit([3, 3], 1.0);
        visit([0, 1], 2.0);
    }
}

fn takes_any_bound<F: SparseTensor<2, Scalar = f64>>() {
    for count in [2, 1 << 36, usize::MAX] {
        let source = Promising(count);
        for limit in [Limit::default(), Limit::bytes(1 << 20), Limit::none()] {
            let tensor = F::assemble(&source, limit).unwrap();
            assert_eq!(elements(&tensor), [([0, 1], 2.0), ([3, 3], 1.0)], "{}", F::NAME);
        }
        F::estimate_of(&source).unwrap();
        F::advise(&source).unwrap();
    }
}

#[test]
fn a_loose_bound_of_the_count_reserves_nothing() {
    use unisparse::formats::{Bcsr, BdiaCsr, C2sr, CisrPlus, Csc, Dia, Dok, Ell, Sell};
    takes_any_bound::<Coo<f64>>();
    takes_any_bound::<Csr<f64>>();
    takes_any_bound::<Csc<f64>>();
    takes_any_bound::<Dok<f64>>();
    takes_any_bound::<Dia<f64>>();
    takes_any_bound::<Ell<f64>>();
    takes_any_bound::<Sell<f64>>();
    takes_any_bound::<Bcsr<f64>>();
    takes_any_bound::<C2sr<f64>>();
    takes_any_bound::<CisrPlus<f64>>();
    takes_any_bound::<BdiaCsr<f64>>();
    // A loose bound allows no more padding than the actual elements do.
    struct Corner;
    impl Source<2> for Corner {
        type Scalar = f64;
        fn shape(&self) -> [usize; 2] {
            [1 << 14, 1 << 14]
        }
        fn count(&self) -> usize {
            usize::MAX
        }
        fn for_each(&self, mut visit: impl FnMut([usize; 2], f64)) {
            (0..1 << 14).for_each(|at| visit([at, (1 << 14) - 1 - at], 1.0));
        }
    }
    let refused = Dia::<f64>::assemble(&Corner, Limit::default()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Limit);
}

/// A source that reports a wrong shape.
struct Outside;

impl Source<2> for Outside {
    type Scalar = f64;
    fn shape(&self) -> [usize; 2] {
        [4, 4]
    }
    fn count(&self) -> usize {
        3
    }
    fn for_each(&self, mut visit: impl FnMut([usize; 2], f64)) {
        visit([0, 3], 1.0);
        visit([1, 5], 2.0);
        visit([9, 1], 3.0);
    }
}

fn refuses_outside<F: SparseTensor<2, Scalar = f64>>() {
    let refusals = [
        F::assemble(&Outside, Limit::default()).err(),
        F::estimate_of(&Outside).err(),
        F::advise(&Outside).err(),
    ];
    for error in refusals.map(|refusal| refusal.expect("outside")) {
        assert_eq!(
            (error.kind(), error.position()),
            (ErrorKind::OutOfBounds, Some(1)),
            "{}",
            F::NAME
        );
        assert_eq!(error.to_string(), "element 1: column 5 is outside 4 x 4");
    }
}

#[test]
fn elements_outside_the_shape_are_refused() {
    use unisparse::formats::{Bcsr, BdiaCsr, CisrPlus, Csc, Dia, Ell, Sell};
    refuses_outside::<Coo<f64>>();
    refuses_outside::<Csr<f64>>();
    refuses_outside::<Csc<f64>>();
    refuses_outside::<Dia<f64>>();
    refuses_outside::<Ell<f64>>();
    refuses_outside::<Sell<f64>>();
    refuses_outside::<Bcsr<f64>>();
    refuses_outside::<CisrPlus<f64>>();
    refuses_outside::<BdiaCsr<f64>>();
    assert!(BdiaCsr::<f64>::split(&Outside, 1).is_err());
}
