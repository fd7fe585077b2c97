//! Hybrid tensors: dividing elements among parts, and treating the parts as one tensor.

mod automatic;
mod split;
mod together;

pub use automatic::Part;
pub use split::{Numbered, PartOf, Split};
pub use together::{Disjoint, Exactly, same_elements};
