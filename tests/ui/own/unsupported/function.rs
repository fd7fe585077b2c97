unisparse::sparse_kernel! {
    pub fn rectified: C[i, j] = relu(A[i, j]) where A: unisparse::formats::Csr;
}

fn main() {}
