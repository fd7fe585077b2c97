//! `tune`: the operator it returns against a dense product, what it leaves out, and what it tries.
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![forbid(unsafe_code)]

use crate::common::Random;
use crate::common::sample::sample;
use unisparse::prelude::*;
use unisparse::{Advice, LinearOperator, Tuned, Tuner, Use, tune};

sparse_format! {
    /// A format of this file: diagonals of blocks of `B` rows, without those that hold nothing.
    pub format Mine<const B: usize = 48> = |i, j| (block: i / B, diag: j - i, lane: i % B) { merge(block); trim(diag); }
}

/// More calls than any search costs, whatever the machine.
const MANY: usize = 1 << 40;

/// Computes `A B` from the elements, for a row-major `B` with this number of columns.
fn product(a: &Triplets<f64, 2>, b: &[f64], columns: usize) -> Vec<f64> {
    let mut c = vec![0.0; a.shape()[0] * columns];
    for ([i, j], value) in a.iter() {
        for n in 0..columns {
            c[i * columns + n] += value * b[j * columns + n];
        }
    }
    c
}

/// Multiplies by small integers, whose sums are exact in any order.
fn check(tuned: &Tuned<'_, f64>, a: &Triplets<f64, 2>) {
    let [rows, cols] = a.shape();
    assert_eq!((tuned.shape(), tuned.nnz()), ([rows, cols], a.len()), "{tuned}");
    let dense = |columns: usize| -> Vec<f64> { (0..cols * columns).map(|at| (at % 7) as f64 - 2.0).collect() };
    let mut y = vec![f64::NAN; rows];
    tuned.spmv(&mut y, &dense(1)).unwrap();
    assert_eq!(y, product(a, &dense(1), 1), "{tuned}");
    let mut c = vec![f64::NAN; rows * 3];
    tuned.spmm(&mut c, &dense(3)).unwrap();
    assert_eq!(c, product(a, &dense(3), 3), "{tuned}");
    assert!(tuned.spmv(&mut vec![0.0; rows + 1], &dense(1)).is_err());
}

/// A band, blocks, random elements with a few long rows, and shapes without elements.
fn matrices() -> Vec<Triplets<f64, 2>> {
    let small = |at: usize| (at % 5 + 1) as f64;
    let band = (0..6000).flat_map(|i| [0usize, 1, 30].map(|step| ([i, (i + step) % 6000], small(i))));
    let blocks =
        (0..3000usize).flat_map(|i| (0..9).map(move |at| ([i, (i / 3 * 3 + at / 3 * 600 + at % 3) % 3000], 2.0)));
    let mut random = Random::new(11).triplets([900, 700], 9000).map(f64::signum);
    (0..700).for_each(|j| random.push([5, j], 1.0).unwrap());
    let unique: std::collections::BTreeMap<[usize; 2], f64> = random.iter().collect();
    vec![
        Triplets::try_from_triplets([6000, 6000], band).unwrap(),
        Triplets::try_from_triplets([3000, 3000], blocks).unwrap(),
        Triplets::try_from_triplets([900, 700], unique).unwrap(),
        Triplets::new([0, 9]),
        Triplets::new([9, 0]),
        Triplets::new([4000, 30]),
    ]
}

#[test]
fn whatever_is_found_multiplies_as_the_elements_do() {
    for matrix in matrices() {
        let (rows, list): (Csr<f64>, Coo<f64>) = (matrix.convert().unwrap(), matrix.convert().unwrap());
        for calls in sample([0, 1000, MANY], 1, 3) {
            let spmm = |columns| Use::Spmm { columns, calls };
            for wanted in [Use::Spmv { calls }, spmm(0), spmm(16)] {
                check(&tune(&rows, wanted).unwrap(), &matrix);
            }
            check(&tune(&list, Use::Spmv { calls }).unwrap(), &matrix);
        }
    }
}

#[test]
fn few_calls_are_not_worth_a_search() {
    let a: Coo<f64> = matrices()[0].convert().unwrap();
    for calls in [0, 1, 10] {
        let tuned = tune(&a, Use::Spmv { calls }).unwrap();
        assert!(tuned.is_original() && tuned.trials().is_empty());
        assert_eq!((tuned.format(), tuned.bytes()), ("Coo".to_owned(), a.bytes()));
    }
}

#[test]
fn formats_of_ones_own_are_tried() {
    let a: Coo<f64> = matrices()[0].convert().unwrap();
    let tuner = Tuner::new(&a, Use::Spmv { calls: MANY });
    let tuned = tuner.with::<Coo<f64>>().with::<Mine<f64, 24>>().tune().unwrap();
    let tried: Vec<&str> = tuned.trials().iter().map(unisparse::Trial::format).collect();
    assert_eq!(tried, ["Coo", "Mine<B=24>"], "{tuned}");
    assert!(tuned.trials().iter().all(|trial| trial.seconds() > 0.0));
    assert_eq!(tuned.is_original(), tuned.format() == "Coo");
    check(&tuned, &matrices()[0]);
}

/// A part of the rows, scaled to the whole matrix, has the pointers of the whole matrix: as many as it has columns.
#[test]
fn advice_on_some_rows_is_scaled_by_elements_and_by_shape() {
    const ROWS: usize = 60_000;
    let rows = |count: usize| (0..count).flat_map(|i| [0, 7, 5000].map(|step| ([i, (i + step) % ROWS], 1.0)));
    let some = Triplets::try_from_triplets([600, ROWS + 100], rows(600)).unwrap();
    let all = Triplets::try_from_triplets([ROWS, ROWS], rows(ROWS)).unwrap();
    let scaled = |advice: Advice| advice.scaled(100.0, &[ROWS, ROWS], 1);
    let check = |(seconds, bytes): (f64, f64), advice: Advice| {
        let (bytes, seconds) = (bytes / advice.bytes() as f64, seconds / advice.seconds());
        assert!((0.99..1.01).contains(&bytes), "{bytes} of {advice}");
        assert!((0.5..2.0).contains(&seconds), "{seconds} of {advice}");
    };
    check(
        scaled(Csr::<f64>::advise(&some).unwrap()),
        Csr::<f64>::advise(&all).unwrap(),
    );
    check(
        scaled(Csc::<f64>::advise(&some).unwrap()),
        Csc::<f64>::advise(&all).unwrap(),
    );
    check(
        scaled(Coo::<f64>::advise(&some).unwrap()),
        Coo::<f64>::advise(&all).unwrap(),
    );
}

#[test]
fn formats_beyond_the_limit_are_left_out() {
    let matrix = &matrices()[0];
    let a: Coo<f64> = matrix.convert().unwrap();
    let within = |limit| {
        Tuner::new(&a, Use::Spmv { calls: MANY })
            .with_stock()
            .within(limit)
            .tune()
            .unwrap()
    };
    let none = within(Limit::bytes(100));
    assert!(none.is_original() && none.trials().len() == 1, "{none}");
    let some = within(Limit::bytes(a.bytes() as u128));
    assert!(some.bytes() <= a.bytes(), "{some}");
    check(&some, matrix);
}

#[test]
fn other_elements_and_formats_can_be_tuned() {
    let bits = (0..4000usize).flat_map(|i| [0, 1, 2].map(|step| ([i, (i + step) % 4000], (i % 3) as i64 + 1)));
    let a: Csc<i64> = Triplets::try_from_triplets([4000, 4000], bits)
        .unwrap()
        .convert()
        .unwrap();
    let tuned = Tuner::new(&a, Use::Spmv { calls: MANY })
        .with::<Csr<i64>>()
        .with::<BdiaCsr<i64, 16>>()
        .tune()
        .unwrap();
    let mut y = vec![0; 4000];
    tuned.spmv(&mut y, &vec![2; 4000]).unwrap();
    assert!(
        y.iter().enumerate().all(|(i, &y)| y == 6 * (i as i64 % 3 + 1)),
        "{tuned}"
    );
}
