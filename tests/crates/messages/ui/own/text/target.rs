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
    #[target(cuda, hls)]
    fn allocates: C[i, j] = A[i, k] * B[k, j] where A: Csr, B: Csr, C: Csr;
    #[target(hls)]
    fn searched: t = A[i, j] * B[i, j] where A: Csr, B: Csr;
    #[target(cuda, hls)]
    fn fits: y[i] = A[i, j] * x[j] where A: Csr;
}

fn main() {}
