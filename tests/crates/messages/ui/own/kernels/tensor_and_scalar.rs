unisparse::sparse_kernel! {
    pub fn axpy: y[i] = x * A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
