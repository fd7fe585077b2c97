//! Values that are easily lost, and matrices that do not suit a format.

use crate::common::data::shared;
use unisparse::formats::{BdiaCsr, Bell, BellCoo, C2sr, Cisr, CisrPlus, Dok, Ell, Jds, Lil, Sell, Serpens};
use unisparse::prelude::*;
use unisparse::{Duplicates, ErrorKind, Triplets};

/// Elements with every special value, compared as bits, because `==` does not distinguish all of them.
fn special() -> Triplets<f64, 2> {
    let values = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        0.0,
        1.5,
        f64::MIN_POSITIVE,
        -f64::NAN,
    ];
    let place = |at: usize| [(at * 5) % 11, (at * 7 + 1) % 9];
    let elements = (0..40).map(|at| (place(at), values[at % values.len()]));
    let mut triplets = Triplets::new([11, 9]).duplicates(Duplicates::First);
    for (at, value) in elements {
        triplets.push(at, value).unwrap();
    }
    let coo: Coo<f64> = triplets.convert().unwrap();
    Triplets::try_from_triplets([11, 9], coo.iter()).unwrap()
}

fn bits<S: Source<2, Scalar = f64>>(source: &S, zeros: bool) -> Vec<([usize; 2], u64)> {
    let mut found = Vec::new();
    source.for_each(|at, value| {
        if zeros || value != 0.0 {
            found.push((at, value.to_bits()));
        }
    });
    found.sort_unstable();
    found
}

macro_rules! survive {
    ($zeros:literal: $($format:ty),* $(,)?) => {$(
        let triplets = special();
        let tensor: $format = triplets.convert().unwrap();
        let expected = bits(&triplets, $zeros);
        assert_eq!(bits(&tensor, true), expected, stringify!($format));
        assert_eq!(tensor.nnz(), expected.len(), stringify!($format));
        // Back, and once more through a format with queries.
        let jds: Jds<f64> = tensor.convert().unwrap();
        let back: $format = jds.convert().unwrap();
        assert_eq!(bits(&back, true), expected, stringify!($format));
    )*};
}

#[test]
fn formats_without_holes_keep_every_value() {
    assert!(bits(&special(), true).len() > bits(&special(), false).len() + 5);
    survive!(
        true:
        Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Csb<f64, 4>, HiCoo<f64, 4>,
        Jds<f64>, C2sr<f64, 3>, Cisr<f64, 3>, CisrPlus<f64, 3>, Dok<f64>, Lil<f64>,
    );
}

#[test]
fn formats_with_holes_keep_every_value_but_zeros() {
    survive!(
        false:
        Dia<f64>, DiaVariant<f64>, Bcsr<f64>, Bcsc<f64>, Bdia<f64, 4>,
        Ell<f64>, Sell<f64, 2, 4>, Bell<f64, 3>, Serpens<f64, 2, 4, 3>,
    );
}

sparse_format! {
    /// Slots of rows in parts.
    format Slots<const P: usize = 2> = |i, j| (bank: i % P, slot, row: i / P, col: j)
        where {
            len = sum(value != 0 => 1, _ => 0).group_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(bank, slot); trim(slot); partition(bank); }
}

/// An explicit zero takes a slot of its row, and reads as no element. The slots of the row's other elements depend on it, and so does
/// the order of all elements.
#[test]
fn formats_with_holes_are_equal_with_and_without_explicit_zeros() {
    // The first elements of every other row are zeros.
    let value = |i: usize, j: usize| if i % 2 == 0 && j < 3 { 0.0 } else { (i + j) as f64 };
    let row = |i: usize| [i % 3, 3 + i % 2, 5 + i % 2].map(|j| ([i, j], value(i, j)));
    let with: Vec<_> = (0..6).flat_map(row).collect();
    let without = with.iter().copied().filter(|&(_, value)| value != 0.0).collect();
    let [with, without] =
        [with, without].map(|elements: Vec<([usize; 2], f64)>| Triplets::try_from_triplets([6, 7], elements).unwrap());
    let other = without.clone().map(|value| value + 1.0);
    let mut reordered = 0;
    macro_rules! each {
        ($($format:ty),*) => {$({
            let [with, without, other]: [$format; 3] = [&with, &without, &other].map(|triplets| triplets.convert().unwrap());
            assert!(with == without && without == with && with == with.clone(), "{}", stringify!($format));
            assert!(with != other, "{}", stringify!($format));
            reordered += usize::from(!with.iter().eq(without.iter()));
        })*};
    }
    each!(Ell<f64>, Sell<f64, 2, 4>, Bell<f64, 1>, Serpens<f64, 4, 8, 3>, Slots<f64, 2>, Dia<f64>, Bcsr<f64, 2, 2>);
    assert!(reordered >= 3, "{reordered}");
    let [with, without]: [Csr<f64>; 2] = [&with, &without].map(|triplets| triplets.convert().unwrap());
    assert!(with != without);
}

/// A zero in a part with holes is lost, a zero in the other part is kept.
#[test]
fn hybrids_keep_the_zeros_that_their_parts_keep() {
    let triplets = special();
    let all_in_csr = BdiaCsr::<f64, 4>::split(&triplets, 100).unwrap();
    assert_eq!(bits(&all_in_csr, true), bits(&triplets, true));
    let all_in_bdia = BdiaCsr::<f64, 4>::split(&triplets, 0).unwrap();
    assert_eq!(bits(&all_in_bdia, true), bits(&triplets, false));
    let some = BellCoo::<f64, 3>::split(&triplets, 3).unwrap();
    assert_eq!(bits(&some, false), bits(&triplets, false));
}

fn read(path: &str) -> Option<Triplets<f64, 2>> {
    Some(unisparse::io::read_matrix_market(shared(path)?).unwrap())
}

/// Returns the error of a conversion that must be refused, which names the format and a size above the limit.
fn refused<F: SparseTensor<2, Scalar = f64>>(triplets: &Triplets<f64, 2>, least: u128) {
    let Err(error) = triplets.convert::<F>() else {
        panic!("{} was made", F::NAME);
    };
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    let text = error.to_string();
    let bytes = text.split(' ').find_map(|word| word.parse::<u128>().ok());
    assert!(
        text.contains(F::NAME) && bytes.is_some_and(|bytes| bytes >= least),
        "{text}"
    );
    eprintln!("REFUSED: {text}");
}

#[test]
fn padding_is_refused_before_it_is_allocated() {
    if let Some(triplets) = read("data/structured/bcsstk13.mtx.gz") {
        refused::<Dia<f64>>(&triplets, 8 << 20);
        // A greater limit allows it.
        let dia: Dia<f64> = triplets.convert_within(Limit::none()).unwrap();
        assert_eq!(dia.nnz(), triplets.len());
        assert!(triplets.convert_within::<Csr<f64>>(Limit::bytes(1000)).is_err());
    }
    if let Some(triplets) = read("data/graph/NotreDame_www.mtx.gz") {
        let rows = triplets.shape()[0] as u128;
        // Tens of slots, and many thousand diagonals, of 8 bytes per row.
        refused::<Ell<f64>>(&triplets, 8 * 50 * rows);
        refused::<Dia<f64>>(&triplets, 8 * 10_000 * rows);
    }
}

/// The same without a file: one long row, or one element on every diagonal.
#[test]
fn padding_of_generated_matrices_is_refused() {
    let long = (0..3000).map(|j| ([0, j], 1.0)).chain((0..3000).map(|i| ([i, 0], 1.0)));
    let long = Triplets::try_from_triplets([3000, 3000], long).unwrap();
    refused::<Ell<f64>>(&long, 8 * 3000 * 3000);
    let cross = (0..3000).map(|i| ([i, 2999 - i], 1.0));
    let cross = Triplets::try_from_triplets([3000, 3000], cross).unwrap();
    refused::<Dia<f64>>(&cross, 8 * 3000 * 3000);
    // One pair of rows with every element: each waits for its predecessor, so all processing elements wait.
    let hot = (0..3000).map(|j| ([0, j], 1.0));
    let hot = Triplets::try_from_triplets([3000, 3000], hot).unwrap();
    refused::<Serpens<f64, 128, 8192, 10>>(&hot, 8 * 128 * 29_990);
}
