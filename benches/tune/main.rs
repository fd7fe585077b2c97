//! `tune` against compressed rows and against MKL: the time of the search, its conversions and a thousand products.
//!
//! `cargo bench -p benches --bench tune [-- --matrix NAME --threads 1 --columns 32 ..]`
//!
//! For each matrix, `tune` is given a `Csr`. The total time is that of the search of median time of three, and that of a thousand
//! products by what this one found. The products of all contestants are measured in turn, as in `compute`, with the same checks. MKL, where
//! it is installed, is announced a thousand products; its total has the time of its optimisation, timed
//! once. Ratios above one are times of which `tune` takes less.

#[path = "../harness/mod.rs"]
mod harness;

use harness::computation::{Problem, Task};
use harness::matrices::families::{FEWEST, families};
use harness::matrices::{Entries, Recipe, Set};
use harness::measure::{Cache, Clock, Contestant, Rules, geometric_mean, measure};
use harness::peers::{Peers, Shims};
use harness::settings::{BUDGET, Settings};
use unisparse::prelude::*;
use unisparse::{LinearOperator, Tuned, Use, tune};

/// Number of products.
const CALLS: usize = 1000;

/// What was measured for one matrix: the totals of compressed rows and of MKL over that of `tune`, and parts of the latter.
struct Row {
    set: &'static str,
    over_csr: f64,
    over_mkl: Option<f64>,
}

/// Returns the search of median time of three: what it found, and its seconds.
fn search(a: &Csr<f64>, wanted: Use, clock: Clock) -> (Tuned<'_, f64>, f64) {
    let found = || tune(a, wanted).expect("no format fails for other reasons than its size");
    let mut searches = [0; 3].map(|_| clock.around(found));
    searches.sort_by(|left, right| left.1.total_cmp(&right.1));
    let [_, median, _] = searches;
    median
}

fn compare(recipe: &Recipe, entries: &Entries<f64>, peers: &Peers, columns: usize, rules: Rules) -> Row {
    let problem = Problem::new(Task::Multiply { columns }, entries);
    let a: Csr<f64> = entries.triplets().convert().expect("compressed rows fit");
    let wanted = match columns {
        1 => Use::Spmv { calls: CALLS },
        _ => Use::Spmm { columns, calls: CALLS },
    };
    let (tuned, searching) = search(&a, wanted, rules.clock);
    let input = &problem.dense[..];
    let product = |operator: &dyn LinearOperator<f64>, output: &mut [f64]| {
        let done = if columns == 1 {
            operator.spmv(output, input)
        } else {
            operator.spmm(output, input)
        };
        done.expect("the operands fit");
    };
    let mut output = problem.output();
    product(&tuned, &mut output);
    problem.check_dense(&tuned.format(), &output);
    let mut other = problem.output();
    let by_rows = |output: &mut [f64]| {
        let done = if columns == 1 {
            spmv(output, &a, input)
        } else {
            spmm(output, &a, input)
        };
        done.expect("the operands fit");
    };
    let mut contestants = vec![
        Contestant::ours("tuned", |shot| shot.time(|| product(&tuned, &mut output))),
        Contestant::ours("Csr", |shot| shot.time(|| by_rows(&mut other))),
    ];
    let mkl = peers.mkl_optimised(&problem);
    let optimising = mkl.as_ref().map(|(_, seconds)| *seconds);
    contestants.extend(mkl.map(|(contestant, _)| contestant));
    let times: Vec<f64> = measure(&mut contestants, rules)
        .iter()
        .map(|times| times.median)
        .collect();
    drop(contestants);
    let calls = CALLS as f64;
    let total = searching + calls * times[0];
    let row = Row {
        set: recipe.set.name(),
        over_csr: calls * times[1] / total,
        over_mkl: optimising.map(|optimising| (optimising + calls * times[2]) / total),
    };
    let mkl = row.over_mkl.map_or(String::new(), |ratio| format!("{ratio:>7.2}"));
    println!(
        "{:34} {:>9}  {:14}  {:>8.4}  {:>8.4}  {:>7.0}  {:>6.2}  {:>6.2} {mkl}",
        recipe.name,
        entries.len(),
        tuned.format(),
        1e3 * times[1],
        1e3 * times[0],
        searching / times[1],
        times[1] / times[0],
        row.over_csr,
    );
    for trial in tuned.trials().iter().skip(1) {
        println!("    {trial}");
    }
    row
}

fn main() {
    let settings = Settings::of_process();
    harness::memory::always_fresh();
    let shims = Shims::load();
    let columns = settings.columns.unwrap_or(1);
    let sets = match settings.quick {
        true => &[Set::Small][..],
        false => &[Set::Small, Set::Large, Set::Real],
    };
    let matrices = families(sets, &settings).into_iter().map(|(recipe, _)| recipe);
    let matrices: Vec<Recipe> = matrices.collect();
    harness::on_threads(&settings.threads, |threads| {
        let peers = Peers::load(&shims, &settings, threads);
        peers.describe();
        let rules = Rules {
            clock: Clock::for_threads(threads),
            cache: Cache::Warm,
            budget: settings.budget(BUDGET),
        };
        println!("\n{threads} threads, {CALLS} products with {columns} columns");
        println!(
            "                                    elements  found             ms Csr     tuned  search*  faster  total   of MKL  (*in products of Csr)"
        );
        let mut rows = Vec::new();
        for recipe in &matrices {
            match recipe.entries::<f64>() {
                Ok(entries) if entries.len() < FEWEST && recipe.set == Set::Real => {}
                Ok(entries) => rows.push(compare(recipe, &entries, &peers, columns, rules)),
                Err(error) => println!("SKIPPED {}: {error}", recipe.name),
            }
        }
        for set in [Set::Small, Set::Large, Set::Real].map(Set::name) {
            let own = || rows.iter().filter(|row| row.set == set);
            let summary = |ratios: Vec<f64>| {
                let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
                geometric_mean(&ratios).map(|mean| format!("geomean {mean:.2}, least {least:.2}, of {}", ratios.len()))
            };
            if let Some(text) = summary(own().map(|row| row.over_csr).collect()) {
                println!("{set}: Csr over tune: {text}");
            }
            if let Some(text) = summary(own().filter_map(|row| row.over_mkl).collect()) {
                println!("{set}: MKL over tune: {text}");
            }
        }
    });
}
