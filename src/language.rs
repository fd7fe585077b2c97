//! The language of [`sparse_format!`](crate::sparse_format) and [`sparse_kernel!`](crate::sparse_kernel): a tutorial, then
//! the reference. This page is `docs/LANGUAGE.md` of the repository.
//!
#![doc = include_str!("../docs/LANGUAGE.md")]
