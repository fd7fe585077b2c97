unisparse::sparse_kernel! {
    pub fn Sparse: y[i] = A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
