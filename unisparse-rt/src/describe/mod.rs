//! A format or a tensor for people: its level table as text, and a picture.

mod explain;
pub(crate) mod svg;

pub use explain::{Describe, Explain};
