//! Tensors and kernels on a device, through the public interface, on a stand-in for the driver (`stand_in.rs`): the same
//! calls as on a real device, with the results of the processor.
//!
//! All elements are small integers, so every sum is exact in every order and for every element type.
#![cfg(feature = "cuda")]

mod formats;
mod interface;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "../common/random.rs"]
mod random;
mod stand_in;
mod statements;

use random::Random;
use unisparse::Triplets;

/// Returns small integers.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let next = || [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0][random.below(6)];
    std::iter::repeat_with(next).take(count).collect()
}

/// Stores the given percentage of elements, and all of row 2 and of column 3, so that rows differ much in length.
fn elements(shape @ [rows, cols]: [usize; 2], percent: usize, seed: u64) -> Triplets<f64, 2> {
    let (mut triplets, mut random) = (Triplets::new(shape), Random::new(!seed));
    for (at, number) in numbers(rows * cols, seed).into_iter().enumerate() {
        let (row, col) = (at / cols, at % cols);
        let is_long = percent > 0 && (row == 2 || col == 3);
        if is_long || random.below(100) < percent {
            triplets.push([row, col], number).unwrap();
        }
    }
    triplets
}

/// Returns the same elements of another type.
fn as_elements<T: unisparse::Scalar>(triplets: &Triplets<f64, 2>, of: impl Fn(f64) -> T) -> Triplets<T, 2> {
    let mut other = Triplets::new(unisparse::Source::shape(triplets));
    unisparse::Source::for_each(triplets, |at, number| other.push(at, of(number)).unwrap());
    other
}
