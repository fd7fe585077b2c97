unisparse::sparse_kernel! {
    pub fn sampled: C[i, j] = x[i] * y[j] if A[i, j] where A: unisparse::formats::Csr;
}

fn main() {}
