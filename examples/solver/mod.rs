//! What the examples that solve linear systems have in common: the system, a table of residuals, and, in `cg`, conjugate
//! gradients.

mod cg;
mod vector;

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

use unisparse::io::read_matrix_market;
use unisparse::prelude::*;

use cg::products;
pub(crate) use cg::{Precondition, TOLERANCE, cg};

/// Sets `z` to the elements of `r` times those of `weights`.
pub(crate) fn scale(z: &mut [f64], r: &[f64], weights: &[f64]) {
    z.iter_mut().zip(r).zip(weights).for_each(|((z, r), w)| *z = r * w);
}

/// The solution that is to be found.
pub(crate) fn wanted(i: usize) -> f64 {
    ((i * 7919) % 1009) as f64 / 1009.0
}

/// A symmetric matrix with a positive diagonal, as triplets and in compressed rows, and the right side of the wanted solution.
pub(crate) struct System {
    pub(crate) triplets: Triplets<f64, 2>,
    pub(crate) a: Csr<f64>,
    pub(crate) b: Vec<f64>,
}

impl System {
    /// Reads the file that the first argument of the program names, or that of the examples. A negative diagonal changes the sign
    /// of the matrix.
    pub(crate) fn read() -> Result<Self, Box<dyn Error>> {
        let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/xpetra-A-9pt.mtx.gz");
        let path = std::env::args_os().nth(1).map_or_else(bundled, PathBuf::from);
        let mut triplets = read_matrix_market::<f64>(&path)?;
        let [rows, columns] = triplets.shape();
        println!("{}: {rows} x {columns}, {} elements", path.display(), triplets.len());
        let mut a: Csr<f64> = triplets.convert()?;
        if a.diag()?.iter().all(|value| *value < 0.0) {
            println!("the diagonal is negative: -A is solved");
            triplets = triplets.map(|value| -value);
            a = -a;
        }
        if rows != columns || a != a.clone().into_transposed::<Csr<f64>>()? {
            return Err("the matrix is not symmetric".into());
        }
        if a.diag()?.iter().any(|value| value.is_nan() || *value <= 0.0) {
            return Err("a diagonal element is not positive, so the matrix is not positive definite".into());
        }
        let b = &a * &(0..rows).map(wanted).collect::<Vec<f64>>();
        Ok(System { triplets, a, b })
    }
}

/// Returns the greatest difference from the wanted solution.
pub(crate) fn error_of(x: &[f64]) -> f64 {
    let differences = x.iter().enumerate().map(|(i, x)| (x - wanted(i)).abs());
    differences.fold(0.0, f64::max)
}

/// Returns `|b - A x| / |b|`, straight from the triplets.
pub(crate) fn residual_of(system: &System, x: &[f64]) -> f64 {
    let mut r = system.b.clone();
    system.triplets.iter().for_each(|([i, j], value)| r[i] -= value * x[j]);
    (products(&r, &r) / products(&system.b, &system.b)).sqrt()
}

/// Writes the residuals of several solvers, one column each, a row for each iteration, and says where they are.
pub(crate) fn write_residuals(file: &str, names: &[&str], columns: &[Vec<f64>]) -> Result<(), Box<dyn Error>> {
    let mut table = format!("iteration,{}\n", names.join(","));
    for at in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let cells = columns
            .iter()
            .map(|all| all.get(at).map_or_else(String::new, |r| format!("{r:e}")));
        writeln!(table, "{at},{}", cells.collect::<Vec<_>>().join(","))?;
    }
    let written = std::env::temp_dir().join(file);
    std::fs::write(&written, table)?;
    println!("The residuals of all iterations are in {}.", written.display());
    Ok(())
}
