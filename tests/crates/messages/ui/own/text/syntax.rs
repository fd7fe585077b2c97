#![allow(unused_imports)]

use unisparse::kernel_text;
use unisparse::kernels::{spgemm, spmv};
use unisparse::prelude::*;

fn main() {
    let _ = kernel_text!(loops spmv, A: Csr<f64>);
    let _ = kernel_text!(loops, 3, A: Csr<f64>);
    let _ = kernel_text!(loops, spmv A: Csr<f64>);
    let _ = kernel_text!(loops, spmv, Csr<f64>);
    let _ = kernel_text!(loops, spmv, A: 3);
    let _ = kernel_text!(loops, spgemm, A: Csr<f64> B: Csr<f64>);
}
