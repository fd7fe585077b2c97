//! A format or a tensor for people: its level table as text, and a picture.

mod explain;
mod picture;
mod spy;
pub(crate) mod svg;

pub use explain::{Describe, Explain};
pub use picture::Picture;
pub use spy::Spy;
