unisparse::sparse_kernel! {
    pub fn spmv: y[i] = A[i, j] * x[j] where A: unisparse::formats::Csf;
}

fn main() {}
