unisparse::sparse_kernel! {
    pub fn everywhere: C[i, j] = A[i, j] + i * j where A: Csr, C: Csr;
    pub fn lacking: C[i, k] = A[i, j] * B[j, k] + i where A: Csr, B: Csr, C: Csr;
    pub fn unknown: C[i, k] = A[i, j] * k where A: Csr;
    pub fn sparse: y[i] = A[i, j] * j where A: Csr, j: Csr;
}

fn main() {}
