unisparse::sparse_kernel! {
    pub fn gemv: y[i] = A[i, j] * x[j] where;
}

fn main() {}
