//! Every ordered pair of stock formats: a conversion gives the same arrays as assembly from triplets.
//!
//! The algorithm of a conversion follows from the types of both formats, so every pair is compiled separately.

#[path = "../../../../common/mod.rs"]
mod common;
mod formats;
mod judge;
mod limits;
mod orders;
mod real;
mod small;
mod triplets;
