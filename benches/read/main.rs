//! Reading Matrix Market files, beside scipy's `mmread`, which is `fast_matrix_market`.
//!
//! `cargo bench -p benches --bench read [-- --threads N --rounds N FILE ..]`, with an interpreter that has scipy in
//! `UNISPARSE_PYTHON`. Without files, one of 4,000,000 random entries (132 MB) is written to the temporary folder, plain and as gzip.
//!
//! Both readers read each file in turn, from the file cache, on as many threads. The number of entries and a sum of them are compared.

#[path = "../harness/python.rs"]
mod python;
#[allow(dead_code, reason = "this bench shuffles nothing")]
#[path = "../harness/random.rs"]
mod random;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use python::Python;
use random::Random;
use unisparse::io;
use unisparse::prelude::*;

/// The number of entries of the file that is made, and of its rows and columns.
const ENTRIES: usize = 4_000_000;
const EXTENT: usize = 1_000_000;

/// What was read: seconds, the number of entries, and a weighted sum of them.
type Outcome = (f64, usize, f64);

fn read_by_scipy(python: &mut Python, path: &Path) -> Result<Outcome, Box<dyn Error>> {
    let answer = python.ask(&path.display().to_string())?;
    let [seconds, count, sum] = answer.split(' ').collect::<Vec<_>>()[..] else {
        return Err(format!("scipy answers {answer:?}").into());
    };
    Ok((seconds.parse()?, count.parse()?, sum.parse()?))
}

fn read(path: &Path) -> Result<Outcome, Box<dyn Error>> {
    let start = Instant::now();
    let matrix = io::read_matrix_market::<f64>(path)?;
    let seconds = start.elapsed().as_secs_f64();
    let terms = matrix.iter().map(|([i, j], value)| (i as f64 + 3.0 * j as f64) * value);
    Ok((seconds, matrix.len(), terms.sum()))
}

/// Writes the random file, and its copy as gzip.
fn random_files() -> Result<[PathBuf; 2], Box<dyn Error>> {
    let mut random = Random(1);
    let entries = (0..ENTRIES).map(|_| {
        let coordinate = [random.below(EXTENT), random.below(EXTENT)];
        (coordinate, (random.next() >> 11) as f64 / (1_u64 << 53) as f64)
    });
    let matrix = Triplets::try_from_triplets([EXTENT, EXTENT], entries)?;
    let name = |ending: &str| std::env::temp_dir().join(format!("unisparse-read-{}.{ending}", std::process::id()));
    let paths = [name("mtx"), name("mtx.gz")];
    for path in &paths {
        io::write_matrix_market(path, &matrix)?;
    }
    Ok(paths)
}

/// The median, and the least and the most.
fn spread(mut times: Vec<f64>) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[0], times[times.len() - 1]]
}

fn compare(path: &Path, scipy: &mut Python, rounds: usize) -> Result<(), Box<dyn Error>> {
    let mut times = [Vec::new(), Vec::new()];
    // The first round fills the file cache.
    for round in 0..=rounds {
        let outcomes = [read(path)?, read_by_scipy(scipy, path)?];
        let [(_, count, sum), (_, other_count, other_sum)] = outcomes;
        if count != other_count || (sum - other_sum).abs() > 1e-9 * sum.abs() {
            return Err(format!("{count} entries of sum {sum}, by scipy {other_count} of {other_sum}").into());
        }
        if round > 0 {
            times
                .iter_mut()
                .zip(outcomes)
                .for_each(|(all, (seconds, ..))| all.push(seconds));
        }
    }
    let [ours, theirs] = times.map(spread);
    let shown = |[median, least, most]: [f64; 3]| format!("{median:.3} ({least:.3} to {most:.3})");
    println!(
        "| {} | {} | {} | {:.2} |",
        path.display(),
        shown(ours),
        shown(theirs),
        theirs[0] / ours[0]
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut threads, mut rounds, mut files) = (1, 9, Vec::new());
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let mut number = || {
            arguments
                .next()
                .ok_or("a number is missing")?
                .parse()
                .map_err(Box::<dyn Error>::from)
        };
        match &*argument {
            "--threads" => threads = number()?,
            "--rounds" => rounds = number()?,
            file => files.push(PathBuf::from(file)),
        }
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let mut command = Python::command(include_str!("by_scipy.py"));
    let (mut scipy, _) = Python::start(command.arg(threads.to_string()))?;
    let made = if files.is_empty() {
        random_files()?.to_vec()
    } else {
        Vec::new()
    };
    println!(
        "{threads} threads, median seconds of {rounds} (least to most)\n\n| file | unisparse | scipy | scipy / unisparse |\n|---|---|---|---|"
    );
    let done = files
        .iter()
        .chain(&made)
        .try_for_each(|path| compare(path, &mut scipy, rounds));
    for path in &made {
        std::fs::remove_file(path)?;
    }
    done
}
