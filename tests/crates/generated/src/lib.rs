//! What the tests of random declarations share.

pub mod sources;
