unisparse::sparse_kernel! {
    pub fn step: x[i] = A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
