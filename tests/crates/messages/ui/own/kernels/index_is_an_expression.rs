unisparse::sparse_kernel! {
    pub fn shifted: y[i] = A[i, j] * x[j + 1] where A: unisparse::formats::Csr;
}

fn main() {}
