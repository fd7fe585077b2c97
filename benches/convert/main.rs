//! Conversions: the paper's table and more, ours against the libraries that users would take instead, plain C, and a copy of
//! the result.
//!
//! `cargo bench -p benches --bench convert [-- --pair coo-csr --matrix p3d7 --threads 1 ..]`
//!
//! The contestants of a row run in turn, in random order, round after round; each allocates its result, and
//! frees it after the clock has stopped. One thread is measured in processor time, several threads in wall-clock time. The
//! report has medians and interquartile ranges. Every result is checked first: ours against the positions of the elements
//! that follow from the declaration, peers against arrays made by hand. Libraries that this machine lacks are named.
//!
//! `fresh copy` is a `clone` of as many bytes as the result has, `copy` one between memory in use: it measures the
//! bandwidth, of which ours is a percentage, by the bytes of source and result. The target folder gets `bench/convert.csv` with all measurements, and bars of the ratios.

#[path = "../harness/mod.rs"]
mod harness;
mod pairs;
mod reference;

use harness::matrices::{Element, Recipe, Set, recipes};
use harness::measure::{Cache, Clock, Rules};
use harness::peers::{Peers, Shims};
use harness::report::{Report, Table};
use harness::settings::{BUDGET, Settings};
use pairs::{PAIRS, Pair, Race};

fn matrices(settings: &Settings) -> Vec<Recipe> {
    if let Some(path) = settings.matrix.as_ref().filter(|name| name.contains(".mtx")) {
        return vec![Recipe::read(path, Set::Paper, path.into())];
    }
    let sets: &[Set] = if settings.quick {
        &[Set::Generated]
    } else {
        &[Set::Generated, Set::Paper]
    };
    let mut all = recipes(sets, settings.scale);
    let names: Vec<String> = all.iter().map(|recipe| recipe.name.clone()).collect();
    all.retain(|recipe| settings.wants_matrix(&recipe.name, &names));
    if settings.matrix.is_none() {
        // Each conversion takes half a minute, so these run only if they are named.
        all.retain(|recipe| recipe.name != "transport");
    }
    all
}

fn main() {
    let settings = Settings::of_process();
    // This comes before anything starts threads.
    let shims = Shims::load();
    harness::memory::always_fresh();
    let matrices = matrices(&settings);
    let report = std::sync::Mutex::new(Report::default());
    harness::on_threads(&settings.threads, |threads| {
        let tables = session(&settings, &shims, &matrices, threads);
        report.lock().expect("no session has failed").tables.extend(tables);
    });
    let report = report.into_inner().expect("no session has failed");
    report.print_summary();
    report.write("convert", settings.quick);
}

/// Runs all requested pairs on this number of threads.
fn session(settings: &Settings, shims: &Shims, matrices: &[Recipe], threads: usize) -> Vec<Table> {
    let peers = Peers::load(shims, settings, threads);
    let rules = Rules {
        clock: Clock::for_threads(threads),
        cache: Cache::AsLeft,
        budget: settings.budget(BUDGET),
    };
    let race = Race {
        peers: &peers,
        rules,
        copies: true,
    };
    let wanted = |pair: &&Pair| {
        settings
            .pair
            .as_ref()
            .is_none_or(|name| pair.name.contains(name.as_str()))
    };
    let mut tables = Vec::new();
    for pair in PAIRS.iter().filter(wanted) {
        let of_set = |set| matrices.iter().filter(move |recipe| recipe.set == set);
        let (f32s, f64s) = match settings.scalar.as_deref() {
            Some("f32") => (matrices.iter().collect(), Vec::new()),
            Some(_) => (Vec::new(), matrices.iter().collect()),
            // The paper's table is for one thread.
            None if pair.in_paper && (threads == 1 || settings.threads.len() == 1) => {
                (of_set(Set::Paper).collect(), of_set(Set::Generated).collect())
            }
            None => (Vec::new(), of_set(Set::Generated).collect()),
        };
        tables.extend(table::<f32>(pair, &race, &f32s, threads));
        tables.extend(table::<f64>(pair, &race, &f64s, threads));
    }
    tables
}

fn table<T: Element>(pair: &Pair, race: &Race, matrices: &[&Recipe], threads: usize) -> Option<Table> {
    let mut table = Table {
        workload: pair.name.to_owned(),
        set: matrices.first()?.set.name().to_owned(),
        scalar: T::NAME,
        threads,
        cache: race.rules.cache.name(),
        rows: Vec::new(),
    };
    for recipe in matrices {
        let row = recipe.entries::<T>().map(|entries| pair.run(race, recipe, &entries));
        match row {
            Ok(Ok(row)) => table.push(row),
            Ok(Err(refusal)) => println!("{:<14} {refusal}", recipe.name),
            Err(error) => println!("SKIPPED {}: {error}", recipe.name),
        }
    }
    table.print();
    Some(table)
}
