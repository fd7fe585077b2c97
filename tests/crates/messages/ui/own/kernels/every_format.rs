//! `*` where it stands for nothing.
use unisparse::prelude::*;

sparse_kernel! {
    pub fn result: C[i, j] = A[i, j] where A: *, C: *;
    pub fn four: s = A[i, j, k, l] where A: *;
    #[target(cuda)]
    pub fn device: y[i] = A[i, j] * x[j] where A: *;
    pub fn first: y[i] = A[i, j] * x[j] where A: * | Csr;
    pub fn open: y[i] = A[i, j] * x[j] where A: Bcsr | *;
    pub fn joined: y[i] = A[i, j] * x[j] where A: *;
    impl joined for Dia;
}

fn main() {}
