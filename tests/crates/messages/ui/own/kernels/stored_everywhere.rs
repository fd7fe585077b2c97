unisparse::sparse_kernel! {
    pub fn outer: C[i, j] = x[i] * y[j] where C: unisparse::formats::Csr;
    pub fn shifted: C[i, j] = A[i, j] + x[i] * y[j] where A: unisparse::formats::Csr, C: unisparse::formats::Csr;
    pub fn several: C[i, j] = A[i, j] - x[i] * (B[i, j] + z[i, j]) - f64::max(z[i, j], 2.0 * y[j])
        where A: unisparse::formats::Csr, B: unisparse::formats::Csr, C: unisparse::formats::Csr;
    pub fn either: C[i, j] = (A[i, j] | x[i] & y[j]) * z[i, j] where A: unisparse::formats::Csr, C: unisparse::formats::Csr;
}

fn main() {}
