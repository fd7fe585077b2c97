#![allow(unused_imports)]

use unisparse::kernel_text;
use unisparse::kernels::{spgemm, spmv};
use unisparse::prelude::*;

fn main() {
    let _ = kernel_text!(lops, spmv, A: Csr<f64>);
    let _ = kernel_text!(fortran, spmv, A: Csr<f64>);
}
