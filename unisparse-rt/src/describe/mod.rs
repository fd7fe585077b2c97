//! A format or a tensor for people: its level table as text, and a picture.

mod explain;
mod picture;
pub(crate) mod svg;

pub use explain::{Describe, Explain};
pub use picture::Picture;
