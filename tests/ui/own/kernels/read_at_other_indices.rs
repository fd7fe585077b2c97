unisparse::sparse_kernel! {
    pub fn twice: y[i] = A[i, j] * x[j] + A[j, i] * x[i] where A: unisparse::formats::Csr;
}

fn main() {}
