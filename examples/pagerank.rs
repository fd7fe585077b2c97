//! PageRank of a graph, or of the pattern of any square matrix.
//!
//! `cargo run --release --example pagerank [graph.mtx[.gz]]`
//!
//! Element `(i, j)` is a link from page `i` to page `j`. Without a file, the graph is Zachary's karate club, where 1 is the
//! instructor and 34 the president of the club. The ranks are compared with those of a plain program, and written as CSV.

#[path = "solver"]
mod solver {
    pub(crate) mod pagerank;
    mod vector;
}

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

use solver::pagerank::{DAMPING, pagerank, shares};
use unisparse::io::read_matrix_market;
use unisparse::prelude::*;

sparse_kernel! {
    /// Sums the ranks of the pages that link to each page.
    fn follow: next[j] = damping * Links[i, j] * share[i] + rest * teleport[j] where Links: Csr | Csc | Coo;
    /// Counts the links on each page.
    fn leaving: degree[i] = Links[i, j] where Links: Csr | Csc | Coo;
}

fn main() -> Result<(), Box<dyn Error>> {
    let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/karate.mtx");
    let path = std::env::args_os().nth(1).map_or_else(bundled, PathBuf::from);
    let triplets = read_matrix_market::<f64>(&path)?.map(|_| 1.0);
    let links: Csr<f64> = triplets.convert()?;
    let [pages, columns] = links.shape();
    println!("{}: {pages} pages, {} links", path.display(), links.nnz());
    if pages != columns || pages == 0 {
        return Err("the matrix is empty or not square".into());
    }

    let mut degree = vec![0.0; pages];
    leaving(&mut degree, &links)?;
    let teleport = vec![1.0 / pages as f64; pages];
    let (rank, iterations) = pagerank(pages, &degree, |next, share, rest| {
        follow(next, DAMPING, &links, share, rest, &teleport)
    })?;
    println!(
        "{iterations} iterations, the ranks sum to {:.10}",
        rank.iter().sum::<f64>()
    );

    let expected = plainly(&triplets, &degree, iterations);
    let difference = rank
        .iter()
        .zip(&expected)
        .map(|(x, y)| (x - y).abs())
        .fold(0.0, f64::max);
    println!("a plain program differs by at most {difference:.1e}");
    if difference > 1e-12 {
        return Err("the ranks are wrong".into());
    }

    let mut best: Vec<usize> = (0..pages).collect();
    best.sort_by(|&a, &b| rank[b].total_cmp(&rank[a]));
    println!("\n    page     rank  links in  of the mean");
    let incoming = links.col_sums()?;
    for &page in best.iter().take(10) {
        println!(
            "{:>8} {:.6} {:>9} {:>12.1}",
            page + 1,
            rank[page],
            incoming[page],
            rank[page] * pages as f64
        );
    }
    let half = half_of_all(&best, &rank);
    println!("{half} of {pages} pages have half of the rank.");

    let mut table = "page,rank,links_in,links_out\n".to_owned();
    for &page in &best {
        writeln!(table, "{},{},{},{}", page + 1, rank[page], incoming[page], degree[page])?;
    }
    let written = std::env::temp_dir().join("unisparse-pagerank.csv");
    std::fs::write(&written, table)?;
    println!("All are in {}.", written.display());
    Ok(())
}

/// Returns the ranks after this number of iterations, from the triplets, without a kernel.
fn plainly(links: &Triplets<f64, 2>, degree: &[f64], iterations: usize) -> Vec<f64> {
    let pages = degree.len();
    let (mut rank, mut share) = (vec![1.0 / pages as f64; pages], vec![0.0; pages]);
    for _ in 0..iterations {
        let stuck = shares(&mut share, &rank, degree);
        let mut next = vec![(1.0 - DAMPING + DAMPING * stuck) / pages as f64; pages];
        for ([from, to], value) in links.iter() {
            next[to] += DAMPING * value * share[from];
        }
        rank = next;
    }
    rank
}

/// Returns how many of the best pages have half of the rank.
fn half_of_all(best: &[usize], rank: &[f64]) -> usize {
    let mut sum = 0.0;
    let below = best.iter().take_while(|&&page| {
        sum += rank[page];
        sum < 0.5
    });
    best.len().min(below.count() + 1)
}
