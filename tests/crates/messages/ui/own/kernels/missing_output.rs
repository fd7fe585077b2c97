unisparse::sparse_kernel! {
    pub fn spmv: A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
