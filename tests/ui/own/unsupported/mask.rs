unisparse::sparse_kernel! {
    pub fn frontier: next[j] += front[i] * A[i, j] if !seen[j] where A: unisparse::formats::Csr;
}

fn main() {}
