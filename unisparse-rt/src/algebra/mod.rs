//! Operations that every format has, compiled once for each element type except for the visit of the elements.

mod combine;
mod joined;
mod make;
mod matrix;
mod operators;
mod product;
mod room;
mod tensor;

pub use matrix::MatrixOperations;
pub use operators::{Addend, Factor, MatrixFactor, Subtrahend, negated, operate, scaled};
pub use tensor::Operations;
