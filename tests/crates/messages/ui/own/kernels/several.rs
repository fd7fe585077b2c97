unisparse::sparse_kernel! {
    pub fn a: y[k] = A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn b: y[i] = A[i, j] * Y[j] where B: unisparse::formats::Csr;
    pub fn c: y[i] += A[i, j] * y[j] * z where A: unisparse::formats::Csr, A: unisparse::formats::Csr;
}

fn main() {}
