//! A sparse matrix times a dense one on a device: in rows, and with the blocks of many elements apart (`BellCoo`).
//!
//! `cargo run --release --features cuda --example gpu_spmm [matrix.mtx[.gz] | matrix.smtx[.gz]] [columns]`

use std::error::Error;
use std::path::PathBuf;

use unisparse::cuda::{Event, Gpu, Tensor, Upload};
use unisparse::io;
use unisparse::kernels::{spmm, spmm_on};
use unisparse::prelude::*;

const REPETITIONS: usize = 20;
/// The greatest error of a sum relative to it, or to one: the processor adds in another order.
const TOLERANCE: f64 = 1e-4;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/xpetra-A-9pt.mtx.gz");
    let path = arguments.next().map_or_else(bundled, PathBuf::from);
    let columns: usize = match arguments.next() {
        Some(columns) => columns.to_string_lossy().parse()?,
        None => 64,
    };
    let gpu = match Gpu::open(0) {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("gpu_spmm: skipped: {error}");
            return Ok(());
        }
    };
    let triplets: Triplets<f32, 2> = io::read(&path)?;
    let [rows, cols] = triplets.shape();
    println!(
        "{} on {}: {rows} x {cols}, {} entries, {columns} columns",
        path.display(),
        gpu.name(),
        triplets.len()
    );

    let csr: Csr<f32> = triplets.convert()?;
    let bell: BellCoo<f32, 16> = triplets.convert()?;
    let b: Vec<f32> = (0..cols * columns)
        .map(|at| 0.5 + (at % 1000) as f32 / 1000.0)
        .collect();
    let mut expected = vec![0.0; rows * columns];
    spmm(&mut expected, &csr, &b)?;
    time(&gpu, "Csr", &csr, &b, &expected)?;
    time(&gpu, "BellCoo", &bell, &b, &expected)?;
    Ok(())
}

/// Multiplies repeatedly, prints the mean time, and compares the result.
fn time<A>(gpu: &Gpu, name: &str, a: &A, b: &[f32], expected: &[f32]) -> Result<(), Box<dyn Error>>
where
    A: spmm<Scalar = f32> + Upload<Uploaded = Tensor<A>>,
{
    let (a, b) = (gpu.upload(a)?, gpu.upload(b)?);
    let mut c = gpu.zeros(expected.len())?;
    // The first call compiles.
    spmm_on(gpu, &mut c, &a, &b)?;
    let start: Event = gpu.record()?;
    for _ in 0..REPETITIONS {
        spmm_on(gpu, &mut c, &a, &b)?;
    }
    let mean = gpu.record()?.since(&start)? / REPETITIONS as u32;
    let found = c.download()?;
    let error = found
        .iter()
        .zip(expected)
        .map(|(found, expected)| f64::from((found - expected).abs()) / f64::from(expected.abs()).max(1.0));
    // The greatest is NaN if there is one.
    let error = error.max_by(f64::total_cmp).unwrap_or(0.0);
    println!("{name:<10} {mean:>12.2?} {:>12} bytes, error {error:.1e}", a.bytes());
    if error.is_nan() || error > TOLERANCE {
        return Err(format!("{name}: the error is greater than {TOLERANCE:.0e}").into());
    }
    Ok(())
}
