//! Estimates against built tensors.

mod common;

use common::Random;
use unisparse::ErrorKind;
use unisparse::prelude::*;

/// Checks that the estimate of a conversion has the sizes of the result.
fn agrees<F: SparseTensor<N, Scalar = f64>, const N: usize>(source: &impl Source<N, Scalar = f64>) {
    let built = F::assemble(source, Limit::none()).unwrap();
    let estimate = F::estimate_of(source).unwrap();
    let found = (estimate.stored(), estimate.bytes());
    assert_eq!(
        found,
        (built.stored() as u128, built.bytes() as u128),
        "{}",
        F::describe()
    );
    assert!(estimate.peak() >= estimate.bytes());
}

fn all(source: &impl Source<2, Scalar = f64>) {
    macro_rules! all {
        ($($format:ty),*) => { $(agrees::<$format, 2>(source);)* };
    }
    all!(
        Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Dia<f64>, DiaVariant<f64>, Bcsr<f64, 2, 3>, Bcsc<f64, 4, 2>,
        Csb<f64, 4>, Bdia<f64, 3>, HiCoo<f64, 4>, Ell<f64>, Sell<f64, 2, 4>, Jds<f64>, Bell<f64, 2>, C2sr<f64, 3>,
        Cisr<f64, 2>, CisrPlus<f64, 3>, Serpens<f64, 4, 8, 3>, Dok<f64>, Lil<f64>, BdiaCsr<f64, 2>, BellCoo<f64, 2>
    );
    all!(Plain<f64>, HoledRows<f64>, Loose<f64>, PackedBanks<f64>, Padded<f64>);
}

unisparse::sparse_format! {
    /// No level is trimmed.
    format Plain = |i, j| (row: i, col: j) { merge(row); }
    /// Rows without an element have an entry.
    format HoledRows = |i, j| (row: i, col: j) { trim(col); }
    /// A level that is not trimmed below one that is, neither merged.
    format Loose = |i, j| (brow: i / 2, col: j, r: i % 2) { trim(brow); trim(r); }
    /// Tuples with padding on both sides of a cut.
    format PackedBanks = |i, j| (bank: i % 3, row: i, col: j) { merge(bank); trim(row..=col); index(row: u16); partition(bank); pack(row..=col); }
    /// As many slots as the longest row of each block needs.
    format Padded = |i, j| (row: i, place, col: j)
        where { place = slot(2).group_by(i).key(j / 3).traverse_by(j); }
        { merge(row, place); pad(place); }
}

#[test]
fn estimates_are_exact() {
    let mut random = Random::new(11);
    for round in 0..60 {
        let shape = match round {
            0 => [0, 4],
            1 => [4, 0],
            _ => [1 + random.below(13), 1 + random.below(13)],
        };
        let count = if shape.contains(&0) { 0 } else { random.below(40) };
        // With duplicates and explicit zeros.
        let elements: Vec<_> = (0..count)
            .map(|_| (shape.map(|extent| random.below(extent)), random.below(3) as f64))
            .collect();
        let triplets = Triplets::try_from_triplets(shape, elements).unwrap();
        all(&triplets);
        if round % 4 == 0 {
            all(&triplets.convert_within::<Bcsc<f64, 4, 2>>(Limit::none()).unwrap());
        }
    }
}

#[test]
fn keys_may_be_wide() {
    let far = 1usize << 40;
    let wide =
        Triplets::try_from_triplets([far, far], [([far - 1, 7], 1.0), ([3, far - 2], 2.0), ([3, 0], 1.0)]).unwrap();
    let estimate = wide.estimate::<Wide<f64>>().unwrap();
    assert_eq!((estimate.stored(), estimate.bytes()), (3, 2 * 8 + 3 * 4 + 3 * 16));
    agrees::<Wide<f64>, 2>(&wide);
}

unisparse::sparse_format! {
    /// Columns within rows that have an element.
    format Wide = |i, j| (row: i, col: j) { merge(row); trim(row..=col); index(row: u64, col: u64); }
}

#[test]
fn three_dims_are_estimated() {
    let cube = (0..50usize).map(|at| ([at % 3, at * 7 % 5, at * 11 % 6], 1.0));
    agrees::<Csf<f64>, 3>(&Triplets::try_from_triplets([3, 5, 6], cube).unwrap());
}

#[test]
fn refused_conversions_are_estimated() {
    let arrow = (0..3000).flat_map(|at| [([0, at], 1.0), ([at, 0], 1.0)]);
    let arrow = Triplets::try_from_triplets([3000, 3000], arrow).unwrap();
    assert_eq!(arrow.convert::<Ell<f64>>().unwrap_err().kind(), ErrorKind::Limit);
    let estimate = arrow.estimate::<Ell<f64>>().unwrap();
    assert_eq!((estimate.stored(), estimate.bytes()), (9_000_000, 9_000_000 * 12));
    // A matrix with a million times a million diagonals, each with an element: nothing of that size is allocated.
    let side = 1usize << 20;
    let corners = Triplets::try_from_triplets([side, side], (0..side).map(|at| ([at, side - 1 - at], 1.0))).unwrap();
    assert_eq!(corners.estimate::<Dia<f64>>().unwrap().stored(), 1 << 40);
}

#[test]
fn duplicates_are_refused_if_conversion_refuses_them() {
    let twice = Triplets::try_from_triplets([2, 2], [([1, 1], 1.0), ([1, 1], 2.0)]).unwrap();
    assert_eq!(twice.estimate::<Csr<f64>>().unwrap().stored(), 1);
    let twice = twice.duplicates(Duplicates::Reject);
    assert_eq!(twice.estimate::<Csr<f64>>().unwrap_err().kind(), ErrorKind::Duplicate);
    assert_eq!(twice.estimate::<Ell<f64>>().unwrap_err().kind(), ErrorKind::Duplicate);
}
