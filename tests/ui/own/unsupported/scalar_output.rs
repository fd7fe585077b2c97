unisparse::sparse_kernel! {
    pub fn dot: s = A[i, j] * B[i, j] where A: unisparse::formats::Csr;
}

fn main() {}
