//! Tensors in parts: how elements are divided among the parts, and what the parts are together.

mod automatic;
mod split;
mod together;

pub use automatic::Part;
pub use split::{Numbered, PartOf, Split};
pub use together::{Disjoint, Exactly, same_elements};
