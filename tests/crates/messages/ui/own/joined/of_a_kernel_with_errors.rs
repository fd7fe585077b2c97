unisparse::sparse_kernel! {
    pub fn product: y[k] = A[i, j] * x[j] where A: _;
    impl product for unisparse::formats::Csr;
    impl self::product for A: unisparse::formats::Dia;
}

fn main() {}
