unisparse::sparse_kernel! {
    pub fn scaled: C[i, j] = alpha * A[i, j] where A: unisparse::formats::Csr, C: unisparse::formats::Csr;
}

fn main() {}
