unisparse::sparse_kernel! {
    pub fn product: y[i] = A[i, j] * x[j] where A: _;
    pub fn spgemm: C[i, j] = A[i, k] * B[k, j] where A: _, B: unisparse::formats::Csr, C: unisparse::formats::Csr;

    impl product for unisparse::formats::Csr | unisparse::formats::Csr;
}

fn main() {}
