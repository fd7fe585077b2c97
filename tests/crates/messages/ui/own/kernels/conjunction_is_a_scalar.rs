unisparse::sparse_kernel! {
    pub fn all: s &= A[i, j] where A: unisparse::formats::Csr;
}

fn main() {}
