unisparse::sparse_kernel! {
    fn next: y[i] = A[i, j] * x[j] where A: unisparse::formats::Csr if seen[i];
}

fn main() {}
