use unisparse::kernel_text;
use unisparse::kernels::{spgemm, spmv};
use unisparse::prelude::*;

sparse_kernel! {
    fn dot: t = A[i, j] * B[i, j] where A: Csr, B: Csr;
}

fn main() {
    let _ = kernel_text!(hls, spmv, A: Csr<f32>);
    let _ = kernel_text!(hls, spmv, A: Bcsr<f32>);
    let _ = kernel_text!(hls, spmv, A: Csr<Complex64>);
    let _ = kernel_text!(hls, dot, A: Csr<f32>, B: Csr<f32>);
    let _ = kernel_text!(hls, spgemm, A: Csr<f32>, B: Csr<f32>);
}
