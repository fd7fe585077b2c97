unisparse::sparse_kernel! {
    pub fn reach: next[j] |= front[i] * A[i, j] where A: unisparse::formats::Csr;
}

fn main() {}
