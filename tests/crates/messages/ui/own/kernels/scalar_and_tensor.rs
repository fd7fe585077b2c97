unisparse::sparse_kernel! {
    pub fn axpy: y[i] = alpha * A[i, j] * x[j] + x * z[i] where A: unisparse::formats::Csr;
}

fn main() {}
