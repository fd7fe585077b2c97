unisparse::sparse_kernel! {
    pub fn last: y[i] = A[i, j] * where A: unisparse::formats::Csr;
    pub fn middle: y[i] = A[i, j] * * x[j] where A: unisparse::formats::Csr;
    pub fn in_parentheses: y[i] = A[i, j] * () where A: unisparse::formats::Csr;
    pub fn between: y[i] = A[i, j] * (x[j] z[j]) where A: unisparse::formats::Csr;
}

fn main() {}
