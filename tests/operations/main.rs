//! Operations of tensors of every format: lookups, changes of values, algebra, hybrids, errors.
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![forbid(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;

mod algebra;
mod errors;
mod hybrids;
mod lookup;
mod refill;
mod values;
