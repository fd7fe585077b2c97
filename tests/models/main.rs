//! Estimates of formats before they are built, and what is chosen by them.

#[path = "../common/mod.rs"]
mod common;

mod advise;
mod estimate;
mod tune;
