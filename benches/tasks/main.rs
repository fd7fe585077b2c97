//! The tasks of the table in `docs/guide/tasks.md`, in unisparse, sprs and scipy: lines of code and times.
//!
//! `cargo bench -p benches --bench tasks -- DATA [ROUNDS]`, with the folder of matrices (CONTRIBUTING.md) and, in
//! `UNISPARSE_PYTHON`, an interpreter with scipy. Everything runs on one thread, the programs in turn,
//! and times are of the processor.

mod by_sprs;
mod ours;
#[path = "../harness/python.rs"]
mod python;

use std::error::Error;
use std::hint::black_box;
use std::path::Path;

use cpu_time::ProcessTime;
use ndarray::ArrayView2;
use python::Python;
use sprs::{CsMat, TriMat};
use unisparse::io;
use unisparse::prelude::*;

const SOURCES: [&str; 3] = [
    include_str!("ours.rs"),
    include_str!("by_sprs.rs"),
    include_str!("tasks.py"),
];

const TASKS: [(&str, &str); 9] = [
    ("cg", "conjugate gradients with a diagonal preconditioner, bcsstk16"),
    ("pagerank", "50 steps of PageRank, wiki-Vote"),
    ("bfs", "levels of a breadth-first search, ca-HepPh"),
    ("components", "connected components, ca-HepPh"),
    ("triangles", "triangles of a graph, ca-HepPh"),
    ("layer", "a pruned layer times 64 inputs, `f32`, 2048 x 512, 10 % left"),
    ("galerkin", "`Pᵀ A P` of a stencil on 40 x 40 x 40 points"),
    ("mttkrp", "MTTKRP of rank 16, FB15k-237"),
    ("format", "a format of one's own and its product, lap3d_40"),
];

/// Numbers that every program makes in the same way.
fn dense(count: usize) -> Vec<f64> {
    (0..count)
        .map(|at| (at * 7919 % 1000) as f64 / 1000.0 + 0.001)
        .collect()
}

/// A sum that says what came out and where, with weights from 1 to `period`. What is not finite counts as -1.
fn weighted<V: Copy + Into<f64>>(values: &[V], period: usize) -> f64 {
    let finite = |value: f64| if value.is_finite() { value } else { -1.0 };
    let terms = values.iter().enumerate();
    terms
        .map(|(at, &value)| finite(value.into()) * (1 + at % period) as f64)
        .sum()
}

/// The sum of a dense result.
fn sum<V: Copy + Into<f64>>(values: &[V]) -> f64 {
    weighted(values, 7)
}

/// The lines of a task in a program that are neither empty nor comments; `None` if it is not in it.
fn lines(source: &str, task: &str) -> Option<usize> {
    let is_heading = |line: &str| line.trim_start_matches("//").trim_start_matches('#').starts_with(" ==");
    let mut all = source
        .lines()
        .skip_while(|line| !(is_heading(line) && line.ends_with(&format!("== {task}"))));
    all.next()?;
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("///");
    Some(all.take_while(|line| !is_heading(line)).filter(is_code).count())
}

fn to_sprs<T: Scalar + std::ops::Add<Output = T>>(a: &Csr<T>) -> CsMat<T> {
    let mut all = TriMat::new((a.shape()[0], a.shape()[1]));
    a.iter().for_each(|([i, j], value)| all.add_triplet(i, j, value));
    all.to_csr()
}

/// Runs a task in Python, and returns its seconds and the sum of its result.
fn run(python: &mut Python, task: &str) -> Result<(f64, f64), Box<dyn Error>> {
    let answer = python.ask(task)?;
    let (seconds, sum) = answer.split_once(' ').ok_or("two numbers")?;
    Ok((seconds.parse()?, sum.parse()?))
}

/// A task as a program: it returns the sum of its result.
type Program<'a> = Box<dyn Fn() -> f64 + 'a>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(data) = arguments.next() else {
        println!("SKIPPED: name the folder of matrices");
        return Ok(());
    };
    let rounds: usize = arguments.next().map_or(Ok(11), |rounds| rounds.parse())?;
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let data = Path::new(&data);
    let read = |name: &str| -> Result<Csr<f64>, Box<dyn Error>> { Ok(io::read(data.join(name))?.convert()?) };

    let solve = read("structured/bcsstk16.mtx.gz")?;
    let graph = read("paper/wiki-Vote.mtx.gz")?.map_values(|_| 1.0);
    let symmetric = read("graph/ca-HepPh.mtx.gz")?.map_values(|_| 1.0);
    let lower: Csr<f64> = symmetric.tril(-1)?;
    let weights = read("dlmc/transformer-mp0.9-enc0-ffn1.mtx.gz")?.map_values(|value| value as f32);
    let stencil = read("structured/lap3d_40.mtx.gz")?;
    let points = stencil.shape()[0];
    let aggregate = Csr::try_from_triplets([points, points / 4], (0..points).map(|i| ([i, i / 4], 0.5)))?;
    let tensor: Csf<f64> = io::read::<f64, 3>(data.join("tensors/kg-FB15k-237.tns.gz"))?.convert()?;
    let banded: ours::Banded<f64> = stencil.convert()?;

    let folder = std::env::temp_dir().join(format!("unisparse-tasks-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    for (name, a) in [
        ("solve", &solve),
        ("graph", &graph),
        ("symmetric", &symmetric),
        ("stencil", &stencil),
        ("aggregate", &aggregate),
    ] {
        io::write_npz(folder.join(format!("{name}.npz")), a)?;
    }
    io::write_npz(folder.join("weights.npz"), &weights)?;
    io::write_npz(folder.join("tensor.npz"), &tensor)?;
    let mut command = Python::command(SOURCES[2]);
    let (mut python, _) = Python::start(command.arg(&folder).env("OPENBLAS_NUM_THREADS", "1"))?;
    std::fs::remove_dir_all(&folder)?;

    let (b, x) = (dense(solve.shape()[0]), dense(points));
    let wide: Vec<f32> = dense(weights.shape()[1] * 64)
        .iter()
        .map(|&value| value as f32)
        .collect();
    let (second, third) = (dense(tensor.shape()[1] * 16), dense(tensor.shape()[2] * 16));
    let (edges, links) = (
        symmetric.clone().map_values(|_| true),
        symmetric.clone().map_values(|_| u32::MAX),
    );
    let foreign = [&solve, &graph, &symmetric, &lower, &stencil, &aggregate].map(to_sprs);
    let foreign_weights = to_sprs(&weights);
    let wide_view = ArrayView2::from_shape((weights.shape()[1], 64), &wide)?;

    println!("| task | lines: unisparse, sprs, scipy | ms: unisparse | sprs | scipy |\n|---|---|---|---|---|");
    for (task, title) in TASKS {
        let done = "the operands fit";
        let ours: Program<'_> = match task {
            "cg" => Box::new(|| sum(&ours::cg(&solve, &b).expect(done))),
            "pagerank" => Box::new(|| sum(&ours::pagerank(&graph).expect(done))),
            "bfs" => Box::new(|| sum(&ours::bfs(&edges).expect(done))),
            "components" => Box::new(|| sum(&ours::components(&links).expect(done))),
            "triangles" => Box::new(|| sum(&ours::triangles(&lower).expect(done))),
            "layer" => Box::new(|| sum(&ours::layer(&weights, &wide).expect(done))),
            "galerkin" => Box::new(|| weighted(ours::galerkin(&stencil, &aggregate).expect(done).values(), 1)),
            "mttkrp" => Box::new(|| sum(&ours::mttkrp(&tensor, &second, &third).expect(done))),
            _ => Box::new(|| sum(&ours::format(&banded, &x).expect(done))),
        };
        let [solve, graph, symmetric, lower, stencil, aggregate] = &foreign;
        let sprs: Option<Program<'_>> = match task {
            "cg" => Some(Box::new(|| sum(&by_sprs::cg(solve, &b)))),
            "pagerank" => Some(Box::new(|| sum(&by_sprs::pagerank(graph)))),
            "bfs" => Some(Box::new(|| sum(&by_sprs::bfs(symmetric)))),
            "components" => Some(Box::new(|| sum(&by_sprs::components(symmetric)))),
            "triangles" => Some(Box::new(|| sum(&by_sprs::triangles(lower)))),
            "layer" => Some(Box::new(|| {
                sum(by_sprs::layer(&foreign_weights, wide_view)
                    .as_slice()
                    .unwrap_or_default())
            })),
            "galerkin" => Some(Box::new(|| weighted(by_sprs::galerkin(stencil, aggregate).data(), 1))),
            _ => None,
        };
        let mut times: [Vec<f64>; 3] = Default::default();
        for round in 0..=rounds {
            let mut took = [None; 3];
            let timed = |program: &Program<'_>| {
                let start = ProcessTime::now();
                let sum = black_box(program());
                (start.elapsed().as_secs_f64(), sum)
            };
            took[0] = Some(timed(&ours));
            took[1] = sprs.as_ref().map(timed);
            if lines(SOURCES[2], task).is_some() {
                took[2] = Some(run(&mut python, task)?);
            }
            let expected = took[0].map_or(0.0, |(_, sum)| sum);
            for (all, took) in times.iter_mut().zip(took) {
                let Some((seconds, sum)) = took else { continue };
                let tolerance = if task == "layer" { 1e-3 } else { 1e-5 };
                if (sum - expected).abs() > tolerance * expected.abs() {
                    return Err(format!("{task}: {sum} instead of {expected}").into());
                }
                // The first is for the caches.
                if round > 0 {
                    all.push(1e3 * seconds);
                }
            }
        }
        let counts = SOURCES.map(|source| lines(source, task).map_or("-".to_owned(), |count| count.to_string()));
        let medians = times.map(|mut all| {
            all.sort_by(f64::total_cmp);
            let at = |share: usize| all.get(all.len() * share / 4).map_or(f64::NAN, |&time| time);
            if all.is_empty() {
                "-".to_owned()
            } else {
                format!("{:.3} ({:.3} to {:.3})", at(2), at(1), at(3))
            }
        });
        println!("| {title} | {} | {} |", counts.join(", "), medians.join(" | "));
    }
    Ok(())
}
