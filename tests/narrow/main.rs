//! What tensors store may be less than what kernels compute with: patterns, narrow values, types of a user's own.

#[path = "../common/mod.rs"]
mod common;
mod duplicates;
mod elements;
mod files;
mod formats;
mod kernels;

use std::collections::BTreeSet;

use common::random::Random;
use unisparse::{Pattern, Stored, Triplets};

/// Some places of a box, each once, in no order.
fn places(shape: [usize; 2], count: usize, seed: u64) -> Vec<[usize; 2]> {
    let mut random = Random::new(seed);
    let places: BTreeSet<[usize; 2]> = (0..count).map(|_| shape.map(|extent| random.below(extent))).collect();
    let mut places: Vec<[usize; 2]> = places.into_iter().collect();
    for at in (1..places.len()).rev() {
        places.swap(at, random.below(at + 1));
    }
    places
}

/// Values at places.
fn triplets<T: Stored>(shape: [usize; 2], places: &[[usize; 2]], value: impl Fn([usize; 2]) -> T) -> Triplets<T, 2> {
    Triplets::try_from_triplets(shape, places.iter().map(|&at| (at, value(at)))).unwrap()
}

fn pattern<T: unisparse::Scalar>(shape: [usize; 2], places: &[[usize; 2]]) -> Triplets<Pattern<T>, 2> {
    triplets(shape, places, |_| Pattern::new())
}

/// A small whole number that the place determines.
fn number([i, j]: [usize; 2]) -> f64 {
    ((i * 7 + j * 3) % 11) as f64 + 1.0
}

/// A matrix, row-major; what is not stored is zero.
fn dense<T: Stored<Value = f64>>(triplets: &Triplets<T, 2>) -> Vec<f64> {
    let [_, cols] = triplets.shape();
    let mut all = vec![0.0; triplets.shape().iter().product()];
    for ([i, j], stored) in triplets.iter() {
        all[i * cols + j] += stored.value();
    }
    all
}

/// The product of row-major matrices: `m` by `k`, and `k` by as many columns as the second has.
fn product(left: &[f64], right: &[f64], [m, k]: [usize; 2]) -> Vec<f64> {
    let n = right.len() / k.max(1);
    let mut all = vec![0.0; m * n];
    for i in 0..m {
        for at in 0..k {
            for j in 0..n {
                all[i * n + j] += left[i * k + at] * right[at * n + j];
            }
        }
    }
    all
}
