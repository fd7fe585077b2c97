//! The size and the cost of a tensor that is not built.

mod advice;
mod calibration;
pub(crate) mod cost;
pub(crate) mod estimate;
mod locality;
mod profile;
mod rates;
mod size;

pub use advice::Advice;
pub(crate) use advice::milliseconds;
pub use calibration::{Calibration, calibrate};
pub use profile::Profile;
pub use size::Estimate;
