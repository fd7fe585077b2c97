//! A pruned layer of a neural network, `relu(W X + bias)`, with weights in half precision, in several formats.
//!
//! `cargo run --release --features half --example pruned_layer [weights.mtx[.gz] | weights.smtx[.gz]]`
//!
//! Without a file, the layer has 512 outputs and 1024 inputs, of which one in eight blocks of 4 x 4 is kept. In a file whose values are
//! all equal, as DLMC has, only the pattern is taken. Weights are made by a formula then. Every result is checked against one in double precision,
//! summed from the triplets over the same rounded weights, and the error of the rounding is printed.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use unisparse::io;
use unisparse::prelude::*;
use unisparse::{Narrow, f16};

/// Stored in two bytes, computed with in four.
type Half = Narrow<f16, f32>;

sparse_kernel! {
    /// The sums of the layer, for a batch of inputs: `X` has a column for each. The bias is the same for all.
    fn layer: H[o, b] = W[o, i] * X[i, b] + bias[o] where W: Csr | Bcsr<4, 4> | Sell;
}

const BATCH: usize = 64;
/// Without optimisation, nobody looks at times.
const ROUNDS: usize = if cfg!(debug_assertions) { 1 } else { 15 };

/// A function of the sum needs a pass of its own: in a kernel, it would be applied to each product.
fn activate(sums: &mut [f32]) {
    sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
}

/// Writes the sums of a layer, from its inputs and its bias.
type Sums = Box<dyn Fn(&mut [f32], &[f32], &[f32]) -> Result<(), unisparse::Error>>;

/// A layer in one format, behind the call that is timed.
struct Layer {
    name: &'static str,
    bytes: usize,
    stored: usize,
    run: Sums,
    /// Whether the weights are rounded to half precision.
    is_half: bool,
}

macro_rules! layers {
    ($triplets:expr, $($name:literal $is_half:literal $format:ty),* $(,)?) => {{
        let mut layers = Vec::new();
        $(match $triplets.clone().map(<$format as Source<2>>::Scalar::of).convert::<$format>() {
            Ok(weights) => layers.push(Layer {
                name: $name,
                bytes: weights.bytes(),
                stored: weights.stored(),
                is_half: $is_half,
                run: Box::new(move |h, x, bias| layer(h, &weights, x, bias)),
            }),
            Err(error) => println!("{}: {error}", $name),
        })*
        layers
    }};
}

/// An element that a weight is stored as.
trait Weight {
    fn of(weight: f32) -> Self;
}

impl Weight for f32 {
    fn of(weight: f32) -> Self {
        weight
    }
}

impl Weight for Half {
    fn of(weight: f32) -> Self {
        Narrow::new(f16::from_f32(weight))
    }
}

fn number(seed: usize) -> f32 {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed >> 40) as f32) / (1 << 23) as f32 - 1.0
}

/// Blocks of 4 x 4, one of eight kept.
fn made() -> Result<Triplets<f32, 2>, unisparse::Error> {
    let blocks = (0..128 * 256).filter(|&block| number(block + 77) > 0.75);
    let elements = blocks.flat_map(|block| {
        let (row, column) = (block / 256 * 4, block % 256 * 4);
        (0..16).map(move |at| ([row + at / 4, column + at % 4], number(16 * block + at) / 8.0))
    });
    Triplets::try_from_triplets([512, 1024], elements)
}

fn read(path: &std::path::Path) -> Result<Triplets<f32, 2>, Box<dyn Error>> {
    let triplets: Triplets<f32, 2> = io::read(path)?;
    let values = triplets.values();
    if values.iter().any(|value| *value != values[0]) {
        return Ok(triplets);
    }
    let mut at = 0;
    Ok(triplets.map(|_| {
        at += 1;
        number(at) / 8.0
    }))
}

/// Returns the outputs of the layer in double precision, with the sums of magnitudes.
fn reference(weights: &Triplets<f32, 2>, x: &[f32], bias: &[f32], is_half: bool) -> Vec<(f64, f64)> {
    let mut sums: Vec<(f64, f64)> = bias.iter().flat_map(|bias| [(f64::from(*bias), 0.0); BATCH]).collect();
    for ([o, i], weight) in weights.iter() {
        let weight = if is_half {
            f16::from_f32(weight).to_f64()
        } else {
            f64::from(weight)
        };
        for b in 0..BATCH {
            let term = weight * f64::from(x[i * BATCH + b]);
            let sum = &mut sums[o * BATCH + b];
            *sum = (sum.0 + term, sum.1 + term.abs());
        }
    }
    sums.into_iter()
        .map(|(sum, magnitude)| (sum.max(0.0), magnitude))
        .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let triplets = match std::env::args_os().nth(1).map(PathBuf::from) {
        Some(path) => {
            println!("{}", path.display());
            read(&path)?
        }
        None => made()?,
    };
    let [outputs, inputs] = triplets.shape();
    let share = triplets.len() as f64 / (outputs * inputs).max(1) as f64;
    println!(
        "{outputs} outputs, {inputs} inputs, {} weights ({:.1} %), {BATCH} inputs at a time",
        triplets.len(),
        100.0 * share
    );
    let x: Vec<f32> = (0..inputs * BATCH).map(|at| number(at + 5).max(0.0)).collect();
    let bias: Vec<f32> = (0..outputs).map(|o| number(o + 9) / 10.0).collect();

    let layers = layers!(triplets,
        "Csr f32" false Csr<f32>,
        "Csr f16" true Csr<Half>,
        "Bcsr<4,4> f32" false Bcsr<f32, 4, 4>,
        "Bcsr<4,4> f16" true Bcsr<Half, 4, 4>,
        "Sell<8,64> f16" true Sell<Half>,
    );
    let expected = [false, true].map(|is_half| reference(&triplets, &x, &bias, is_half));
    let rounding = expected[0]
        .iter()
        .zip(&expected[1])
        .map(|(one, half)| (one.0 - half.0).abs())
        .fold(0.0, f64::max);
    let greatest = expected[0].iter().map(|one| one.0).fold(0.0, f64::max);

    let mut times = vec![Vec::new(); layers.len()];
    let mut h = vec![0.0; outputs * BATCH];
    for round in 0..=ROUNDS {
        for (layer, times) in layers.iter().zip(&mut times) {
            let start = Instant::now();
            (layer.run)(&mut h, &x, &bias)?;
            activate(&mut h);
            times.push(start.elapsed().as_secs_f64());
            if round == 0 {
                check(layer, &h, &expected[usize::from(layer.is_half)])?;
                times.clear();
            }
        }
    }
    let dense = 4 * outputs * inputs;
    println!("format           stored     bytes  of dense        ms");
    let mut table = "format,stored,bytes,median_ms\n".to_owned();
    for (layer, times) in layers.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let ms = 1e3 * times[times.len() / 2];
        let Layer {
            name, bytes, stored, ..
        } = layer;
        println!(
            "{name:<14} {stored:>8} {bytes:>9} {:>8.1}% {ms:>9.3}",
            100.0 * *bytes as f64 / dense as f64
        );
        writeln!(table, "\"{name}\",{stored},{bytes},{ms}")?;
    }
    println!("Every output is that of double precision, up to the rounding of f32.");
    println!("Weights in half precision change an output by at most {rounding:.1e}, of at most {greatest:.1e}.");
    let written = std::env::temp_dir().join("unisparse-pruned-layer.csv");
    std::fs::write(&written, table)?;
    println!("The table is in {}.", written.display());
    Ok(())
}

/// Whether the outputs are those expected, up to rounding in single precision, relative to the sums of magnitudes.
fn check(layer: &Layer, found: &[f32], expected: &[(f64, f64)]) -> Result<(), String> {
    for (at, (&found, &(expected, magnitude))) in found.iter().zip(expected).enumerate() {
        if (f64::from(found) - expected).abs() > 1e-5 * (magnitude + expected.abs()) + 1e-7 {
            let (o, b) = (at / BATCH, at % BATCH);
            return Err(format!(
                "{}: output {o} of input {b} is {found}, expected {expected}",
                layer.name
            ));
        }
    }
    Ok(())
}
