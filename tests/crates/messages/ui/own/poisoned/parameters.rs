use unisparse::prelude::*;

mod blocked {
    unisparse::sparse_format! {
        pub format Broken<const R: usize = 2, const C: usize = 0> =
            |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); }
        pub format Malformed<const R: usize, C> =
            |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol) trim(bcol); }
        pub format Three = |i, j, k| (x: i, y: j, z: k) { merge(x, x); trim(x..=z); }
    }
}

use blocked::Three;
pub use blocked::{Broken, Malformed as Shaped};

sparse_kernel! {
    pub fn every: y[i] = A[i, j] * x[j] where A: Broken | Shaped;
    pub fn some: y[i] = A[i, j] * x[j] where A: Broken<4, 4> | crate::blocked::Malformed<2, 3>;
    pub fn three: y[i] = A[i, j, k] * x[j] * z[k] where A: Three;
}

fn main() -> Result<(), Error> {
    let triplets = Triplets::try_from_triplets([2, 2], [([0, 1], 1.0)])?;
    let (a, b): (Broken<f64>, Broken<f64, 4, 4>) = (triplets.convert()?, triplets.convert()?);
    let c: Shaped<f64, 2, 3> = triplets.convert()?;
    let deep: Three<f64> = Triplets::try_from_triplets([2, 2, 2], [([0, 1, 0], 1.0)])?.convert()?;
    let mut y = vec![0.0; 2];
    every(&mut y, &a, &[1.0, 2.0])?;
    every(&mut y, &c, &[1.0, 2.0])?;
    some(&mut y, &b, &[1.0, 2.0])?;
    three(&mut y, &deep, &[1.0, 2.0], &[1.0, 2.0])
}
