unisparse::sparse_kernel! {
    pub fn diagonal: d[i] = A[i, i] where A: unisparse::formats::Csr;
}

fn main() {}
