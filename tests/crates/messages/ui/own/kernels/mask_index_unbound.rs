unisparse::sparse_kernel! {
    pub fn masked: y[i] = A[i, j] * x[j] if seen[k] where A: unisparse::formats::Csr;
    pub fn in_one_term: y[i] = A[i, j] * x[j] + z[i] if !seen[j] where A: unisparse::formats::Csr;
}

fn main() {}
