//! A matrix-vector product with the dense diagonals of a matrix on a device and the other elements on the processor, at once.
//!
//! `cargo run --release --features cuda --example gpu_hybrid [matrix.mtx[.gz]]`

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use unisparse::cuda::{Gpu, Place};
use unisparse::io::read_matrix_market;
use unisparse::prelude::*;

const REPETITIONS: usize = 20;
/// The greatest error of a sum relative to it, or to one: the processor adds in another order.
const TOLERANCE: f64 = 1e-4;

fn main() -> Result<(), Box<dyn Error>> {
    let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/xpetra-A-9pt.mtx.gz");
    let path = std::env::args_os().nth(1).map_or_else(bundled, PathBuf::from);
    let gpu = match Gpu::open(0) {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("gpu_hybrid: skipped: {error}");
            return Ok(());
        }
    };
    let a: BdiaCsr<f32> = read_matrix_market::<f32>(&path)?.convert()?;
    let [rows, cols] = a.shape();
    let (diagonals, rest) = a.parts();
    println!(
        "{} on {}: {rows} x {cols}, {} elements in diagonals, {} others",
        path.display(),
        gpu.name(),
        diagonals.nnz(),
        rest.nnz()
    );
    let x: Vec<f32> = (0..cols).map(|j| 0.5 + ((j * 7919) % 1000) as f32 / 1000.0).collect();
    let (mut y, mut expected) = (vec![0.0; rows], vec![0.0; rows]);
    spmv(&mut expected, &a, &x)?;
    for places in [[Place::Gpu, Place::Cpu], [Place::Gpu; 2], [Place::Cpu; 2]] {
        let mut placed = gpu.place(&a, places)?;
        // The first call compiles.
        placed.run(&mut y, &x, spmv_on, spmv)?;
        let start = Instant::now();
        for _ in 0..REPETITIONS {
            placed.run(&mut y, &x, spmv_on, spmv)?;
        }
        let mean = start.elapsed() / REPETITIONS as u32;
        let error = y
            .iter()
            .zip(&expected)
            .map(|(found, expected)| f64::from((found - expected).abs()) / f64::from(expected.abs()).max(1.0));
        // The greatest is NaN if there is one.
        let error = error.max_by(f64::total_cmp).unwrap_or(0.0);
        println!("{places:?}: {mean:.2?} with the copies of both vectors, error {error:.1e}");
        if error.is_nan() || error > TOLERANCE {
            return Err(format!("{places:?}: the error is greater than {TOLERANCE:.0e}").into());
        }
    }
    Ok(())
}
