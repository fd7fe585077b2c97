use unisparse::kernels::add;
use unisparse::prelude::*;
use unisparse::{Narrow, Pattern};

fn main() -> Result<(), Error> {
    let a: Csr<Pattern<f32>> = Triplets::try_from_triplets([2, 2], [([0, 1], Pattern::new())])?.convert()?;
    let b: Csr<f64> = Triplets::try_from_triplets([2, 2], [([0, 1], 1.0)])?.convert()?;
    let _: Csr<f64> = add(&a, &b)?;
    let mut y = [0.0f64; 2];
    spmv(&mut y, &a, &[1.0f64; 2])?;
    let c = b.map_values(|value| Narrow::<f64, f32>::new(value));
    let d = Csr::try_from_triplets([1, 1], [([0, 0], "text")])?;
    Ok(())
}
