unisparse::sparse_kernel! {
    pub fn a: y[i j] = A[i, +] * * x[j] + f(A[i 3], x[+ 7]) where A Csr, B: 3, C: Csr;
    pub fn b: y[i,, j] -= A[i, j] x[j] where A: unisparse::formats::Csr | 7;
    pub fn c<3>: y[i] = 2.0f32 * A[i, j] * x[j] if 3 where A: 9;
}

fn main() {}
