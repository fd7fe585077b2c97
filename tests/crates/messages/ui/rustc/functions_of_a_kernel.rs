use unisparse::prelude::*;

sparse_kernel! {
    fn unknown: y[i] = relu(A[i, j]) * x[j] where A: Csr;
    fn few: y[i] = larger(A[i, j]) * x[j] where A: Csr;
}

fn larger(left: f64, right: f64) -> f64 {
    left.max(right)
}

fn main() {}
