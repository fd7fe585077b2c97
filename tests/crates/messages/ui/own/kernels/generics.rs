unisparse::sparse_kernel! {
    pub fn two<T: Copy, S: Copy>: y[i] = A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn constant<const N: usize>: y[i] = A[i, j] * x[j] where A: unisparse::formats::Csr;
    pub fn lifetime<'a>: y[i] = A[i, j] * x[j] where A: unisparse::formats::Csr;
}

fn main() {}
