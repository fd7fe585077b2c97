//! Advice against measured times: products in every suitable format, and the time lost by taking the advised one.
//!
//! `cargo bench -p benches --bench advise [-- --matrix p3d7 --threads 1 --scale 0.5 ..]`
//!
//! For each matrix, all candidates of `unisparse::advise` and a hybrid declared here are ranked. Those of at most three times the bytes of `Csr` are built,
//! checked and measured in turn, as in `compute`. The regret is the time of the format ranked first over that of the fastest one, minus
//! one. Its mean over a set is geometric, of the regret plus one. The constants of the model were fitted on the generated sets; the real set shows how
//! good the advice is on unseen matrices.

#[path = "../harness/mod.rs"]
mod harness;

use harness::computation::{Problem, Task};
use harness::matrices::{Entries, Recipe, Set, recipes};
use harness::measure::{Cache, Clock, Contestant, Rules, geometric_mean, measure};
use harness::settings::{BUDGET, Settings};
use unisparse::Advice;
use unisparse::formats::*;
use unisparse::prelude::*;

/// Formats of more than this many times the bytes of `Csr` are not measured.
const LARGEST: u128 = 3;

unisparse::sparse_format! {
    /// Diagonals as in `BdiaCsr`, and the other elements without an array over the rows.
    hybrid BdiaCoo<const B: usize = 16> = Bdia<B> + Coo split sum(value != 0 => 1, _ => 0).group_by(i / B, j - i) > threshold;
}

/// A format with its rank and predicted time.
struct Entrant<'a> {
    advice: Advice,
    /// `None` if the format is refused or too large.
    contestant: Option<Contestant<'a>>,
}

fn enter<'a, F>(problem: &'a Problem<f64>, triplets: &Triplets<f64, 2>, csr: u128) -> Entrant<'a>
where
    F: SparseTensor<2, Scalar = f64> + spmv<Scalar = f64> + 'a,
{
    let advice = F::advise(triplets).expect("the matrices have no duplicates");
    let suits = advice.refusal().is_none() && advice.bytes() <= LARGEST * csr;
    let contestant = suits.then(|| {
        let a: F = triplets.convert().expect("the advice is that it fits");
        assert_eq!(
            (a.stored() as u128, SparseTensor::bytes(&a) as u128),
            (advice.stored(), advice.bytes()),
            "{}",
            advice.format()
        );
        let (mut y, x) = (problem.output(), &problem.dense[..]);
        let product = move |y: &mut Vec<f64>| spmv(y, &a, x).expect("the operands fit");
        product(&mut y);
        problem.check_dense(advice.format(), &y);
        Contestant::ours(advice.format(), move |shot| shot.time(|| product(&mut y)))
    });
    Entrant { advice, contestant }
}

/// The candidates of `unisparse::advise`, and a hybrid of this bench.
fn entrants<'a>(problem: &'a Problem<f64>, triplets: &Triplets<f64, 2>) -> Vec<Entrant<'a>> {
    let csr = Csr::<f64>::advise(triplets)
        .expect("the matrices have no duplicates")
        .bytes();
    macro_rules! all {
        ($($format:ident $(<$($argument:literal),*>)?),*) => {
            vec![$(enter::<$format<f64 $($(, $argument)*)?>>(problem, triplets, csr)),*]
        };
    }
    all!(
        Csr, Csc, Coo, Dcsr, Dcsc, Lil, Dok, Dia, DiaVariant, Bdia<16>, Bdia<64>, Bdia<256>, Bcsr<2, 2>, Bcsr<3, 3>, Bcsr<4, 4>,
        Bcsr<6, 6>, Bcsr<8, 8>, Bcsr<1, 8>, Bcsc<2, 2>, Csb<64>, HiCoo<128>, Ell, Sell<8, 64>, Sell<8, 4096>, Jds, Bell<4>,
        BdiaCsr<16>, BdiaCsr<64>, BdiaCsr<256>, BellCoo<4>, BdiaCoo<16>
    )
}

/// Measures the candidates in the order of the advice. Returns the regret.
fn regret(recipe: &Recipe, entries: &Entries<f64>, rules: Rules) -> f64 {
    let problem = Problem::new(Task::Multiply { columns: 1 }, entries);
    let triplets = entries.triplets();
    let (mut advices, mut contestants) = (Vec::new(), Vec::new());
    for entrant in entrants(&problem, &triplets) {
        if let Some(contestant) = entrant.contestant {
            advices.push(entrant.advice);
            contestants.push(contestant);
        }
    }
    let times: Vec<f64> = measure(&mut contestants, rules)
        .iter()
        .map(|times| times.median)
        .collect();
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&left, &right| advices[left].seconds().total_cmp(&advices[right].seconds()));
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    println!("\n{}: {} elements", recipe.name, entries.len());
    println!(
        "  {:14}  {:>12}  {:>9}  {:>9}  {:>8}  why",
        "format", "bytes", "model ms", "ms", "x fastest"
    );
    for &at in &order {
        let (advice, time) = (&advices[at], times[at]);
        let (model, slower) = (1e3 * advice.seconds(), time / best);
        let (format, bytes, why) = (advice.format(), advice.bytes(), advice.why());
        println!(
            "  {format:14}  {bytes:>12}  {model:>9.3}  {:>9.3}  {slower:>8.2}  {why}",
            1e3 * time
        );
    }
    times[order[0]] / best - 1.0
}

fn main() {
    let settings = Settings::of_process();
    harness::memory::always_fresh();
    let sets = match settings.quick {
        true => vec![Set::Small],
        false => vec![Set::Small, Set::Large, Set::Real],
    };
    let path = settings.matrix.as_ref().filter(|name| name.contains(".mtx"));
    harness::on_threads(&settings.threads, |threads| {
        let rules = Rules {
            clock: Clock::for_threads(threads),
            cache: Cache::Warm,
            budget: settings.budget(BUDGET),
        };
        for &set in &sets {
            let mut matrices = match path {
                Some(path) if set == Set::Real => vec![Recipe::read(path, set, path.into())],
                Some(_) => continue,
                None => recipes(&[set], settings.scale),
            };
            let names: Vec<String> = matrices.iter().map(|recipe| recipe.name.clone()).collect();
            matrices.retain(|recipe| path.is_some() || settings.wants_matrix(&recipe.name, &names));
            let mut regrets = Vec::new();
            for recipe in &matrices {
                match recipe.entries::<f64>() {
                    Ok(entries) => regrets.push((&recipe.name, regret(recipe, &entries, rules))),
                    Err(error) => println!("SKIPPED {}: {error}", recipe.name),
                }
            }
            println!("\nregret, {}, {threads} threads:", set.name());
            for (name, regret) in &regrets {
                println!("  {name:14}  {:>6.1} %", 100.0 * regret);
            }
            let ratios: Vec<f64> = regrets.iter().map(|(_, regret)| 1.0 + regret).collect();
            if let Some(mean) = geometric_mean(&ratios) {
                println!("  {:14}  {:>6.1} %", "geomean", 100.0 * (mean - 1.0));
            }
        }
    });
}
