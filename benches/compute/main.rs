//! Kernels: ours against loops written by hand, the libraries that users would take instead, and the machine's limits.
//!
//! `cargo bench -p benches --bench compute [-- --workload spmv --matrix p3d7 --scalar f64 --threads 1 ..]`
//!
//! The contestants of a comparison run in turn, in random order, round after round. One thread is measured in processor
//! time, several threads in wall-clock time. The report has medians, interquartile ranges, and for formats of known size the
//! read bandwidth. Every contestant is checked first, against sums in `f64` over the elements: sparse results must
//! have the same coordinates in the same order, values may differ by 1e-12 of the sum of the magnitudes of their terms in
//! `f64`, and by 1e-4 in `f32`. Libraries that this machine lacks are named.
//!
//! `warm` starts with the caches as the previous call left them, `cold` with useless contents; `fresh` allocates its result, and
//! frees it after the clock has stopped. `read` only reads the bytes of the first format and of the dense operands: no
//! kernel over data larger than the caches is faster. The target folder gets `bench/compute.csv` with all measurements,
//! and pictures: bars of the ratios, and a roofline.

#[path = "../harness/mod.rs"]
mod harness;
mod multiply;
mod sparse;
mod tensor;

use harness::ceilings::Ceilings;
use harness::computation::Task;
use harness::matrices::{Element, Recipe, Set, recipes};
use harness::measure::{Cache, Clock, Rules};
use harness::peers::{Peers, Shims};
use harness::report::{Report, Table};
use harness::settings::{BUDGET, Settings};

/// One kind of comparison, over some matrices.
struct Workload {
    name: String,
    task: Task,
    set: Set,
    /// The number of elements of generated matrices.
    scale: f64,
    /// The prefix of the names of the matrices, if only some of the set are used.
    kinds: &'static [&'static str],
    caches: &'static [Cache],
}

const ALL: &[&str] = &[""];
/// One matrix of each kind, for large dense operands.
const FEW: &[&str] = &["p3d7", "p3d27", "fem3", "rmat", "unif"];

fn workloads(settings: &Settings) -> Vec<Workload> {
    let mut all = Vec::new();
    let mut add = |name: &str, task, set, scale, kinds, caches| {
        let name = name.to_owned();
        all.push(Workload {
            name,
            task,
            set,
            scale,
            kinds,
            caches,
        });
    };
    let vector = Task::Multiply { columns: 1 };
    add("spmv", vector, Set::Large, 1.0, ALL, &[Cache::Warm]);
    add("spmv", vector, Set::Small, 1.0, ALL, &[Cache::Warm, Cache::Cold]);
    add("spmv", vector, Set::Real, 1.0, ALL, &[Cache::Warm]);
    let widths = if settings.quick {
        vec![33]
    } else {
        vec![8, 32, 128, 1000]
    };
    let wanted = settings.columns.map_or(widths, |columns| vec![columns]);
    for columns in wanted {
        // Wide results need smaller matrices, so that several of them fit in memory.
        let (set, scale) = match columns {
            0..=32 => (Set::Generated, 1.0),
            33..=256 => (Set::Small, 1.0),
            _ => (Set::Small, 0.25),
        };
        add(
            &format!("spmm {columns}"),
            Task::Multiply { columns },
            set,
            scale,
            FEW,
            &[Cache::Warm],
        );
    }
    for (name, task) in [("spgemm", Task::Square), ("add", Task::AddTransposed)] {
        add(name, task, Set::Small, 2.0, ALL, &[Cache::AsLeft]);
        add(name, task, Set::Real, 1.0, ALL, &[Cache::AsLeft]);
    }
    add(
        "sddmm 64",
        Task::Sample { rank: 64 },
        Set::Small,
        2.0,
        FEW,
        &[Cache::AsLeft],
    );
    add("overhead of spmv", vector, Set::Tiny, 1.0, ALL, &[Cache::Warm]);
    add(
        "overhead of spmm 8",
        Task::Multiply { columns: 8 },
        Set::Tiny,
        1.0,
        ALL,
        &[Cache::Warm],
    );
    add("overhead of spgemm", Task::Square, Set::Tiny, 1.0, ALL, &[Cache::Warm]);
    add(
        "overhead of add",
        Task::AddTransposed,
        Set::Tiny,
        1.0,
        ALL,
        &[Cache::Warm],
    );
    if let Some(wanted) = &settings.workload {
        all.retain(|workload| workload.name.split(' ').next() == Some(wanted.as_str()));
    }
    all
}

/// A workload and its matrices.
type Program = Vec<(Workload, Vec<Recipe>)>;

fn program(settings: &Settings) -> Program {
    let path = settings.matrix.as_ref().filter(|name| name.contains(".mtx"));
    let mut all: Program = Vec::new();
    for workload in workloads(settings) {
        let slow = matches!(workload.set, Set::Real | Set::Large | Set::Generated);
        if settings.quick && slow || path.is_some() && workload.set != Set::Real {
            continue;
        }
        let mut matrices = match path {
            Some(path) => vec![Recipe::read(path, Set::Real, path.into())],
            None => recipes(&[workload.set], settings.scale * workload.scale),
        };
        matrices.retain(|recipe| workload.kinds.iter().any(|kind| recipe.name.starts_with(kind)));
        all.push((workload, matrices));
    }
    if path.is_none() {
        let names: Vec<String> = all
            .iter()
            .flat_map(|(_, list)| list)
            .map(|recipe| recipe.name.clone())
            .collect();
        for (_, matrices) in &mut all {
            matrices.retain(|recipe| settings.wants_matrix(&recipe.name, &names));
        }
    }
    all.retain(|(_, matrices)| !matrices.is_empty());
    all
}

fn main() {
    let settings = Settings::of_process();
    // This comes before anything starts threads.
    let shims = Shims::load();
    harness::memory::always_fresh();
    let program = program(&settings);
    let report = std::sync::Mutex::new(Report::default());
    harness::on_threads(&settings.threads, |threads| {
        let peers = Peers::load(&shims, &settings, threads);
        let mut report = report.lock().expect("no session has failed");
        let mut session = Session {
            settings: &settings,
            peers: &peers,
            threads,
            report: &mut report,
        };
        if settings.wants_scalar("f64") {
            session.run::<f64>(&program);
        }
        if settings.wants_scalar("f32") {
            session.run::<f32>(&program);
        }
        peers.describe();
    });
    let report = report.into_inner().expect("no session has failed");
    report.print_summary();
    report.write("compute", settings.quick);
}

/// Runs all requested workloads on this number of threads.
struct Session<'a> {
    settings: &'a Settings,
    peers: &'a Peers<'a>,
    threads: usize,
    report: &'a mut Report,
}

impl Session<'_> {
    fn rules(&self, cache: Cache) -> Rules {
        Rules {
            clock: Clock::for_threads(self.threads),
            cache,
            budget: self.settings.budget(BUDGET),
        }
    }

    fn run<T: Element>(&mut self, program: &Program) {
        let rules = self.rules(Cache::Warm);
        let ceilings = Ceilings::measure::<T>(rules, self.peers.shims, self.threads, self.settings.quick);
        self.report.ceilings.push(ceilings);
        for (workload, matrices) in program {
            for &cache in workload.caches {
                if self
                    .settings
                    .cache
                    .as_ref()
                    .is_none_or(|wanted| wanted == cache.name() || cache == Cache::AsLeft)
                {
                    let table = self.table::<T>(workload, matrices, cache);
                    table.print();
                    self.report.tables.push(table);
                }
            }
        }
        if self.settings.workload.as_ref().is_none_or(|wanted| wanted == "mttkrp") && self.settings.matrix.is_none() {
            let mut table = self.empty::<T>("mttkrp 32", "tensors", Cache::Warm);
            for tensor in harness::tensors::tensors(self.settings.scale, self.settings.quick) {
                table.push(tensor::mttkrp::<T>(&tensor, 32, self.peers, self.rules(Cache::Warm)));
            }
            table.print();
            self.report.tables.push(table);
        }
    }

    fn empty<T: Element>(&self, workload: &str, set: &str, cache: Cache) -> Table {
        Table {
            workload: workload.to_owned(),
            set: set.to_owned(),
            scalar: T::NAME,
            threads: self.threads,
            cache: cache.name(),
            rows: Vec::new(),
        }
    }

    fn table<T: Element>(&self, workload: &Workload, matrices: &[Recipe], cache: Cache) -> Table {
        let mut table = self.empty::<T>(&workload.name, workload.set.name(), cache);
        for recipe in matrices {
            let entries = match recipe.entries::<T>() {
                Ok(entries) => entries,
                Err(error) => {
                    println!("SKIPPED {}: {error}", recipe.name);
                    continue;
                }
            };
            let rules = self.rules(cache);
            let row = match workload.task {
                Task::Multiply { columns } => Ok(multiply::row(recipe, &entries, columns, self.peers, rules)),
                task => sparse::row(recipe, &entries, task, self.peers, rules),
            };
            match row {
                Ok(row) => table.push(row),
                Err(reason) => println!("SKIPPED {}: {reason}", recipe.name),
            }
        }
        table
    }
}
