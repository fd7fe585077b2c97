unisparse::sparse_kernel! {
    pub fn jacobi: y[i] = A[i, j] * x[j] / d[i] where A: unisparse::formats::Csr;
    pub fn remainder: y[i] = (A[i, j] % 2) * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
