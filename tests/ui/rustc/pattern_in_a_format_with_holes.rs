use unisparse::formats::BellCoo;
use unisparse::prelude::*;
use unisparse::{Pattern, Padding};

sparse_format! {
    format Tiles = |i, j| (row: i / 4, col: j / 4, r: i % 4, c: j % 4) { merge(row, col); trim(col); }
}

fn held<T: Padding>(_: &Tiles<T>) {}

fn main() -> Result<(), Error> {
    let patterns = Triplets::try_from_triplets([2, 2], [([0, 1], Pattern::<f64>::new())])?;
    let _: Dia<Pattern<f64>> = patterns.convert()?;
    let _: BellCoo<Pattern<f64>> = patterns.convert()?;
    let rows: Csr<Pattern<f64>> = patterns.convert()?;
    let _ = rows.convert::<Tiles<Pattern<f64>>>()?;
    let _ = Ell::try_from_triplets([2, 2], [([0, 1], Pattern::<f64>::new())])?;
    let _ = rows.convert::<Csr<f64>>()?;
    Ok(())
}
