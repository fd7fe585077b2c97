use unisparse::prelude::*;
use unisparse::Pattern;

sparse_format! {
    format Tiles = |i, j| (row: i / 4, col: j / 4, r: i % 4, c: j % 4) { merge(row, col); trim(col); }
}

fn main() -> Result<(), Error> {
    let patterns = Triplets::try_from_triplets([2, 2], [([0, 1], Pattern::<f64>::new())])?;
    let _: Tiles<Pattern<f64>> = patterns.convert()?;
    let _ = Ell::try_from_triplets([2, 2], [([0, 1], Pattern::<f64>::new())])?;
    Ok(())
}
