unisparse::sparse_kernel! {
    pub fn spmv: y[i] = A[i, j] * x[j] where A: unisparse::formats::Csr
    /// Another.
    pub fn spmm: C[i, n] = A[i, j] * B[j, n] where A: unisparse::formats::Csr;
}

fn main() {}
