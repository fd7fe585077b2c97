use unisparse::prelude::*;

fn main() {
    let a = Csr::try_from_triplets([1, 1], [([0, 0], 1.0f64)]).unwrap();
    let x = vec![1.0f64];
    spmv(&a, &x).unwrap();
}
