unisparse::sparse_kernel! {
    pub fn suffix: y[i] = 2f64 * A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn integer_suffix: y[i] = A[i, j] * x[j] - 1u8 * x[i] where A: unisparse::formats::Csr;
    pub fn large: y[i] = 9223372036854775808 * A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn text: y[i] = "two" * A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn boolean: y[i] = true & A[i, j] where A: unisparse::formats::Csr;
    pub fn infinite: y[i] = 1e400 * A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
