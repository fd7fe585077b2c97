//! A graph: breadth-first search, components, triangles, and two labels that spread along the edges.
//!
//! `cargo run --release --example graph [graph.mtx[.gz]]`
//!
//! Without a file, the graph is Zachary's karate club, whose members later followed either the instructor (1) or the president
//! (34): as the labels say, except member 9, who followed the instructor. Edges are read in both directions. Every result is compared with a plain program; a table of the nodes is written as
//! CSV, and a drawing of small graphs as SVG.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use unisparse::io::read_matrix_market;
use unisparse::prelude::*;

sparse_kernel! {
    /// The unseen neighbours of a front.
    fn step: N[j] |= F[i] & A[i, j] if !seen[j] where F: SparseVec, A: Csr, N: SparseVec;
    /// The least label around each node.
    fn least: low[j] min= label[i] & A[i, j] where A: Csr;
    /// Each triangle once: below the diagonal, `i > k > j`.
    fn triangles: s = L[i, k] * L[k, j] if L[i, j] where L: Csr;
    /// The triangles at each edge, from which those at each node follow.
    fn at_edges: T[i, j] = A[i, k] * A[k, j] if A[i, j] where A: Csr, T: _;
    /// One round of spreading, with a column for each label.
    fn spread: next[i, l] = alpha * A[i, j] * share[j, l] + rest * seed[i, l] where A: Csr;
}

/// How much of a label comes from the neighbours, and not from the seeds.
const SPREAD: f64 = 0.85;
const ROUNDS: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/karate.mtx");
    let path = std::env::args_os().nth(1).map_or_else(bundled, PathBuf::from);
    let read = read_matrix_market::<f64>(&path)?;
    if read.shape()[0] != read.shape()[1] {
        return Err("the matrix is not square".into());
    }
    // Both directions, no loops, each edge once.
    let edges = read.iter().filter(|([i, j], _)| i != j);
    let both = edges.flat_map(|([i, j], _)| [([i, j], 1u64), ([j, i], 1)]);
    let graph: Csr<u64> = Triplets::try_from_triplets(read.shape(), both)?
        .duplicates(Duplicates::First)
        .convert()?;
    let neighbours: Vec<Vec<usize>> = (0..graph.shape()[0])
        .map(|node| graph.row(node).map(|(other, _)| other).collect())
        .collect();
    println!(
        "{}: {} nodes, {} edges",
        path.display(),
        neighbours.len(),
        graph.nnz() / 2
    );

    let mut hubs: Vec<usize> = (0..neighbours.len()).collect();
    hubs.sort_by_key(|&node| std::cmp::Reverse(neighbours[node].len()));
    let [first, second] = [0, 1].map(|at| hubs.get(at).copied().unwrap_or(0));

    let levels = timed("breadth-first search", || search(&graph, first))?;
    assert_eq!(levels, search_plainly(&neighbours, first), "the levels");
    let reached = levels.iter().flatten().count();
    let farthest = levels.iter().flatten().max().copied().unwrap_or(0);
    println!(
        "  from node {}: {reached} nodes, the farthest after {farthest} steps",
        first + 1
    );

    let component = timed("components", || components(&graph))?;
    assert_eq!(component, components_plainly(&neighbours), "the components");
    let count = component
        .iter()
        .enumerate()
        .filter(|(node, least)| *node == **least as usize)
        .count();
    println!("  {count} in all");

    let (all, at_nodes) = timed("triangles", || {
        let lower: Csr<u64> = graph.tril(-1)?;
        let edges: Csr<u64> = at_edges(&graph)?;
        let at_nodes: Vec<u64> = edges.row_sums()?.into_iter().map(|twice| twice / 2).collect();
        Ok((triangles(&lower)?, at_nodes))
    })?;
    assert_eq!(all, triangles_plainly(&neighbours), "the triangles");
    assert_eq!(3 * all, at_nodes.iter().sum(), "each triangle has three nodes");
    println!("  {all} in all");

    let share = timed("labels", || labels(&graph, [first, second]))?;
    let expected = labels_plainly(&neighbours, [first, second]);
    let difference = share
        .iter()
        .zip(&expected)
        .map(|(x, y)| (x - y).abs())
        .fold(0.0, f64::max);
    assert!(difference < 1e-12, "the labels differ by {difference}");
    let sides: Vec<Option<bool>> = share.chunks_exact(2).map(side).collect();
    let [left, right] = [Some(false), Some(true)].map(|wanted| -> Vec<usize> {
        let nodes = sides.iter().enumerate().filter(|(_, side)| **side == wanted);
        nodes.map(|(node, _)| node + 1).collect()
    });
    println!(
        "  {} nodes are nearer to node {}, {} to node {}",
        left.len(),
        first + 1,
        right.len(),
        second + 1
    );
    if neighbours.len() <= 50 {
        println!("  {left:?}\n  {right:?}");
    }

    let mut table = "node,degree,level,component,triangles,label\n".to_owned();
    for (node, around) in neighbours.iter().enumerate() {
        let level = levels[node].map_or_else(String::new, |level| level.to_string());
        let label = sides[node].map_or("", |second| if second { "second" } else { "first" });
        writeln!(
            table,
            "{},{},{level},{},{},{label}",
            node + 1,
            around.len(),
            component[node] + 1,
            at_nodes[node]
        )?;
    }
    let folder = std::env::temp_dir();
    std::fs::write(folder.join("unisparse-graph.csv"), table)?;
    println!(
        "Every result equals that of a plain program. The nodes are in {}.",
        folder.join("unisparse-graph.csv").display()
    );
    if graph.nnz() <= 2000 {
        std::fs::write(
            folder.join("unisparse-graph.svg"),
            drawing(&neighbours, &levels, &sides),
        )?;
        println!("A drawing is in {}.", folder.join("unisparse-graph.svg").display());
    }
    Ok(())
}

/// Runs a step and prints how long it took.
fn timed<R>(name: &str, run: impl FnOnce() -> Result<R, unisparse::Error>) -> Result<R, unisparse::Error> {
    let start = Instant::now();
    let result = run()?;
    println!("{name}: {:.3} ms", 1e3 * start.elapsed().as_secs_f64());
    Ok(result)
}

/// Returns how many steps away from `start` each node is.
fn search(graph: &Csr<u64>, start: usize) -> Result<Vec<Option<usize>>, unisparse::Error> {
    let edges = graph.clone().map_values(|_| true);
    let nodes = graph.shape()[0];
    let (mut seen, mut levels) = (vec![false; nodes], vec![None; nodes]);
    if nodes == 0 {
        return Ok(levels);
    }
    let mut front = SparseVec::try_from_triplets([nodes], [([start], true)])?;
    let mut level = 0;
    while front.nnz() > 0 {
        for ([node], _) in front.iter() {
            (seen[node], levels[node]) = (true, Some(level));
        }
        front = step(&front, &edges, &seen)?;
        level += 1;
    }
    Ok(levels)
}

fn search_plainly(neighbours: &[Vec<usize>], start: usize) -> Vec<Option<usize>> {
    let mut levels = vec![None; neighbours.len()];
    let mut waiting = VecDeque::from_iter(neighbours.get(start).map(|_| (start, 0)));
    while let Some((node, level)) = waiting.pop_front() {
        if levels[node].is_none() {
            levels[node] = Some(level);
            waiting.extend(neighbours[node].iter().map(|&other| (other, level + 1)));
        }
    }
    levels
}

/// Returns the least node of each node's component: labels move along edges until none changes.
fn components(graph: &Csr<u64>) -> Result<Vec<u64>, unisparse::Error> {
    // A bitwise `and` with all ones passes a label on.
    let edges = graph.clone().map_values(|_| u64::MAX);
    let mut label: Vec<u64> = (0..graph.shape()[0] as u64).collect();
    loop {
        let mut low = label.clone();
        least(&mut low, &label, &edges)?;
        if low == label {
            return Ok(label);
        }
        label = low;
    }
}

fn components_plainly(neighbours: &[Vec<usize>]) -> Vec<u64> {
    let mut component = vec![u64::MAX; neighbours.len()];
    for start in 0..neighbours.len() {
        let mut waiting = vec![start];
        while let Some(node) = waiting.pop() {
            if component[node] == u64::MAX {
                component[node] = start as u64;
                waiting.extend(&neighbours[node]);
            }
        }
    }
    component
}

fn triangles_plainly(neighbours: &[Vec<usize>]) -> u64 {
    let mut count = 0;
    let mut marked = vec![false; neighbours.len()];
    for (node, around) in neighbours.iter().enumerate() {
        let below: Vec<usize> = around.iter().copied().filter(|&other| other < node).collect();
        below.iter().for_each(|&other| marked[other] = true);
        for &middle in &below {
            count += neighbours[middle]
                .iter()
                .filter(|&&last| last < middle && marked[last])
                .count() as u64;
        }
        below.iter().for_each(|&other| marked[other] = false);
    }
    count
}

/// Returns how much of each of two labels arrives at each node: seeds keep theirs, and every node gives its share to its neighbours.
fn labels(graph: &Csr<u64>, seeds: [usize; 2]) -> Result<Vec<f64>, unisparse::Error> {
    let edges = graph.clone().map_values(|_| 1.0f64);
    let degree: Vec<f64> = edges.row_sums()?;
    let mut seed = vec![0.0; 2 * degree.len()];
    if seeds[0] == seeds[1] {
        return Ok(seed);
    }
    seeds
        .iter()
        .enumerate()
        .for_each(|(label, &node)| seed[2 * node + label] = 1.0);
    let (mut current, mut next) = (seed.clone(), seed.clone());
    for _ in 0..ROUNDS {
        let share: Vec<f64> = current
            .iter()
            .enumerate()
            .map(|(at, value)| value / degree[at / 2].max(1.0))
            .collect();
        spread(&mut next, SPREAD, &edges, &share, 1.0 - SPREAD, &seed)?;
        std::mem::swap(&mut current, &mut next);
    }
    Ok(current)
}

fn labels_plainly(neighbours: &[Vec<usize>], seeds: [usize; 2]) -> Vec<f64> {
    let mut seed = vec![0.0; 2 * neighbours.len()];
    if seeds[0] == seeds[1] {
        return seed;
    }
    seeds
        .iter()
        .enumerate()
        .for_each(|(label, &node)| seed[2 * node + label] = 1.0);
    let mut current = seed.clone();
    for _ in 0..ROUNDS {
        let mut next: Vec<f64> = seed.iter().map(|seed| (1.0 - SPREAD) * seed).collect();
        for (node, around) in neighbours.iter().enumerate() {
            for &other in around {
                for label in 0..2 {
                    next[2 * other + label] += SPREAD * current[2 * node + label] / around.len() as f64;
                }
            }
        }
        current = next;
    }
    current
}

/// Whether more of the second label has arrived; `None` if as much of both has.
fn side(shares: &[f64]) -> Option<bool> {
    let equal = (shares[0] - shares[1]).abs() <= 1e-15;
    (!equal).then(|| shares[1] > shares[0])
}

/// Draws the nodes of each level in a column, in the colour of their label.
fn drawing(neighbours: &[Vec<usize>], levels: &[Option<usize>], sides: &[Option<bool>]) -> String {
    let last = levels.iter().flatten().max().map_or(0, |last| last + 1);
    let mut counts = vec![0; last + 1];
    let places: Vec<[usize; 2]> = levels
        .iter()
        .map(|level| {
            let column = level.unwrap_or(last);
            counts[column] += 1;
            [60 + 160 * column, 30 + 34 * (counts[column] - 1)]
        })
        .collect();
    let height = 60 + 34 * counts.iter().max().copied().unwrap_or(0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n",
        160 * (last + 1) + 60
    );
    for (node, around) in neighbours.iter().enumerate() {
        for &other in around.iter().filter(|&&other| other < node) {
            let ([x, y], [u, v]) = (places[node], places[other]);
            // Edges within a column are bent, so that they can be seen.
            let bend = if x == u { x + 50 } else { (x + u) / 2 };
            svg += &format!(
                "<path d=\"M{x} {y}Q{bend} {} {u} {v}\" fill=\"none\" stroke=\"#bbb\"/>\n",
                (y + v) / 2
            );
        }
    }
    for (node, [x, y]) in places.iter().enumerate() {
        let colour = match sides[node] {
            Some(false) => "#9cf",
            Some(true) => "#fc9",
            None => "#eee",
        };
        svg += &format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"13\" fill=\"{colour}\" stroke=\"#555\"/><text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
            y + 4,
            node + 1
        );
    }
    svg + "</svg>\n"
}
