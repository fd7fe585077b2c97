unisparse::sparse_kernel! {
    pub fn twice: y[i] = 2 * A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
