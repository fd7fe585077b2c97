use unisparse::prelude::*;

fn relu(x: f64) -> f64 {
    x.max(0.0)
}

sparse_kernel! {
    #[target(opencl)]
    fn other: y[i] = A[i, j] * x[j] where A: Csr;
    #[target]
    fn none: y[i] = A[i, j] * x[j] where A: Csr;
    #[target(cuda)]
    fn activated: y[i] = relu(A[i, j]) * x[j] where A: Csr;
    #[target(cuda)]
    fn fits: y[i] = A[i, j] * x[j] where A: Csr;
}

fn main() {}
