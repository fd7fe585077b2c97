//! Reading Matrix Market files, beside scipy's `mmread`, which is `fast_matrix_market`.
//!
//! `cargo bench -p benches --bench read [-- --threads N --rounds N FILE ..]`, with an interpreter that has scipy in
//! `UNISPARSE_PYTHON`. Without files, one of 4,000,000 random entries (132 MB) is written to the temporary folder, plain and as gzip.
//!
//! Both readers read each file in turn, from the file cache, on as many threads. The number of entries and a sum of them are compared.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use unisparse::io;
use unisparse::prelude::*;

/// The number of entries of the file that is made, and of its rows and columns.
const ENTRIES: usize = 4_000_000;
const EXTENT: usize = 1_000_000;

/// What was read: seconds, the number of entries, and a weighted sum of them.
type Outcome = (f64, usize, f64);

/// scipy in a process of its own.
struct Scipy {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Scipy {
    fn start(threads: usize) -> Result<Self, Box<dyn Error>> {
        let python = std::env::var("UNISPARSE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let mut child = Command::new(python)
            .args(["-c", include_str!("by_scipy.py"), &threads.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Scipy { child, input, output })
    }

    fn read(&mut self, path: &Path) -> Result<Outcome, Box<dyn Error>> {
        writeln!(self.input, "{}", path.display())?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let [seconds, count, sum] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err("scipy has read nothing".into());
        };
        Ok((seconds.parse()?, count.parse()?, sum.parse()?))
    }
}

impl Drop for Scipy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
    let mut state = 1_u64;
    // The multiplier of Knuth's MMIX.
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut below = |extent: usize| (random() * extent as f64) as usize;
    let coordinates: Vec<[usize; 2]> = (0..ENTRIES).map(|_| [below(EXTENT), below(EXTENT)]).collect();
    let entries = coordinates.into_iter().map(|coordinate| (coordinate, random()));
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

fn compare(path: &Path, scipy: &mut Scipy, rounds: usize) -> Result<(), Box<dyn Error>> {
    let mut times = [Vec::new(), Vec::new()];
    // The first round fills the file cache.
    for round in 0..=rounds {
        let outcomes = [read(path)?, scipy.read(path)?];
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
    let made = if files.is_empty() {
        random_files()?.to_vec()
    } else {
        Vec::new()
    };
    let mut scipy = Scipy::start(threads)?;
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
