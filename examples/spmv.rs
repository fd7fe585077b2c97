//! One matrix in every stock format of two dims: storage, fill, bytes, and the time of a matrix-vector product.
//!
//! `cargo run --release --example spmv [matrix.mtx[.gz] | matrix.smtx[.gz]]`
//!
//! Every product is checked against a reference that is summed from the triplets. The times are medians of
//! interleaved rounds on one thread; they are as noisy as the machine.

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use unisparse::io;
use unisparse::prelude::*;

/// `y = A x`
type Product = Box<dyn Fn(&mut [f64], &[f64])>;

/// A format's matrix, behind the one call that is timed.
struct Contestant {
    name: &'static str,
    stored: usize,
    nnz: usize,
    bytes: usize,
    product: Product,
    /// Seconds of each round.
    times: Vec<f64>,
}

/// Converts to each format named, or says why not.
macro_rules! contestants {
    ($triplets:expr, $list:expr, $($name:literal => $format:ty),* $(,)?) => {$(
        match $triplets.convert::<$format>() {
            Ok(matrix) => $list.push(Contestant {
                name: $name,
                stored: matrix.stored(),
                nnz: matrix.nnz(),
                bytes: matrix.bytes(),
                product: Box::new(move |y, x| spmv(y, &matrix, x).expect("the operands were made to fit")),
                times: Vec::new(),
            }),
            Err(error) => println!("{:<18} refused: {error}", $name),
        }
    )*};
}

fn main() -> Result<(), Box<dyn Error>> {
    let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/xpetra-A-9pt.mtx.gz");
    let path = std::env::args_os().nth(1).map_or_else(bundled, PathBuf::from);
    let triplets: Triplets<f64, 2> = io::read(&path)?;
    let [rows, cols] = triplets.shape();
    println!("{}: {rows} x {cols}, {} entries\n", path.display(), triplets.len());

    let x: Vec<f64> = (0..cols).map(|j| 0.5 + ((j * 7919) % 1000) as f64 / 1000.0).collect();
    let reference = reference(&triplets, &x);

    let mut list = Vec::new();
    contestants!(triplets, list,
        "Csr" => Csr<f64>,
        "Coo" => Coo<f64>,
        "Csc" => Csc<f64>,
        "Dcsr" => Dcsr<f64>,
        "Dcsc" => Dcsc<f64>,
        "Dia" => Dia<f64>,
        "DiaVariant" => DiaVariant<f64>,
        "Bcsr<2,2>" => Bcsr<f64, 2, 2>,
        "Bcsr<3,3>" => Bcsr<f64, 3, 3>,
        "Bcsc<2,2>" => Bcsc<f64, 2, 2>,
        "Csb<64>" => Csb<f64, 64>,
        "Bdia<64>" => Bdia<f64, 64>,
        "HiCoo<128>" => HiCoo<f64, 128>,
        "Dok" => Dok<f64>,
        "Lil" => Lil<f64>,
        "Ell" => Ell<f64>,
        "Sell<8,64>" => Sell<f64, 8, 64>,
        "Jds" => Jds<f64>,
        "Bell<4>" => Bell<f64, 4>,
        "C2sr<4>" => C2sr<f64, 4>,
        "Cisr<4>" => Cisr<f64, 4>,
        "CisrPlus<4>" => CisrPlus<f64, 4>,
        "Serpens<8,4096,4>" => Serpens<f64, 8, 4096, 4>,
        "BdiaCsr<64>" => BdiaCsr<f64, 64>,
        "BellCoo<4>" => BellCoo<f64, 4>,
    );

    let mut y = vec![f64::NAN; rows];
    for contestant in &list {
        y.fill(f64::NAN);
        (contestant.product)(&mut y, &x);
        check(contestant.name, &y, &reference)?;
    }
    time(&mut list, &mut y, &x);
    print(&mut list, triplets.len());
    println!("\nEvery product agrees with the reference summed from the triplets.");
    Ok(())
}

/// `A x` and the sum of the magnitudes of each row's terms, straight from the triplets.
fn reference(triplets: &Triplets<f64, 2>, x: &[f64]) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); triplets.shape()[0]];
    for ([i, j], value) in triplets.iter() {
        let term: f64 = value * x[j];
        sums[i].0 += term;
        sums[i].1 += term.abs();
    }
    sums
}

/// Whether the product is the reference up to rounding, relative to the sum of magnitudes.
fn check(name: &str, y: &[f64], reference: &[(f64, f64)]) -> Result<(), String> {
    for (i, (&found, &(expected, magnitude))) in y.iter().zip(reference).enumerate() {
        let close = (found - expected).abs() <= 1e-12 * magnitude;
        let same = close || found == expected || (found.is_nan() && expected.is_nan());
        if !same {
            return Err(format!("{name}: y[{i}] is {found}, the reference says {expected}"));
        }
    }
    Ok(())
}

/// Times all in turn, so that other work on the machine affects all of them.
fn time(list: &mut [Contestant], y: &mut [f64], x: &[f64]) {
    const ROUNDS: usize = 31;
    for _ in 0..ROUNDS {
        for contestant in &mut *list {
            let start = Instant::now();
            (contestant.product)(y, x);
            contestant.times.push(start.elapsed().as_secs_f64());
        }
    }
}

fn print(list: &mut [Contestant], entries: usize) {
    for contestant in &mut *list {
        contestant.times.sort_by(f64::total_cmp);
    }
    let median = |contestant: &Contestant| contestant.times[contestant.times.len() / 2];
    let Some(csr) = list.first().map(median) else { return };
    println!(
        "{:<18} {:>10} {:>7} {:>11} {:>7} {:>7} {:>8}",
        "format", "stored", "fill %", "bytes", "ns/nnz", "spread", "x Csr"
    );
    for contestant in list.iter() {
        let fill = 100.0 * contestant.nnz as f64 / contestant.stored.max(1) as f64;
        let quartile = |part: usize| contestant.times[contestant.times.len() * part / 4];
        let spread = 100.0 * (quartile(3) - quartile(1)) / median(contestant);
        println!(
            "{:<18} {:>10} {fill:>7.1} {:>11} {:>7.3} {spread:>6.0}% {:>8.2}",
            contestant.name,
            contestant.stored,
            contestant.bytes,
            1e9 * median(contestant) / entries.max(1) as f64,
            csr / median(contestant),
        );
    }
    println!(
        "\nfill: elements over positions (explicit zeros count only in formats without holes); ns/nnz: median of interleaved rounds; spread: between the quartiles; x Csr: times faster than Csr."
    );
}
