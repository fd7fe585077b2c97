#![deny(deprecated)]

use unisparse::prelude::*;

fn relu(value: f64) -> f64 {
    value.max(0.0)
}

sparse_kernel! {
    pub fn layer: y[i] = relu(A[i, j] * x[j] + b[i]) where A: Csr;
    pub fn elementwise: y[i] = relu(A[i, j]) where A: Csr;
    #[allow(deprecated)]
    pub fn meant: y[i] = relu(A[i, j] * x[j]) where A: Csr;
}

fn main() {}
