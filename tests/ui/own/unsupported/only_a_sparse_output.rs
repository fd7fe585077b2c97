unisparse::sparse_kernel! {
    pub fn outer: C[i, j] = x[i] * y[j] where C: unisparse::formats::Csr;
}

fn main() {}
