//! Which format suits a matrix: most stock formats of two dims and one of this example, ranked, none of them built.
//!
//! `cargo run --release --example advise [matrix.mtx[.gz]]`

use std::error::Error;
use std::path::PathBuf;

use unisparse::io::read_matrix_market;
use unisparse::prelude::*;

sparse_format! {
    /// Pairs of rows: the columns in which at least one of them has an element, each with both values.
    pub format Pairs = |i, j| (pair: i / 2, col: j, half: i % 2) { merge(pair, col); trim(col); }
}

fn main() -> Result<(), Box<dyn Error>> {
    let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/xpetra-A-9pt.mtx.gz");
    let path = std::env::args_os().nth(1).map_or_else(bundled, PathBuf::from);
    let triplets = read_matrix_market::<f64>(&path)?;
    let [rows, cols] = triplets.shape();
    println!("{}: {rows} x {cols}, {} entries\n", path.display(), triplets.len());

    let ranking = unisparse::advise(&triplets)?.with::<Pairs<f64>>()?.rank();
    println!("{ranking}");
    println!(
        "ms: one product with a vector, by the model; sizes are exact. `--example calibrate` measures this machine."
    );

    // The model chooses the thresholds by which a hybrid divides the elements.
    let (diagonals, rest) = BdiaCsr::<f64, 64>::split_auto(&triplets)?.into_parts();
    println!(
        "\nBdiaCsr<B=64>: {} elements on diagonals, {} in rows",
        diagonals.nnz(),
        rest.nnz()
    );
    Ok(())
}
