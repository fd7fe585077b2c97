//! The tests of this package are in `tests/`, and the examples of the chapter on other libraries are its doc-tests.

#[doc = include_str!("../../../../docs/INTEROP.md")]
pub mod chapter {}
