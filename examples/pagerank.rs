//! PageRank of a graph, or of the pattern of any square matrix.
//!
//! `cargo run --release --example pagerank [graph.mtx[.gz]]`

use std::error::Error;
use std::path::PathBuf;

use unisparse::io::read_matrix_market;
use unisparse::prelude::*;

sparse_kernel! {
    /// Sums the ranks of the pages that link to each page.
    fn follow: next[j] = damping * Links[i, j] * share[i] + rest * teleport[j] where Links: Csr | Csc | Coo;
    /// Counts the links on each page.
    fn leaving: degree[i] = Links[i, j] where Links: Csr | Csc | Coo;
}

const DAMPING: f64 = 0.85;

fn main() -> Result<(), Box<dyn Error>> {
    let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/xpetra-A-9pt.mtx.gz");
    let path = std::env::args_os().nth(1).map_or_else(bundled, PathBuf::from);
    let links: Csr<f64> = read_matrix_market::<f64>(&path)?.map(|_| 1.0).convert()?;
    let [pages, _] = links.shape();
    println!("{}: {pages} pages, {} links", path.display(), links.nnz());

    let mut degree = vec![0.0; pages];
    leaving(&mut degree, &links)?;
    let teleport = vec![1.0 / pages as f64; pages];
    let (mut rank, mut next) = (teleport.clone(), teleport.clone());
    for iteration in 1..=100 {
        // From a page without links, a reader continues at any page.
        let share = |(rank, degree): (&f64, &f64)| if *degree > 0.0 { rank / degree } else { 0.0 };
        let share: Vec<f64> = rank.iter().zip(&degree).map(share).collect();
        let stuck: f64 = rank
            .iter()
            .zip(&degree)
            .filter(|(_, degree)| **degree == 0.0)
            .map(|(rank, _)| rank)
            .sum();
        follow(
            &mut next,
            DAMPING,
            &links,
            &share,
            1.0 - DAMPING + DAMPING * stuck,
            &teleport,
        )?;

        let change: f64 = rank
            .iter()
            .zip(&next)
            .map(|(before, after)| (before - after).abs())
            .sum();
        std::mem::swap(&mut rank, &mut next);
        if change < 1e-10 {
            println!("settled after {iteration} iterations");
            break;
        }
    }

    let mut best: Vec<usize> = (0..pages).collect();
    best.sort_by(|&a, &b| rank[b].total_cmp(&rank[a]));
    for page in best.into_iter().take(10) {
        println!("{page:>8} {:.6}", rank[page]);
    }
    Ok(())
}
