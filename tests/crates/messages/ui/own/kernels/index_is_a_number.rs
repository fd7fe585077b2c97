unisparse::sparse_kernel! {
    pub fn first: y[i] = A[i, 0] * x[i] where A: unisparse::formats::Csr;
}

fn main() {}
