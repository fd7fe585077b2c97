#![allow(unused_imports)]

use unisparse::kernel_text;
use unisparse::kernels::{spgemm, spmv};
use unisparse::prelude::*;

fn main() {
    let _ = kernel_text!(loops, spmv);
    let _ = kernel_text!(loops, spgemm, A: Csr<f64>);
    let _ = kernel_text!(loops, spmv, A: Csr<f64>, A: Coo<f64>);
    let _ = kernel_text!(loops, spmv, A: Csr<f64>, x: Csr<f64>);
    let _ = kernel_text!(loops, spmv, A: Csr<f64>, D: Csr<f64>);
    let _ = kernel_text!(loops, spgemm, A: Csr<f64>, B: Csr<f64>, C: Csr<f64>);
}

unisparse::sparse_kernel! {
    pub fn scaled: y[i] = alpha * Matrix[i, j] * x[j] where Matrix: Csr;
}

fn named() {
    let _ = kernel_text!(loops, scaled, Matrx: Csr<f64>, alpha: Csr<f64>);
}
