#![allow(unused_imports)]

use unisparse::kernel_text;
use unisparse::kernels::{spgemm, spmv};
use unisparse::prelude::*;

sparse_kernel! {
    fn longest: t max= A[i, j] where A: Csr;
}

fn main() {
    let _ = kernel_text!(c, spmv, A: Csr);
    let _ = kernel_text!(c, spmv, A: Bcsr<2, 2>);
    let _ = kernel_text!(c, spmv, A: Csr<String>);
    let _ = kernel_text!(c, spgemm, A: Csr<f64>, B: Csr<f32>);
    let _ = kernel_text!(c, longest, A: Csr<Complex64>);
}
