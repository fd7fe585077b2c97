unisparse::sparse_kernel! {
    pub fn T: y[i] = A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn E<E: Copy>: y[i] = A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
