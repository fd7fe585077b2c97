//! What `pim_kernel!` refuses. The macro itself needs the feature `pim`.

use unisparse::kernels::{spgemm, spmv};
use unisparse::prelude::*;

macro_rules! pim_kernel {
    ($($tokens:tt)*) => { unisparse::__private::__kernel_text! { {unisparse} cores, $($tokens)* } };
}

sparse_kernel! {
    fn shifted: y[i] = z[i] + A[i, j] * x[j] where A: C2sr;
    fn all: y[i] &= A[i, j] where A: C2sr;
    fn diagonal: y[i] = A[i, i] where A: C2sr;
    fn called: y[i] = squared(A[i, j]) where A: C2sr;
}

fn squared(value: f32) -> f32 {
    value * value
}

fn main() {
    let _ = pim_kernel!(spmv, A: Csr<f32>);
    let _ = pim_kernel!(spmv, A: C2sr<f32>);
    let _ = pim_kernel!(spmv, A: C2sr);
    let _ = pim_kernel!(shifted, A: C2sr<f32, 4>);
    let _ = pim_kernel!(all, A: C2sr<u32, 4>);
    let _ = pim_kernel!(diagonal, A: C2sr<f32, 4>);
    let _ = pim_kernel!(called, A: C2sr<f32, 4>);
    let _ = pim_kernel!(spgemm, A: C2sr<f32, 4>, B: C2sr<f32, 4>);
}
