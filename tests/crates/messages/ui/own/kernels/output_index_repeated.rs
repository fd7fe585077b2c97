unisparse::sparse_kernel! {
    pub fn diagonal: D[i, i] = A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
