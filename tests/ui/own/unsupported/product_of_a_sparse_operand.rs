unisparse::sparse_kernel! {
    pub fn square: C[i, j] = A[i, j] * A[i, j] where A: unisparse::formats::Csr;
}

fn main() {}
