//! Stock formats, and others of as many dims: arrays, conversions, traversals.

#[path = "../common/mod.rs"]
mod common;

pub mod formats;
pub mod tensors;
