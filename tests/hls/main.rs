//! Kernels for high-level synthesis, simulated by a C++ compiler over the project's own headers, and compared with the same
//! kernels on the processor bit for bit.
#![cfg(feature = "hls")]
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![forbid(unsafe_code)]

mod compiler;
#[path = "../common/data.rs"]
mod data;
mod design;
mod elements;
mod faults;
mod formats;
mod headers;
#[path = "../common/formats.rs"]
mod over_formats;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "../common/random.rs"]
mod random;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "../common/sample.rs"]
mod sample;

use std::path::{Path, PathBuf};

use unisparse::hls::Project;
use unisparse::{Error, Triplets};

use random::Random;

/// Returns numbers with a fraction, so that sums in another order differ.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    let next = || (random.below(2001) as f32) / 7.0 - 140.0;
    std::iter::repeat_with(next).take(count).collect()
}

/// Returns a matrix with this percentage of elements, and all of row 2, if it is there.
fn matrix([rows, cols]: [usize; 2], percent: usize, seed: u64) -> Triplets<f32, 2> {
    let (mut triplets, mut random) = (Triplets::new([rows, cols]), Random::new(seed));
    for (at, number) in numbers(rows * cols, seed).into_iter().enumerate() {
        let (row, col) = (at / cols, at % cols);
        if random.below(100) < percent || (percent > 0 && row == 2) {
            triplets.push([row, col], number).unwrap();
        }
    }
    triplets
}

/// The number of matrices before the real ones.
const MADE: usize = 8;

/// The matrices on which every kernel is simulated: usual and degenerate ones, then real ones.
fn matrices() -> Vec<(String, Triplets<f32, 2>)> {
    let mut matrices = vec![
        ("usual".to_owned(), matrix([37, 53], 30, 1)),
        ("dense".to_owned(), matrix([12, 19], 100, 2)),
        ("row".to_owned(), matrix([1, 41], 60, 3)),
        ("column".to_owned(), matrix([29, 1], 60, 4)),
        ("element".to_owned(), matrix([1, 1], 100, 5)),
        ("no_elements".to_owned(), matrix([7, 5], 0, 6)),
        ("no_rows".to_owned(), Triplets::new([0, 5])),
        ("no_cols".to_owned(), Triplets::new([6, 0])),
    ];
    assert_eq!(matrices.len(), MADE);
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/xpetra-A-9pt.mtx.gz");
    let read = |path: &Path| unisparse::io::read_matrix_market::<f32>(path).unwrap();
    matrices.push(("xpetra".to_owned(), read(&bundled)));
    for name in REAL {
        if let Some(path) = data::shared(name) {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            matrices.push((file, read(&path)));
        }
    }
    matrices
}

/// Real matrices of the test data, small enough for all formats.
const REAL: [&str; 2] = ["data/paper/bwm2000.mtx.gz", "data/graph/polblogs.mtx.gz"];

/// A kernel over one format, on all matrices.
struct Simulated {
    name: String,
    calls: Vec<(String, Result<Project, Error>)>,
}

impl Simulated {
    /// Compiles the kernel once, and simulates it on all matrices. Returns the number of simulations.
    fn run(&self) -> Option<usize> {
        let folder = compiler::folder(&self.name);
        let mut program: Option<PathBuf> = None;
        let mut count = 0;
        for (matrix, project) in &self.calls {
            let project = match project {
                Ok(project) => project,
                Err(error) => panic!("{} of {matrix}: {error}", self.name),
            };
            if program.is_none() {
                project.emit(&folder).unwrap();
                program = Some(compiler::compile(&folder, &folder.join("shim"))?);
            }
            let data = folder.join(matrix);
            project.emit_data(&data).unwrap();
            let output = compiler::run(program.as_deref()?, &data);
            assert!(
                output.status.success(),
                "{} of {matrix}: {}: {}",
                self.name,
                output.status,
                compiler::text(&output)
            );
            count += 1;
        }
        let _ = std::fs::remove_dir_all(&folder);
        Some(count)
    }
}

/// Simulates all kernels, several at once.
fn simulate(kernels: &[Simulated]) {
    use rayon::prelude::*;

    let counts: Vec<Option<usize>> = kernels.par_iter().map(Simulated::run).collect();
    let count: usize = counts.into_iter().flatten().sum();
    println!("{} kernels, {count} simulations", kernels.len());
}
