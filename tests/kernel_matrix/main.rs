//! Every kind of kernel over every kind of format, against sums over maps.

mod checks;
#[path = "../common/mod.rs"]
mod common;
mod dense;
mod elementwise;
mod formats;
mod joined;
mod oracle;
mod products;
mod tensors;
mod types;
mod vectors;
