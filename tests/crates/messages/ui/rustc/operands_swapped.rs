use unisparse::prelude::*;

fn main() {
    let a = Csr::try_from_triplets([1, 1], [([0, 0], 1.0f64)]).unwrap();
    let (mut y, x) = (vec![0.0f64], vec![1.0f64]);
    spmv(&mut y, &x, &a).unwrap();
}
