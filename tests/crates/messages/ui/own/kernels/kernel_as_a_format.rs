unisparse::sparse_kernel! {
    pub fn product: y[i] = A[i, j] * x[j] where A: unisparse::kernels::spmv;
}

unisparse::sparse_format! {
    pub hybrid Both = unisparse::formats::Csr + unisparse::kernels::spmm split sum(value != 0 => 1, _ => 0).group_by(i) > 2;
}

fn main() {}
