//! Code generation: one printer of the loop IR for each target language.

pub(crate) mod c;
pub(crate) mod cuda;
#[cfg(feature = "hls")]
pub(crate) mod hls;
#[cfg(test)]
mod opencl;
pub(crate) mod pim;
mod reductions;
pub(crate) mod rust;
pub(crate) mod text;
