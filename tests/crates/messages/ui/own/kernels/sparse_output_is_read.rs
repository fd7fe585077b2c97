unisparse::sparse_kernel! {
    pub fn product: C[i, j] += A[i, k] * C[k, j] where A: unisparse::formats::Csr, C: unisparse::formats::Csr;
    pub fn scalar: s = A[i, j] * s where A: unisparse::formats::Csr;
    pub fn sparse_scalar: s = A[i, j] where A: unisparse::formats::Csr, s: unisparse::formats::Csr;
}

fn main() {}
