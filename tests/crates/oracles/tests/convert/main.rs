//! Every ordered pair of stock formats: converting gives the storage that assembling from triplets gives.
//!
//! What a conversion does follows from the types of both ends, so every pair is code of its own.

#[path = "../../../../common/mod.rs"]
mod common;
mod formats;
mod judge;
mod limits;
mod orders;
mod real;
mod small;
mod triplets;
