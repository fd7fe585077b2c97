unisparse::sparse_kernel! {
    pub fn shifted: C[i, j] = A[i, j] * x[j] + 1 where A: Csr, C: Csr;
}

fn main() {}
