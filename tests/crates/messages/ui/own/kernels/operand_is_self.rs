unisparse::sparse_kernel! {
    pub fn spmv: y[i] = SELF[i, j] * x[j] where SELF: unisparse::formats::Csr;
}

fn main() {}
