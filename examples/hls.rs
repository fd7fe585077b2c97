//! A matrix as a folder for high-level synthesis: `y = A x` over compressed rows, with a test bench and its data.
//!
//! ```sh
//! cargo run --release --features hls --example hls -- matrix.mtx[.gz] OUT
//! make -C OUT csim
//! ```

use std::error::Error;
use std::path::PathBuf;

use unisparse::io::read_matrix_market;
use unisparse::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(matrix), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err("the arguments are a Matrix Market file and a folder".into());
    };
    let a: Csr<f32> = read_matrix_market::<f32>(&matrix)?.convert()?;
    let [rows, cols] = a.shape();
    let x: Vec<f32> = (0..cols).map(|j| 0.5 + ((j * 7919) % 1000) as f32 / 1000.0).collect();
    let project = spmv_hls(&mut vec![0.0; rows], &a, &x)?;
    project.emit(&out)?;
    println!(
        "{}: {}, {rows} x {cols}, {} elements",
        out.display(),
        project.name(),
        a.nnz()
    );
    println!("simulate it:   make -C {} csim", out.display());
    println!("synthesise it: make -C {} {}.xclbin", out.display(), project.name());
    Ok(())
}
