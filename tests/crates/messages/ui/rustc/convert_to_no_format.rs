use unisparse::prelude::*;

fn main() {
    let a = Coo::try_from_triplets([1, 1], [([0, 0], 1.0)]).unwrap();
    let b: Vec<f64> = a.convert().unwrap();
}
