unisparse::sparse_kernel! {
    pub fn spmm: C[i, n] = A[i, j] * c[j, n] where A: unisparse::formats::Csr;
}

fn main() {}
