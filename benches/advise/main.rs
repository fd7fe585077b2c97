//! Advice against measured times: products in every suitable format, and the time lost by taking the advised one.
//!
//! `cargo bench -p benches --bench advise [-- --matrix p3d7 --threads 1 --scale 0.5 ..]`
//!
//! For each matrix, all candidates of `unisparse::advise` and a hybrid declared here are ranked. Those of at most three times the bytes of
//! `Csr` are built, checked and measured in turn, as in `compute`. The time of a format is the least of its rounds, and in a round the lower
//! quartile: what disturbs a product makes it slower, by a factor of two on some virtual machines. The regret is the time of the format ranked
//! first over that of the fastest one, minus one. Its mean over a set is geometric, of the regret plus one; beside it stand the share of
//! matrices with a regret of at most 5 and 10 %, the greatest regret, and the time to make all advices, in products of `Csr`. The advice is
//! that of this machine if it is calibrated, else of the shipped constants.
//!
//! A second table has the regret of the format that is the fastest in the odd rounds, measured in the even ones, and the other way around:
//! the regret that noise alone makes.
//!
//! Then the constants are fitted to the measured times without one family of matrices after another, and the regret of each matrix is that
//! with the constants that have not seen its family: how good the advice is on unseen matrices. The last lines are factors of the shipped
//! constants that fit all matrices best. The target folder gets `bench/advise.csv`: each measured time, and what the model says it consists of.

mod fit;

#[path = "../harness/mod.rs"]
mod harness;

use fit::{Measured, Sample};
use harness::computation::{Problem, Task};
use harness::matrices::families::{FEWEST, families};
use harness::matrices::{Entries, Recipe, Set};
use harness::measure::{Cache, Clock, Contestant, Rules, Shot, geometric_mean, measure};
use harness::settings::Settings;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use unisparse::Advice;
use unisparse::formats::*;
use unisparse::prelude::*;

/// How long the products of one matrix run: a machine that others use may be slow for a second.
const LONG: Duration = Duration::from_millis(2500);
/// Formats of more than this many times the bytes of `Csr` are not measured.
const LARGEST: u128 = 3;
unisparse::sparse_format! {
    /// Diagonals as in `BdiaCsr`, and the other elements without an array over the rows.
    hybrid BdiaCoo<const B: usize = 16> = Bdia<B> + Coo split sum(value != 0 => 1, _ => 0).group_by(i / B, j - i) > threshold;
}

/// A format with its rank and predicted time.
struct Entrant<'a> {
    advice: Advice,
    /// The time to make the advice.
    seconds: f64,
    /// `None` if the format is refused or too large.
    contestant: Option<Contestant<'a>>,
}

fn enter<'a, F>(problem: &'a Problem<f64>, triplets: &Triplets<f64, 2>, csr: u128) -> Entrant<'a>
where
    F: SparseTensor<2, Scalar = f64> + spmv<Scalar = f64> + 'a,
{
    let start = Instant::now();
    let advice = F::advise(triplets).expect("the matrices have no duplicates");
    let seconds = start.elapsed().as_secs_f64();
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
        Contestant::ours(advice.format(), move |shot| time(shot, || product(&mut y)))
    });
    Entrant {
        advice,
        seconds,
        contestant,
    }
}

/// Returns the lower quartile of the seconds of a product that runs again and again; the mean if it is too short for a clock around each
/// run.
fn time(shot: Shot, mut product: impl FnMut()) -> f64 {
    const SHOT: Duration = Duration::from_millis(1);
    /// Products are too short if more than this number of them fit into one shot.
    const FEW: u32 = 16;
    if shot.repeats > FEW {
        return shot.time(product);
    }
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.is_empty() || start.elapsed() < SHOT {
        times.push(shot.once(&mut product));
    }
    times.sort_by(f64::total_cmp);
    times[(times.len() - 1) / 4]
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

/// Measures the candidates, and prints them in the order of the advice.
fn sample(recipe: &Recipe, family: &str, entries: &Entries<f64>, rules: Rules, threads: usize) -> Sample {
    let problem = Problem::new(Task::Multiply { columns: 1 }, entries);
    let triplets = entries.triplets();
    let (mut advices, mut contestants) = (Vec::new(), Vec::new());
    let mut advising = 0.0;
    for entrant in entrants(&problem, &triplets) {
        advising += entrant.seconds;
        if let Some(contestant) = entrant.contestant {
            advices.push(entrant.advice);
            contestants.push(contestant);
        }
    }
    let halves: Vec<[f64; 2]> = measure(&mut contestants, rules)
        .iter()
        .map(|times| times.least)
        .collect();
    let times: Vec<f64> = halves.iter().map(|[odd, even]| odd.min(*even)).collect();
    let rows = advices.iter().zip(&times).find(|(advice, _)| advice.format() == "Csr");
    let sample = Sample {
        name: recipe.name.clone(),
        family: family.to_owned(),
        set: recipe.set.name(),
        threads,
        products: rows.map_or(f64::NAN, |(_, time)| advising / time),
        noise: [[0, 1], [1, 0]].map(|[chosen, judged]| regret_between(&halves, chosen, judged)),
        formats: advices
            .into_iter()
            .zip(times)
            .map(|(advice, time)| Measured::new(advice, time, threads))
            .collect(),
    };
    print(&sample, entries.len());
    sample
}

/// Returns the regret of the format with the least time in one half of the rounds, in another half.
fn regret_between(halves: &[[f64; 2]], chosen: usize, judged: usize) -> f64 {
    let best = halves.iter().map(|times| times[judged]).fold(f64::INFINITY, f64::min);
    let choice = halves
        .iter()
        .min_by(|left, right| left[chosen].total_cmp(&right[chosen]));
    choice.map_or(0.0, |times| times[judged] / best - 1.0)
}

fn print(sample: &Sample, elements: usize) {
    let mut formats: Vec<&Measured> = sample.formats.iter().collect();
    formats.sort_by(|left, right| left.advice.seconds().total_cmp(&right.advice.seconds()));
    println!("\n{}: {elements} elements, {} threads", sample.name, sample.threads);
    println!(
        "  {:14}  {:>12}  {:>9}  {:>9}  {:>8}  why",
        "format", "bytes", "model ms", "ms", "x fastest"
    );
    for Measured {
        advice, seconds: time, ..
    } in formats
    {
        let (model, slower) = (1e3 * advice.seconds(), time / sample.best());
        let (format, bytes, why) = (advice.format(), advice.bytes(), advice.why());
        println!(
            "  {format:14}  {bytes:>12}  {model:>9.4}  {:>9.4}  {slower:>8.2}  {why}",
            1e3 * time
        );
    }
}

/// Prints what is known of the regrets of each set and number of threads.
fn report(title: &str, regrets: &[(&Sample, f64)]) {
    let mut groups: Vec<(&str, usize)> = regrets.iter().map(|(sample, _)| (sample.set, sample.threads)).collect();
    groups.dedup();
    groups.sort_unstable();
    groups.dedup();
    println!("\n{title}");
    println!("  set        threads  matrices   geomean  within 5 %  within 10 %     worst             products of Csr");
    for (set, threads) in groups {
        let own = || {
            regrets
                .iter()
                .filter(|(sample, _)| (sample.set, sample.threads) == (set, threads))
        };
        let ratios: Vec<f64> = own().map(|(_, regret)| 1.0 + regret).collect();
        let within = |bound: f64| {
            100.0 * ratios.iter().filter(|&&ratio| ratio <= 1.0 + bound).count() as f64 / ratios.len() as f64
        };
        let products: Vec<f64> = own().map(|(sample, _)| sample.products).collect();
        let worst = own()
            .max_by(|left, right| left.1.total_cmp(&right.1))
            .expect("the group is not empty");
        let [mean, products] = [&ratios, &products].map(|all| geometric_mean(all).unwrap_or(f64::NAN));
        println!(
            "  {set:9}  {threads:>7}  {:>8}  {:>7.1} %  {:>8.0} %  {:>9.0} %  {:>6.1} % {:14}  {products:>8.0}",
            ratios.len(),
            100.0 * (mean - 1.0),
            within(0.05),
            within(0.1),
            100.0 * worst.1,
            worst.0.name,
        );
    }
}

fn main() {
    let settings = Settings::of_process();
    harness::memory::always_fresh();
    let sets = match settings.quick {
        true => vec![Set::Small],
        false => vec![Set::Small, Set::Large, Set::Real],
    };
    let samples = Mutex::new(Vec::new());
    harness::on_threads(&settings.threads, |threads| {
        let rules = Rules {
            clock: Clock::for_threads(threads),
            cache: Cache::Warm,
            budget: settings.budget(LONG),
        };
        for (recipe, family) in families(&sets, &settings) {
            match recipe.entries::<f64>() {
                Ok(entries) if entries.len() < FEWEST && recipe.set == Set::Real => {}
                Ok(entries) => {
                    let sample = sample(&recipe, &family, &entries, rules, threads);
                    samples.lock().expect("no sample panics").push(sample);
                }
                Err(error) => println!("SKIPPED {}: {error}", recipe.name),
            }
        }
    });
    let samples = samples.into_inner().expect("no sample panics");
    let given: Vec<(&Sample, f64)> = samples.iter().map(|sample| (sample, sample.regret())).collect();
    report("regret of the advice", &given);
    let noise = samples
        .iter()
        .flat_map(|sample| sample.noise.map(|regret| (sample, regret)));
    report("regret by noise (each matrix twice)", &noise.collect::<Vec<_>>());
    if !settings.quick {
        harness::report::write("advise.csv", &fit::csv(&samples));
    }
    if !settings.quick && settings.matrix.is_none() {
        report(
            "regret with constants fitted without the family",
            &fit::without_own_family(&samples),
        );
        let factors = fit::fit(&samples.iter().collect::<Vec<_>>());
        println!("\nfactors of the shipped constants that fit best: {factors:.3?}");
        let fitted: Vec<_> = samples
            .iter()
            .map(|sample| (sample, sample.regret_with(&factors)))
            .collect();
        report("regret with these", &fitted);
    }
}
