unisparse::sparse_kernel! {
    fn powers: y[i] = A[i, j] ^ x[j] where A: unisparse::formats::Csr;
    fn narrowed: y[i] = A[i, j] as f64 * x[j] where A: unisparse::formats::Csr;
    fn compared: y[i] = (A[i, j] > x[j]) * x[j] where A: unisparse::formats::Csr;
    fn shifted: y[i] = shifted(A[i, j] << x[j]) where A: unisparse::formats::Csr;
    fn equal: y[i] = A[i, j] == x[j] where A: unisparse::formats::Csr;
    fn indexed: y[i] = A[i][j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
