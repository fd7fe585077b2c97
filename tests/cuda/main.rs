//! Tensors and kernels on a device, through the public interface, on a stand-in for the driver (`stand_in.rs`): the same
//! calls as on a real device, with the results of the processor.
//!
//! All elements are small integers, so every sum is exact in every order and for every element type.
#![cfg(feature = "cuda")]

mod formats;
mod interface;
mod queues;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "../common/random.rs"]
mod random;
#[allow(unreachable_pub, reason = "other tests use it")]
#[path = "../common/shapes.rs"]
mod shapes;
#[allow(unreachable_pub, reason = "other tests use it")]
#[path = "../common/skewed.rs"]
mod skewed;
mod sparse;
mod stand_in;
mod statements;

use skewed::{elements, numbers};
use unisparse::Triplets;

/// Returns the same elements of another type.
fn as_elements<T: unisparse::Scalar>(triplets: &Triplets<f64, 2>, of: impl Fn(f64) -> T) -> Triplets<T, 2> {
    let mut other = Triplets::new(unisparse::Source::shape(triplets));
    unisparse::Source::for_each(triplets, |at, number| other.push(at, of(number)).unwrap());
    other
}
