unisparse::sparse_kernel! {
    pub fn diagonal: y[i] = A[i, j] * x[j] + A[i] where A: unisparse::formats::Csr;
    pub fn dense: y[i] = A[i, j] * x[j] * x[i, j] where A: unisparse::formats::Csr;
}

fn main() {}
