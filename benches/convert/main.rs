//! Conversions: the paper's table and more, ours against the libraries a user would take instead, plain C, and a copy of
//! the result.
//!
//! `cargo bench --bench convert [-- --pair coo-csr --matrix p3d7 --threads 1 ..]`
//!
//! The contestants of a row run in turn, in random order, round after round; each makes its result in fresh memory, and
//! frees it after its clock has stopped. One thread is measured in its processor time, several on the wall. Printed are
//! medians, and the distance between the quartiles. Every result is checked first: ours against the elements where the
//! declaration of the format says they are, peers against arrays made by hand. What is not on this machine is named.
//!
//! `copy ms` is a `clone` of as many bytes as the result has, `/copy` our time over it, and `bw %` the bytes of source and
//! result over our time, in percent of the bandwidth of a copy between memory in use.

mod matrices;
mod measure;
mod pairs;
mod peers;
mod reference;
mod report;
mod settings;

use matrices::{Element, Pattern, Recipe, Set};
use measure::Clock;
use pairs::{PAIRS, Pair, Race};
use peers::{Peers, Shims};
use report::Table;
use settings::Settings;

fn main() {
    let settings = Settings::from_arguments(std::env::args().skip(1)).unwrap_or_else(|error| {
        eprintln!("{error}\n\n{}", settings::USAGE);
        std::process::exit(2);
    });
    let recipes = matrices::recipes(&settings);
    let mut matrices = Vec::new();
    for recipe in &recipes {
        match recipe.make() {
            Ok(pattern) => matrices.push((recipe, pattern)),
            Err(error) => println!("SKIPPED {}: {error}", recipe.name),
        }
    }
    let shims = Shims::compile();
    measure::always_fresh();
    for &threads in &settings.threads {
        // A thread of its own for each pool, which stays its member.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .use_current_thread();
                let _pool = pool.build().expect("threads can be started");
                session(&settings, &shims, &matrices, threads);
            });
        });
    }
}

/// All that is asked for, on so many threads.
fn session(settings: &Settings, shims: &Shims, matrices: &[(&Recipe, Pattern)], threads: usize) {
    let peers = Peers::load(shims, settings, threads);
    let race = Race {
        peers: &peers,
        clock: if threads == 1 { Clock::Thread } else { Clock::Wall },
        budget: settings.budget,
    };
    let wanted = |pair: &&Pair| {
        settings
            .pair
            .as_ref()
            .is_none_or(|name| pair.name.contains(name.as_str()))
    };
    let mut tables = Vec::new();
    for pair in PAIRS.iter().filter(wanted) {
        let of_set = |set| matrices.iter().filter(move |(recipe, _)| recipe.set == set);
        let (f32s, f64s) = match settings.scalar.as_deref() {
            Some("f32") => (matrices.iter().collect(), Vec::new()),
            Some(_) => (Vec::new(), matrices.iter().collect()),
            // The paper's table is of one thread.
            None if pair.in_paper && (threads == 1 || settings.threads.len() == 1) => {
                (of_set(Set::Paper).collect(), of_set(Set::Generated).collect())
            }
            None => (Vec::new(), of_set(Set::Generated).collect()),
        };
        tables.extend(table::<f32>(pair, &race, &f32s, threads));
        tables.extend(table::<f64>(pair, &race, &f64s, threads));
    }
    report::print_summary(&tables);
}

fn table<T: Element>(pair: &Pair, race: &Race, matrices: &[&(&Recipe, Pattern)], threads: usize) -> Option<Table> {
    let plural = if threads == 1 { "" } else { "s" };
    let mut table = Table {
        title: format!("{} {}, {threads} thread{plural}", pair.name, T::NAME),
        rows: Vec::new(),
    };
    if matrices.is_empty() {
        return None;
    }
    table.print_head();
    for (recipe, pattern) in matrices {
        match pair.run::<T>(race, &recipe.name, &pattern.entries()) {
            Ok(row) => table.push(row),
            Err(error) => println!("{:<14} {error}", recipe.name),
        }
    }
    Some(table)
}
