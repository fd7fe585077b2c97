//! Tensors in the formats of `serde`: the layout, the shape, the arrays and the values, checked when they are read.
//!
//! The macro lists the members of a tensor; [`serialize`] and [`deserialize`] do what is the same for every format. A tensor that
//! is read is made by `try_from_parts`, so data from anywhere gives a valid tensor or an error.

mod elements;
mod items;
mod layout;
mod members;
mod triplets;
mod tuples;

pub use items::{Item, Items};
pub use layout::layout;
pub use members::{deserialize, serialize};
pub use tuples::Tuples;
