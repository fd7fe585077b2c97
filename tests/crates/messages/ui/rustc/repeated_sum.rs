#![deny(deprecated)]

use unisparse::prelude::*;

sparse_kernel! {
    pub fn centered: Y[i, n] = A[i, j] * X[j, n] - mean * u[j] * X[j, n] where A: Csr;
    pub fn shifted: Y[i, n] = A[i, j] * X[j, n] + bias[i] where A: Csr;
    #[allow(deprecated)]
    pub fn meant: Y[i, n] = A[i, j] * X[j, n] + u[j] * X[j, n] where A: Csr;
}

fn main() {}
