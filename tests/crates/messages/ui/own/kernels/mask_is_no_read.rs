unisparse::sparse_kernel! {
    pub fn scalar: y[i] = A[i, j] * x[j] if flag where A: unisparse::formats::Csr;
    pub fn call: y[i] = A[i, j] * x[j] if !seen(x[j]) where A: unisparse::formats::Csr;
    pub fn two: y[i] = A[i, j] * x[j] if seen[j] & seen[i] where A: unisparse::formats::Csr;
    pub fn none: y[i] = A[i, j] * x[j] if where A: unisparse::formats::Csr;
}

fn main() {}
