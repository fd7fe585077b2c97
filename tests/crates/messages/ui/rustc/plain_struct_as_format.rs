use unisparse::prelude::*;

pub struct Plain<T>(Vec<T>);

sparse_kernel! {
    pub fn go: y[i] = A[i, j] * x[j] where A: Plain;
}

fn main() {}
