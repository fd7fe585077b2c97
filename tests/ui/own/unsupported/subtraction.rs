unisparse::sparse_kernel! {
    pub fn residual: r[i] = b[i] - A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
