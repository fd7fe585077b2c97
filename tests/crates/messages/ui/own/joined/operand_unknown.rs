unisparse::sparse_kernel! {
    pub fn product: y[i] = A[i, j] * x[j] where A: _;
    pub fn spgemm: C[i, j] = A[i, k] * B[k, j] where A: _, B: unisparse::formats::Csr, C: unisparse::formats::Csr;

    impl spgemm for A: unisparse::formats::Csr, B: unisparse::formats::Csr, c: unisparse::formats::Csr, Dense: unisparse::formats::Csr;
    impl product for X: unisparse::formats::Csr;
}

fn main() {}
