//! Every pair on matrices of degenerate shapes, and on small ones of every density.

use unisparse::prelude::*;

use crate::common::Random;
use crate::common::random::{elements, tensors};
use crate::formats::{FORMATS, pairs};
use crate::judge::{Matrix, Pairs};

const AFFORDABLE: u128 = 16 << 20;

fn every_pair(name: &str, shape: [usize; 2], elements: impl IntoIterator<Item = ([usize; 2], f32)>) -> Pairs {
    let triplets = Triplets::try_from_triplets(shape, elements).unwrap();
    Matrix::new(name.to_owned(), &triplets, AFFORDABLE).every_pair()
}

/// Checks every pair under the default limit.
fn all_made(name: &str, shape: [usize; 2], elements: impl IntoIterator<Item = ([usize; 2], f32)>) {
    let made = every_pair(name, shape, elements);
    assert_eq!(made.made, pairs(), "{name} {shape:?}: {made:?}");
}

#[test]
fn no_elements() {
    for shape in [[0, 0], [0, 5], [5, 0], [1, 1], [1, 9], [9, 1], [6, 7], [200, 130]] {
        all_made("no elements", shape, []);
    }
}

#[test]
fn one_row_or_column() {
    let value = |at: usize| (at % 7 + 1) as f32;
    all_made("one element", [1, 1], [([0, 0], 3.0)]);
    for extent in [2, 9, 130] {
        all_made("one full row", [1, extent], (0..extent).map(|j| ([0, j], value(j))));
        all_made("one full column", [extent, 1], (0..extent).map(|i| ([i, 0], value(i))));
    }
    all_made(
        "a full row among empty ones",
        [20, 70],
        (0..70).map(|j| ([13, j], value(j))),
    );
    all_made(
        "a full column among empty ones",
        [70, 20],
        (0..70).map(|i| ([i, 13], value(i))),
    );
    all_made(
        "first and last row",
        [70, 9],
        (0..9).flat_map(|j| [([0, j], value(j)), ([69, j], value(j + 3))]),
    );
    all_made(
        "first and last column",
        [9, 70],
        (0..9).flat_map(|i| [([i, 0], value(i)), ([i, 69], value(i + 3))]),
    );
}

#[test]
fn every_coordinate() {
    for [rows, cols] in [[3, 4], [12, 10], [10, 13]] {
        all_made(
            "all dense",
            [rows, cols],
            (0..rows * cols).map(|at| ([at / cols, at % cols], at as f32 + 1.0)),
        );
    }
}

#[test]
fn explicit_zeros() {
    let zero = |at: usize| if at % 2 == 0 { 0.0 } else { -0.0 };
    all_made("one zero", [1, 1], [([0, 0], 0.0)]);
    all_made("only zeros", [20, 30], (0..30).map(|at| ([at * 7 % 20, at], zero(at))));
    let some = |at: usize| if at % 3 == 0 { zero(at) } else { at as f32 };
    all_made(
        "zeros in every row",
        [20, 30],
        (0..200).map(|at| ([at / 10, at % 10 * 3], some(at))),
    );
    // Whole blocks, diagonals, rows and slots of zeros.
    let some = |i: usize, j: usize| if i / 6 == 1 || j == i + 1 { 0.0 } else { 5.0 };
    let band = (0..40usize).flat_map(|i| (i.saturating_sub(2)..(i + 3).min(40)).map(move |j| ([i, j], some(i, j))));
    all_made("a band with zeros", [40, 40], band);
}

#[test]
fn every_density() {
    for (seed, shape) in [[5, 4], [20, 20], [70, 9], [9, 70], [130, 129]].into_iter().enumerate() {
        for triplets in tensors(shape, seed as u64 + 1) {
            let elements = elements(&triplets);
            all_made(
                "random",
                shape,
                elements.into_iter().map(|(at, value)| (at, value as f32)),
            );
        }
    }
}

/// Keys of more than 64 bits. Formats with something for each row or column are refused. A hybrid puts all elements into the
/// part that is not refused.
#[test]
fn an_enormous_shape() {
    let mut random = Random::new(38);
    let elements: Vec<_> = (0..300)
        .map(|at| ([random.below(1 << 31), random.below(1 << 31)], at as f32 + 1.0))
        .collect();
    let pairs = every_pair("an enormous shape", [1 << 38, 1 << 38], elements);
    assert_eq!(FORMATS - pairs.unmade, 8, "{pairs:?}");
    if cfg!(every_product) {
        assert!(pairs.made == 8 * 8 && pairs.refused == 8 * 22, "{pairs:?}");
    }
}

/// The parts of a partitioned tensor are sources too.
#[test]
fn parts_as_sources() {
    let triplets: Triplets<f32, 2> = Random::new(5).triplets([40, 33], 300).map(|value| value as f32);
    let mut made = 0;
    macro_rules! each_part {
        ($($format:ty),*) => {$(
            let whole: $format = triplets.convert().unwrap();
            for part in whole.parts() {
                let elements = Triplets::try_from_triplets(whole.shape(), part.iter()).unwrap();
                assert!(!elements.is_empty());
                let mut matrix = Matrix::new("a part".to_owned(), &elements, AFFORDABLE);
                matrix.convert_to_each_kind(part);
                made += matrix.pairs().made;
            }
        )*};
    }
    each_part!(C2sr<f32, 4>, Cisr<f32, 3>, CisrPlus<f32, 3>);
    assert_eq!(made, (4 + 3 + 3) * 9);
}
