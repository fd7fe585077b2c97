unisparse::sparse_kernel! {
    pub fn both: y[i] = A[i, j] && x[j] where A: unisparse::formats::Csr;
    pub fn either: y[i] = A[i, j] || B[i, j] where A: unisparse::formats::Csr;
    pub fn not: y[i] = A[i, j] & !x[j] where A: unisparse::formats::Csr;
}

fn main() {}
