//! What the loops of compiled kernels call.

mod call;

pub use call::{cast, same};
