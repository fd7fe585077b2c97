//! What the tests of random declarations and statements share.

pub mod sources;

pub use specification::{generator, interpreter};
