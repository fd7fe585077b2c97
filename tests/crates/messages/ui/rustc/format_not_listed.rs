use unisparse::prelude::*;

sparse_kernel! {
    pub fn go: y[i] = alpha * A[i, j] * x[j] where A: Csr;
}

fn main() {
    let a = Coo::try_from_triplets([1, 1], [([0, 0], 1.0)]).unwrap();
    go(&mut [0.0], 2.0, &a, &[1.0]).unwrap();
}
