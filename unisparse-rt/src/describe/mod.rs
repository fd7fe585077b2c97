//! A format or a tensor for people: its level table as text, and a picture.

#[cfg(any(feature = "hls", feature = "pim"))]
mod chart;
mod explain;
mod picture;
mod spy;
pub(crate) mod svg;

#[cfg(any(feature = "hls", feature = "pim"))]
pub use chart::chart;
pub use explain::{Describe, Explain};
pub use picture::Picture;
pub use spy::Spy;
