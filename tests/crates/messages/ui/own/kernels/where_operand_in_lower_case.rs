unisparse::sparse_kernel! {
    pub fn spmv: y[i] = Left[i, j] * x[j] where Letf: unisparse::formats::Csr;
}

fn main() {}
