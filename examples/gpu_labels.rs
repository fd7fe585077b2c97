//! Label propagation on a device: a few nodes of a graph have labels, and all others take those of their neighbours.
//!
//! `cargo run --release --features cuda --example gpu_labels [graph.mtx[.gz]] [labels]`
//!
//! The scores of all labels of a node are a row of a dense matrix. In each round, a node gets the mean scores of its neighbours,
//! and the labelled nodes some of their own back.

use std::error::Error;
use std::path::PathBuf;

use unisparse::cuda::Gpu;
use unisparse::io::read_matrix_market;
use unisparse::prelude::*;

sparse_kernel! {
    /// One round.
    #[target(cuda)]
    fn spread: next[i, c] = keep * Links[i, j] * now[j, c] + add * start[i, c] where Links: Csr | BellCoo<16>;
    /// Counts the links of each node.
    fn leaving: degree[i] = Links[i, j] where Links: Csr;
}

/// The part of its scores that a node takes from its neighbours.
const KEEP: f32 = 0.9;
const ROUNDS: usize = 50;
/// The greatest difference of a score to that of the processor, which adds in another order.
const TOLERANCE: f32 = 1e-5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/xpetra-A-9pt.mtx.gz");
    let path = arguments.next().map_or_else(bundled, PathBuf::from);
    let labels: usize = match arguments.next() {
        Some(labels) => labels.to_string_lossy().parse()?,
        None => 16,
    };
    let gpu = match Gpu::open(0) {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("gpu_labels: skipped: {error}");
            return Ok(());
        }
    };
    let links: Csr<f32> = read_matrix_market::<f32>(&path)?.map(|_| 1.0).convert()?;
    let [nodes, _] = links.shape();
    println!(
        "{} on {}: {nodes} nodes, {} links",
        path.display(),
        gpu.name(),
        links.nnz()
    );

    // Each row of the matrix sums to one.
    let mut degree = vec![0.0; nodes];
    leaving(&mut degree, &links)?;
    let mut means = Triplets::new([nodes, nodes]);
    for ([i, j], _) in links.iter() {
        means.push([i, j], 1.0 / degree[i])?;
    }
    let means: BellCoo<f32, 16> = means.convert()?;
    let mut start = vec![0.0; nodes * labels];
    for label in 0..labels.min(nodes) {
        start[label * (nodes / labels).max(1) * labels + label] = 1.0;
    }

    let mut expected = vec![0.0; nodes * labels];
    spread(&mut expected, KEEP, &means, &start, 1.0 - KEEP, &start)?;
    let (means, start) = (gpu.upload(&means)?, gpu.upload(&start)?);
    let [mut now, mut next] = [gpu.zeros(nodes * labels)?, gpu.zeros(nodes * labels)?];
    // The first call compiles, and must find what the processor does.
    spread_on(&gpu, &mut next, KEEP, &means, &start, 1.0 - KEEP, &start)?;
    let errors = next
        .download()?
        .into_iter()
        .zip(expected)
        .map(|(found, expected)| (found - expected).abs());
    // The greatest is NaN if there is one.
    let error = errors.max_by(f32::total_cmp).unwrap_or(0.0);
    if error.is_nan() || error > TOLERANCE {
        return Err(format!("an error of {error:.1e}").into());
    }
    let begin = gpu.record()?;
    for _ in 0..ROUNDS {
        spread_on(&gpu, &mut next, KEEP, &means, &now, 1.0 - KEEP, &start)?;
        std::mem::swap(&mut now, &mut next);
    }
    let mean = gpu.record()?.since(&begin)? / ROUNDS as u32;
    let scores = now.download()?;
    let mut sizes = vec![0; labels];
    for scores in scores.chunks(labels.max(1)) {
        let best = (0..labels).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        if let Some(best) = best.filter(|&best| scores[best] > 0.0) {
            sizes[best] += 1;
        }
    }
    println!("{mean:.2?} a round; nodes of each label: {sizes:?}");
    Ok(())
}
