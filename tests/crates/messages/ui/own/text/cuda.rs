use unisparse::kernel_text;
use unisparse::kernels::spmv;
use unisparse::prelude::*;

fn relu(x: f64) -> f64 {
    x.max(0.0)
}

sparse_kernel! {
    fn activated: y[i] = relu(A[i, j]) where A: Csr;
}

fn main() {
    let _ = kernel_text!(cuda, activated, A: Csr<f64>);
    let _ = kernel_text!(cuda, spmv, A: Csr<Complex64>);
    let _ = kernel_text!(cuda, spmv, A: Csr<String>);
    let _ = kernel_text!(cuda, spmv, A: Csr);
}
