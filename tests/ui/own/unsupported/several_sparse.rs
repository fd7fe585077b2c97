unisparse::sparse_kernel! {
    pub fn both: C[i, j] = A[i, k] * B[k, j] where A: unisparse::formats::Csr, B: unisparse::formats::Csr;
}

fn main() {}
