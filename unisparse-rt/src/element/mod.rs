//! Element types: the values that tensors hold and kernels compute with.

mod bits;
#[cfg(feature = "half")]
mod half;
mod index;
mod magnitude;
mod narrow;
mod numbers;
mod operators;
mod scalar;

pub use bits::Bits;
pub use index::Index;
pub use magnitude::Magnitude;
pub use narrow::{Narrow, Pattern};
#[cfg(feature = "half")]
pub(crate) use operators::to_odd;
pub use operators::{FromFloat, FromInteger, Negate, Ordered, check_coordinates};
pub use scalar::{Accumulator, Padding, Scalar, Stored, keeping_holes};
