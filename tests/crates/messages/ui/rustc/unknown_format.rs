use unisparse::prelude::*;

sparse_kernel! {
    pub fn go: y[i] = A[i, j] * x[j] where A: Crs;
}

fn main() {}
