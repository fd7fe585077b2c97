unisparse::sparse_kernel! {
    pub fn spmv: y[i] mni= A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
