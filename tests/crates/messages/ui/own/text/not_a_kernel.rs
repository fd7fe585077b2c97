#![allow(unused_imports)]

use unisparse::kernel_text;
use unisparse::kernels::{spgemm, spmv};
use unisparse::prelude::*;

fn main() {
    let _ = kernel_text!(loops, Csr, A: Csr<f64>);
    let _ = kernel_text!(loops, spmv, A: spgemm<f64>);
}
