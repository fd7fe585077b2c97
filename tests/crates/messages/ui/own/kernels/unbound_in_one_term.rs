unisparse::sparse_kernel! {
    pub fn axpy: y[i] = A[i, j] * x[j] + beta * z[k] where A: unisparse::formats::Csr;
}

fn main() {}
