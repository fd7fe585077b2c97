unisparse::sparse_kernel! {
    pub fn times: y[i] *= A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn divided: y[i] /= A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn either: y[i] ^= A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn sum: y[i] sum= A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn equal: y[i] == A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
