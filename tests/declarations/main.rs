//! Formats as users declare them: how levels are stored, laid out, packed and divided into parts.

#[path = "../common/mod.rs"]
mod common;

mod extents;
mod follow;
mod invariant;
mod pack;
pub mod parts;
mod pieces;
mod query_numbers;
mod words;
