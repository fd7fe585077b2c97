//! Hybrid tensors: dividing elements among parts, and treating the parts as one tensor.

mod parts;
mod split;
mod thresholds;

pub use parts::{Disjoint, Exactly};
pub use split::{Numbered, PartOf, Split};
pub use thresholds::Part;
