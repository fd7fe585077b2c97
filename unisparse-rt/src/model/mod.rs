//! The size and the cost of a tensor that is not built.

mod advice;
pub(crate) mod cost;
pub(crate) mod estimate;
mod profile;
mod size;

pub use advice::Advice;
pub(crate) use advice::milliseconds;
pub use profile::Profile;
pub use size::Estimate;
