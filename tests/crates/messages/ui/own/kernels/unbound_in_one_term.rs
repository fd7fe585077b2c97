unisparse::sparse_kernel! {
    pub fn axpy: C[i, j] = A[i, j] * x[j] + beta * A[i, i] where A: Csr, C: Csr;
    pub fn biased: C[i, j] += A[i, j] + b[i] where A: Csr, C: Csr;
}

fn main() {}
