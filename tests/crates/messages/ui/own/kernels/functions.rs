unisparse::sparse_kernel! {
    pub fn constant: y[i] = f64::EPSILON * A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn nothing: y[i] = next() * A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn itself: C[i, j] = itself(A[i, j]) where A: unisparse::formats::Csr;
    pub fn unclosed: C[i, j] = convert::<f64(A[i, j]) where A: unisparse::formats::Csr;
    pub fn between: C[i, j] = f64::max(A[i, j] B[i, j]) where A: unisparse::formats::Csr;
    pub fn method: C[i, j] = A[i, j].abs() where A: unisparse::formats::Csr;
}

fn main() {}
