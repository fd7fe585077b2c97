#![allow(unused_imports)]

use unisparse::kernel_text;
use unisparse::kernels::{spgemm, spmv};
use unisparse::prelude::*;

const N: usize = 2;

fn main() {
    let _ = kernel_text!(loops, spmv, A: Bcsr<f64, 2>);
    let _ = kernel_text!(loops, spmv, A: Csr<f64, 2>);
    let _ = kernel_text!(c, spmv, A: Bcsr<f64, 0, N>);
    let _ = kernel_text!(loops, spmv, A: Csf<f64>);
}
