//! What elements are read from: checked counts, the elements of any format, and arrays that are lent.

mod bounds;
mod elements;
pub(crate) mod lend;

pub(crate) use bounds::{checked_count, outside};
pub use elements::{Elements, equal};
