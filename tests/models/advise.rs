//! Advice: estimated sizes against built tensors, rankings, and chosen thresholds of hybrids against all possible ones.
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use crate::common::Random;
use crate::common::sample::sample;
use unisparse::prelude::*;
use unisparse::{Advice, Advisor, ErrorKind};

sparse_format! {
    /// A format of this file: rows in pairs, and the elements of a pair by column.
    pub format Pairs = |i, j| (pair: i / 2, col: j, half: i % 2) { merge(pair); trim(col..=half); }
    format Wide = |i, j| (row: i, col: j) { merge(row); trim(row..=col); index(row: u64); }
    format Bytes = |i, j| (row: i, col: j) { merge(row); trim(row..=col); index(row: u64, col: u8); }
    format ByteDiagonals = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag..=row); index(diag: i8, row: u64); }
    /// Full rows as dense rows, the other elements by coordinates.
    pub hybrid Rows = Bcsr<1, 8> + Coo split sum(value != 0 => 1, _ => 0).group_by(i) > longest;
    /// A part with a query.
    hybrid Slots = Csr + Ell split sum(value != 0 => 1, _ => 0).group_by(i) > longest;
    hybrid Thirds = Bdia<4> + Bcsr<2, 2> + Csr split sum(value != 0 => 1, _ => 0).group_by(i / 4, j - i) > high > low;
    /// The lower threshold is a literal, greater than most candidates for the other one.
    hybrid Bounded = Bdia<4> + Bcsr<2, 2> + Csr split sum(value != 0 => 1, _ => 0).group_by(i / 4, j - i) > high > 3;
    hybrid Fibers = Csf + Csf split sum(value != 0 => 1, _ => 0).group_by(i, j) > longest;
}

/// Returns the elements of a source, with duplicates summed.
fn held(source: &impl Source<2, Scalar = f64>) -> BTreeMap<[usize; 2], f64> {
    let mut all = BTreeMap::new();
    source.for_each(|at, value| *all.entry(at).or_insert(0.0) += value);
    all
}

/// Matrices of all kinds: empty, random, noisy bands, long rows.
fn matrices() -> Vec<Triplets<f64, 2>> {
    let mut random = Random::new(7);
    let mut all: Vec<Triplets<f64, 2>> = [[0, 4], [4, 0], [1, 1], [3, 50]].map(Triplets::new).into();
    for (shape, count) in [([1, 1], 1), ([9, 9], 20), ([40, 3], 50), ([3, 40], 50), ([64, 64], 300)] {
        all.push(random.triplets(shape, count));
    }
    let mut banded = random.triplets([200, 200], 80);
    let mut arrow = Triplets::new([90, 90]);
    for at in 0..200 {
        for step in 0..3 {
            banded.push([at, (at + 7 * step) % 200], 1.0).unwrap();
        }
    }
    for at in 0..90 {
        arrow.push([0, at], 1.0).unwrap();
        arrow.push([at, at / 2], 1.0).unwrap();
    }
    all.extend([banded, arrow]);
    all
}

/// Checks that the advice has the sizes of the tensor that a conversion makes.
fn agrees<F: SparseTensor<N, Scalar = f64>, const N: usize>(source: &Triplets<f64, N>) {
    let advice = F::advise(source).unwrap();
    let built = source.convert::<F>();
    assert_eq!(built.is_err(), advice.refusal().is_some(), "{advice}");
    let built = built.or_else(|_| source.convert_within::<F>(Limit::none())).unwrap();
    let found = (advice.stored(), advice.bytes());
    assert_eq!(found, (built.stored() as u128, built.bytes() as u128), "{advice}");
    assert!(advice.seconds().is_finite() && advice.seconds() >= 0.0, "{advice}");
    assert!(advice.format().starts_with(F::NAME));
}

#[test]
fn estimated_sizes_are_those_of_built_tensors() {
    for matrix in matrices() {
        macro_rules! all {
            ($($format:ty),*) => { $(agrees::<$format, 2>(&matrix);)* };
        }
        all!(
            Coo<f64>, Csr<f64>, Dcsc<f64>, Dia<f64>, Bcsr<f64, 2, 3>, Csb<f64, 4>, Sell<f64, 2, 4>, Jds<f64>, C2sr<f64, 3>,
            Serpens<f64, 4, 8, 3>, Lil<f64>, BellCoo<f64, 2>, Pairs<f64>, Rows<f64>, Slots<f64>, Thirds<f64>
        );
        #[cfg(every_product)]
        all!(
            Csc<f64>, Dcsr<f64>, DiaVariant<f64>, Bcsc<f64, 4, 2>, Bdia<f64, 3>, HiCoo<f64, 4>, Ell<f64>, Bell<f64, 2>,
            Cisr<f64, 2>, CisrPlus<f64, 3>, Dok<f64>, BdiaCsr<f64, 4>
        );
    }
    let cube = (0..50usize).map(|at| ([at % 3, at * 7 % 5, at * 11 % 6], 1.0));
    let cube = Triplets::try_from_triplets([3, 5, 6], cube).unwrap();
    agrees::<Csf<f64>, 3>(&cube);
    agrees::<Fibers<f64>, 3>(&cube);
}

#[test]
fn what_does_not_fit_its_array_is_refused_before_it_is_built() {
    let far = Triplets::try_from_triplets([1 << 40, 300], [([1 << 39, 299], 1.0), ([3, 4], 2.0)]).unwrap();
    let below = Triplets::try_from_triplets([300, 300], [([200, 71], 1.0), ([200, 72], 2.0)]).unwrap();
    // An error of the conversion also has the position.
    macro_rules! check {
        ($source:expr; $($format:ty)*) => {$(
            let error = $source.convert::<$format>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Overflow);
            let advice = <$format>::advise(&$source).unwrap();
            let found = advice.refusal().expect("it is refused");
            assert_eq!((found.kind(), found.found(), found.expected()), (error.kind(), error.found(), error.expected()));
        )*};
    }
    check!(far; Coo<f64> Dcsr<f64> Bytes<f64> ByteDiagonals<f64>);
    check!(below; ByteDiagonals<f64>);
    assert!(Wide::<f64>::advise(&far).unwrap().refusal().is_none());
    far.convert::<Wide<f64>>().unwrap();
    let ranking = Advisor::new(&far)
        .with::<Coo<f64>>()
        .unwrap()
        .with::<Wide<f64>>()
        .unwrap()
        .rank();
    assert!(ranking.best().unwrap().format().starts_with("Wide"));
    // All coordinates of elements fit, though not all of the domain.
    let near = Triplets::try_from_triplets([1 << 40, 300], [([7, 250], 1.0)]).unwrap();
    assert!(Bytes::<f64>::advise(&near).unwrap().refusal().is_none());
    near.convert::<Bytes<f64>>().unwrap();
}

#[test]
fn rankings_are_by_time_with_refusals_last() {
    let arrow = (0..3000).flat_map(|at| [([0, at], 1.0), ([at, 0], 1.0)]);
    let arrow = Triplets::try_from_triplets([3000, 3000], arrow).unwrap();
    let refused = Ell::advise(&arrow).unwrap();
    assert_eq!(refused.refusal().unwrap().kind(), ErrorKind::Limit);
    assert_eq!(refused.bytes(), 9_000_000 * 12);

    let vast = Triplets::try_from_triplets([usize::MAX; 2], [([7, 9], 1.0)]).unwrap();
    let refused = Csr::<f64>::advise(&vast).unwrap();
    assert!(refused.refusal().is_some() && refused.seconds() == f64::INFINITY);

    let ranking = || unisparse::advise(&arrow).unwrap().with::<Pairs<f64>>().unwrap().rank();
    let (first, again) = (ranking(), ranking());
    assert_eq!(first.to_string(), again.to_string());
    let all: Vec<_> = first.iter().collect();
    assert_eq!(all.iter().filter(|advice| advice.format() == "Pairs").count(), 1);
    let keys: Vec<(bool, f64)> = all
        .iter()
        .map(|advice| (advice.refusal().is_some(), advice.seconds()))
        .collect();
    assert!(keys.is_sorted(), "{first}");
    let best = first.best().unwrap();
    assert!(
        all.iter()
            .all(|advice| advice.refusal().is_some() || advice.seconds() >= best.seconds())
    );
    assert!(first.to_string().lines().count() == all.len() + 1);

    let none = Advisor::new(&arrow).with::<Ell<f64>>().unwrap().rank();
    assert!(none.best().is_none());
    assert_eq!(Advisor::<_, 2>::new(&arrow).rank().iter().count(), 0);
}

#[test]
fn duplicates_are_refused_if_conversion_refuses_them() {
    let twice = Triplets::try_from_triplets([2, 2], [([1, 1], 1.0), ([1, 1], 2.0)]).unwrap();
    assert_eq!(Csr::advise(&twice).unwrap().stored(), 1);
    let twice = twice.duplicates(Duplicates::Reject);
    assert_eq!(Csr::advise(&twice).unwrap_err().kind(), ErrorKind::Duplicate);
    assert_eq!(unisparse::advise(&twice).err().unwrap().kind(), ErrorKind::Duplicate);
}

/// Returns the advice for one part of a hybrid.
fn part<F: SparseTensor<2, Scalar = f64>>(part: &impl Source<2, Scalar = f64>) -> Advice {
    F::advise(part).unwrap()
}

/// Returns the modelled seconds of a product with the parts of `Bounded` or `Thirds`.
fn of_thirds(diagonals: &Bdia<f64, 4>, blocks: &Bcsr<f64, 2, 2>, rest: &Csr<f64>) -> f64 {
    let diagonals = part::<Bdia<f64, 4>>(diagonals);
    let blocks = part::<Bcsr<f64, 2, 2>>(blocks);
    Advice::seconds_of_parts(&[diagonals, blocks, part::<Csr<f64>>(rest)])
}

/// Thresholds that divide the elements of these matrices in all possible ways.
const ALL: std::ops::RangeInclusive<i64> = -1..=200;

#[test]
fn no_threshold_is_better_than_the_chosen_one() {
    for matrix in matrices() {
        macro_rules! check {
            ($hybrid:ty: $first:ty, $second:ty) => {
                let of = |tensor: $hybrid| {
                    let (first, second) = tensor.parts();
                    Advice::seconds_of_parts(&[part::<$first>(first), part::<$second>(second)])
                };
                let chosen = <$hybrid>::split_auto(&matrix).unwrap();
                assert_eq!(held(&chosen), held(&matrix));
                let chosen = of(chosen);
                for threshold in sample(ALL, 0, 8) {
                    // A split that exceeds the default limit is an error.
                    if let Ok(other) = <$hybrid>::split(&matrix, threshold) {
                        assert!(chosen <= of(other), "{} by {threshold}", stringify!($hybrid));
                    }
                }
            };
        }
        check!(BdiaCsr<f64, 4>: Bdia<f64, 4>, Csr<f64>);
        check!(BdiaCsr<f64, 64>: Bdia<f64, 64>, Csr<f64>);
        check!(Rows<f64>: Bcsr<f64, 1, 8>, Coo<f64>);
    }
}

#[test]
fn thresholds_beside_a_literal_are_the_best() {
    for matrix in matrices() {
        let of = |tensor: Bounded<f64>| {
            let (diagonals, blocks, rest) = tensor.parts();
            of_thirds(diagonals, blocks, rest)
        };
        let chosen = of(Bounded::split_auto(&matrix).unwrap());
        for threshold in -1..=5 {
            assert!(chosen <= of(Bounded::split(&matrix, threshold).unwrap()), "{threshold}");
        }
    }
}

#[test]
fn several_thresholds_are_no_worse_than_their_start() {
    const ALL: i64 = i64::MIN;
    const NONE: i64 = i64::MAX;
    for matrix in matrices() {
        let of = |tensor: &Thirds<f64>| {
            let (diagonals, blocks, rest) = tensor.parts();
            of_thirds(diagonals, blocks, rest)
        };
        let chosen = Thirds::split_auto(&matrix).unwrap();
        assert_eq!(held(&chosen), held(&matrix));
        // The chosen thresholds are also available separately.
        let [high, low] = Thirds::thresholds(&matrix).unwrap();
        assert_eq!(Thirds::split(&matrix, high, low).unwrap().parts(), chosen.parts());
        // The search starts from shares of the fullest diagonal of a block, and from all elements in one part.
        let mut diagonals = BTreeMap::new();
        for &[i, j] in held(&matrix).keys() {
            *diagonals.entry((i / 4, j as i64 - i as i64)).or_insert(0) += 1;
        }
        let fullest = diagonals.into_values().max().unwrap_or(0);
        for (high, low) in [(fullest * 2 / 3, fullest / 3), (ALL, NONE), (NONE, ALL), (NONE, NONE)] {
            // A split that exceeds the default limit is an error.
            if let Ok(start) = Thirds::split(&matrix, high, low) {
                assert!(of(&chosen) <= of(&start), "{high} {low}");
            }
        }
    }
}

#[test]
fn parts_with_queries_are_compared_by_a_few_thresholds() {
    for matrix in matrices() {
        let chosen = Slots::split_auto(&matrix).unwrap();
        assert_eq!(held(&chosen), held(&matrix));
        let again = Slots::split_auto(&matrix).unwrap();
        assert_eq!(chosen.parts(), again.parts());
    }
    // One long row: with as many slots as it has elements, the part would exceed the limit.
    let arrow = (0..3000).flat_map(|at| [([0, at], 1.0), ([at, 0], 1.0)]);
    let arrow = Triplets::try_from_triplets([3000, 3000], arrow).unwrap();
    let (long, short) = Slots::split_auto(&arrow).unwrap().into_parts();
    assert!(long.nnz() >= 3000 && short.slot_size() <= 1);
}

#[test]
fn a_limit_that_no_threshold_keeps_is_an_error() {
    let corners = (0..5000).map(|at| ([at, 4999 - at], 1.0));
    let corners = Triplets::try_from_triplets([5000, 5000], corners).unwrap();
    // Every diagonal has a single element, so both parts are large.
    let error = corners
        .convert_within::<BdiaCsr<f64, 64>>(Limit::bytes(100))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}
