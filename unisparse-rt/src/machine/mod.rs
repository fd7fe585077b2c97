//! The machine: large pages, threads, prefetch, vector instructions, and sorts and scatters over plain arrays.

pub(crate) mod pages;
pub(crate) mod parallel;
pub(crate) mod prefetch;
pub(crate) mod radix;
pub(crate) mod scatter;
pub(crate) mod scratch;
pub(crate) mod simd;
mod team;
