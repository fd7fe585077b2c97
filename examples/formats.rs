//! Formats of your own: how the compiler stores their levels, and how large they are for a matrix.
//!
//! `cargo run --release --example formats [matrix.mtx[.gz]]`
//!
//! Prints how each level is stored and why, also with the lengths and bytes for a matrix, and draws the format.

use std::error::Error;
use std::path::PathBuf;

use unisparse::io::read_matrix_market;
use unisparse::prelude::*;

sparse_format! {
    /// Panels of `B` rows, each with the columns that have an element in it.
    pub format Panels<const B: usize = 8> = |i, j| (panel: i / B, slot, col: j, lane: i % B)
        where { slot = enumerate(_ => 0).group_by(i / B).traverse_by(j); }
        { merge(panel, slot); trim(slot); }
    /// Columns with many elements in a panel, and the rest in rows.
    pub hybrid PanelsCsr<const B: usize = 8> = Panels<B> + Csr
        split sum(value != 0 => 1, _ => 0).group_by(i / B, j) > threshold;
}

fn main() -> Result<(), Box<dyn Error>> {
    let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/xpetra-A-9pt.mtx.gz");
    let path = std::env::args_os().nth(1).map_or_else(bundled, PathBuf::from);
    let matrix = read_matrix_market::<f64>(&path)?;

    println!("As declared:\n{}", PanelsCsr::<f64>::describe());
    let split = PanelsCsr::<f64>::split(&matrix, 1)?;
    println!("With {}:\n{}", path.display(), split.explain());

    let picture = std::env::temp_dir().join("unisparse-panels.svg");
    std::fs::write(&picture, PanelsCsr::<f64>::describe().svg())?;
    println!("Drawn in {}.", picture.display());

    // The stock kernels run over any declared format.
    let [rows, cols] = matrix.shape();
    let x: Vec<f64> = (0..cols).map(|j| (j % 10) as f64).collect();
    let (mut expected, mut found) = (vec![0.0; rows], vec![0.0; rows]);
    spmv(&mut expected, &matrix.convert::<Csr<f64>>()?, &x)?;
    spmv(&mut found, &split, &x)?;
    let greatest = |values: &[f64]| values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let difference: Vec<f64> = found
        .iter()
        .zip(&expected)
        .map(|(found, expected)| found - expected)
        .collect();
    println!(
        "A x differs from that of Csr by at most {:.1e} of {:.1e}.",
        greatest(&difference),
        greatest(&expected)
    );
    Ok(())
}
