unisparse::sparse_kernel! {
    pub fn scaled: C[i, n] = A[i, j] * B[j, n] * b[i] where A: unisparse::formats::Csr;
}

fn main() {}
