//! Every workload over real matrices of all sizes, and the time of a single call: ours against the fastest peer.
//!
//! `cargo bench -p benches --bench sizes [-- --workload csr-csc --matrix bcsstk --memory reused --threads 1 ..]`
//!
//! The matrices are the files of the test data, each pattern once, in classes by their number of nonzeros. Conversions are in
//! `f32`, as in the paper's table, kernels in `f64`, and both over `Csr` where there is a choice. Every result is checked, as in the
//! other benches. `reused` keeps the memory of the last results for the next, and repeats short
//! work as often as the clock needs; `fresh` maps every block of 128 KiB and more anew, and leaves smaller matrices out.
//!
//! `--workload growth` measures conversions of generated matrices of up to 6 * 10^7 elements instead.
//!
//! The tables are Markdown: for each class, the geometric mean of the fastest peer's time over ours, the least ratio and
//! its matrix. Peers are libraries and loops written by hand. The target folder gets `bench/sizes.csv` with all measurements.

mod artifact;
mod growth;
#[path = "../harness/mod.rs"]
mod harness;
mod markdown;
#[path = "../compute/multiply.rs"]
mod multiply;
#[path = "../convert/pairs.rs"]
mod pairs;
#[path = "../convert/reference.rs"]
mod reference;
#[path = "../compute/sparse.rs"]
mod sparse;

use std::sync::Mutex;
use std::time::Duration;

use harness::computation::Task;
use harness::matrices::{Recipe, Set, recipes};
use harness::measure::{Cache, Clock, Rules};
use harness::peers::{Peers, Shims};
use harness::report::{Report, Row, Table};
use harness::settings::Settings;
use pairs::{PAIRS, Pair, Race};

/// Matrices with at most this many nonzeros, and more than those of the class before.
struct Class {
    name: &'static str,
    most: usize,
    matrices: Vec<Recipe>,
}

/// The name of the class of a single call.
const CALLS: &str = "one call";

/// From this many nonzeros on, arrays reach the 128 KiB that are mapped anew.
const MAPPED: usize = 10_000;

/// Extents from which on an array along a dim is too long.
const LONGEST: usize = 100_000_000;

/// How long one comparison takes at least, if the command line does not say.
const BUDGET: Duration = Duration::from_millis(50);

/// What is measured.
enum Workload {
    Conversion(&'static Pair),
    Kernel(&'static str, Task),
}

impl Workload {
    /// Returns the conversions of the paper's table, those that peers have, and the kernels.
    fn all() -> Vec<Self> {
        // No peer has those in banks, and a consumed source would have to be copied.
        let others = [
            "csr-bcsr",
            "coo-csr-shuffled",
            "coo-csr-columns",
            "coo-csr-rows",
            "coo-csr",
        ];
        let measured = |pair: &&Pair| pair.in_paper || others.contains(&pair.name);
        let conversions = PAIRS.iter().filter(measured).map(Workload::Conversion);
        let kernels = [
            ("spmv", Task::Multiply { columns: 1 }),
            ("spmm 32", Task::Multiply { columns: 32 }),
            ("spgemm", Task::Square),
            ("add", Task::AddTransposed),
            ("sddmm 64", Task::Sample { rank: 64 }),
        ];
        conversions
            .chain(kernels.map(|(name, task)| Workload::Kernel(name, task)))
            .collect()
    }

    fn name(&self) -> &'static str {
        match self {
            Workload::Conversion(pair) => pair.name,
            Workload::Kernel(name, _) => name,
        }
    }

    fn scalar(&self) -> &'static str {
        match self {
            Workload::Conversion(_) => "f32",
            Workload::Kernel(..) => "f64",
        }
    }

    /// # Errors
    /// The reason why there is nothing to compare.
    fn row(&self, matrix: &Recipe, peers: &Peers, rules: Rules) -> Result<Row, String> {
        match self {
            Workload::Conversion(pair) => {
                let race = Race {
                    peers,
                    rules,
                    copies: false,
                };
                let row = pair.run::<f32>(&race, matrix, &matrix.entries()?);
                row.map_err(|refusal| refusal.to_string())
            }
            Workload::Kernel(_, Task::Multiply { columns }) => {
                let entries = matrix.entries::<f64>()?;
                Ok(multiply::row(matrix, &entries, *columns, peers, rules))
            }
            Workload::Kernel(_, task) => sparse::row::<f64>(matrix, &matrix.entries()?, *task, peers, rules),
        }
    }
}

/// Returns the matrices of a single call, then those of the test data by size, then those of the artifact that are generated.
fn classes(settings: &Settings) -> Vec<Class> {
    let class = |name, most| Class {
        name,
        most,
        matrices: Vec::new(),
    };
    let mut all = vec![
        class(CALLS, 0),
        class("<= 10^3", 1000),
        class("<= 10^4", 10_000),
        class("<= 10^5", 100_000),
        class("<= 10^6", 1_000_000),
        class("more", usize::MAX),
    ];
    all[0].matrices.extend(Recipe::of_few_nonzeros());
    if settings.quick {
        return all;
    }
    let mut matrices = match settings.matrix.as_ref().filter(|name| name.contains(".mtx")) {
        Some(path) => vec![Recipe::read(path, Set::Real, path.into())],
        None => Recipe::of_all_files().expect("the test data can be read"),
    };
    matrices.extend(
        recipes(&[Set::Paper], 1.0)
            .into_iter()
            .filter(|recipe| artifact::has(&recipe.name)),
    );
    let names: Vec<String> = matrices.iter().map(|recipe| recipe.name.clone()).collect();
    for matrix in matrices
        .into_iter()
        .filter(|matrix| settings.wants_matrix(&matrix.name, &names))
    {
        match matrix.pattern().map(|pattern| (pattern.len(), pattern.longest())) {
            Ok((0, _)) => {}
            Ok((_, LONGEST..)) => println!("SKIPPED {}: peers have an array along each dim", matrix.name),
            Ok((count, _)) => {
                let class = all.iter_mut().find(|class| count <= class.most);
                let matrices = &mut class.expect("the last class has no end").matrices;
                if !matrices.iter().any(|other| other.pattern() == matrix.pattern()) {
                    matrices.push(matrix);
                }
            }
            Err(error) => println!("SKIPPED {}: {error}", matrix.name),
        }
    }
    all
}

fn main() {
    let settings = Settings::of_process();
    // This comes before anything starts threads.
    let shims = Shims::load();
    if settings.workload.as_deref() == Some("growth") {
        harness::memory::always_fresh();
        harness::on_threads(&settings.threads, |threads| {
            growth::print(settings.scale, rules(&settings, "fresh", threads));
        });
        return;
    }
    harness::memory::share_heap();
    let classes = classes(&settings);
    let report = Mutex::new(Report::default());
    // Memory that is kept would be handed out afterwards, so that nothing were fresh.
    for memory in ["fresh", "reused"] {
        if settings.memory.as_ref().is_some_and(|wanted| wanted != memory) {
            continue;
        }
        match memory {
            "fresh" => harness::memory::always_fresh(),
            _ => harness::memory::always_reused(),
        }
        harness::on_threads(&settings.threads, |threads| {
            let tables = session(&settings, &shims, &classes, memory, threads);
            artifact::print(&tables);
            report.lock().expect("no session has failed").tables.extend(tables);
        });
    }
    report
        .into_inner()
        .expect("no session has failed")
        .write("sizes", settings.quick);
}

fn rules(settings: &Settings, memory: &str, threads: usize) -> Rules {
    Rules {
        clock: Clock::for_threads(threads),
        cache: if memory == "fresh" { Cache::AsLeft } else { Cache::Warm },
        budget: settings.budget(BUDGET),
    }
}

/// Runs all requested workloads on this number of threads, one table for each workload and class.
fn session(settings: &Settings, shims: &Shims, classes: &[Class], memory: &'static str, threads: usize) -> Vec<Table> {
    let peers = Peers::load(shims, settings, threads);
    let rules = rules(settings, memory, threads);
    let wanted = |workload: &Workload| {
        settings
            .workload
            .as_ref()
            .is_none_or(|parts| parts.split(',').any(|part| workload.name().contains(part)))
    };
    let mut all = Vec::new();
    for workload in Workload::all().into_iter().filter(wanted) {
        let mut tables = Vec::new();
        for class in classes.iter().filter(|class| memory == "reused" || class.most > MAPPED) {
            let mut table = Table {
                workload: workload.name().to_owned(),
                set: class.name.to_owned(),
                scalar: workload.scalar(),
                threads,
                cache: memory,
                rows: Vec::new(),
            };
            for matrix in &class.matrices {
                match workload.row(matrix, &peers, rules) {
                    Ok(row) => table.push(row),
                    Err(reason) => eprintln!("{}, {}: {reason}", table.title(), matrix.name),
                }
            }
            tables.push(table);
        }
        // A session takes a quarter of an hour: what was measured is not lost with what follows.
        markdown::print(&tables);
        all.append(&mut tables);
    }
    all
}
