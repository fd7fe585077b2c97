//! Products on a device: ours against every algorithm of cuSPARSE, in both precisions, beside the bandwidth of copies.
//!
//! `cargo bench -p benches --features cuda --bench gpu [-- --matrix p3d7 --scalar f32 --columns 32 ..]`
//!
//! The contestants of a comparison run in turn, round after round, and the device measures the time of many products between
//! two events. The report has the median of each, the bytes of its arrays and vectors over this time, and the time of the
//! best algorithm of cuSPARSE over it. Preprocessing and conversions are not measured. Every result is checked against that
//! of the processor. Without a device, or without cuSPARSE, the bench says so.

mod contestant;
mod cusparse;
#[path = "../harness/mod.rs"]
mod harness;
mod ours;
mod problem;

use std::rc::Rc;

use contestant::{Contestant, measure};
use cusparse::{Library, Value};
use harness::matrices::{Recipe, Set, recipes};
use harness::settings::Settings;
use problem::Problem;
use unisparse::cuda::{Element, Gpu};

/// Products with more columns need matrices of fewer elements.
const WIDTHS: [usize; 3] = [1, 32, 128];

fn main() {
    let settings = Settings::of_process();
    let gpu = match Gpu::open(0) {
        Ok(gpu) => gpu,
        Err(error) => return println!("IGNORED: no device: {error}"),
    };
    let library = Library::open();
    match &library {
        Ok(library) => println!("{}, cuSPARSE {}", gpu.name(), library.version),
        Err(error) => println!("{}; IGNORED: no cuSPARSE: {error}", gpu.name()),
    }
    let library = library.ok();
    let copy = library.as_ref().and_then(|library| match library.copy_bandwidth() {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            println!("FAILED: copies: {error}");
            None
        }
    });
    if let Some(copy) = copy {
        println!("copies: {:.0} GB/s", copy / 1e9);
    }
    for recipe in matrices(&settings) {
        for columns in WIDTHS
            .into_iter()
            .filter(|columns| settings.columns.is_none_or(|wanted| wanted == *columns))
        {
            let is_wanted = |scalar: &str| settings.scalar.as_ref().is_none_or(|wanted| wanted == scalar);
            if is_wanted("f32") {
                compare::<f32>(&gpu, library.as_ref(), &recipe, columns, copy);
            }
            if is_wanted("f64") {
                compare::<f64>(&gpu, library.as_ref(), &recipe, columns, copy);
            }
        }
    }
}

fn matrices(settings: &Settings) -> Vec<Recipe> {
    if let Some(path) = settings.matrix.as_ref().filter(|name| name.contains(".mtx")) {
        return vec![Recipe::read(path, Set::Real, path.into())];
    }
    let set = if settings.quick { Set::Small } else { Set::Large };
    let mut all = recipes(&[set], settings.scale);
    if let Some(name) = &settings.matrix {
        all.retain(|recipe| recipe.name.contains(name.as_str()));
    }
    all
}

/// Prints one comparison.
fn compare<T: Value + Element<Result = T>>(
    gpu: &Gpu,
    library: Option<&Rc<Library>>,
    recipe: &Recipe,
    columns: usize,
    copy: Option<f64>,
) {
    let problem = recipe
        .entries::<T>()
        .and_then(|entries| Problem::new(&entries, columns));
    let problem = match problem {
        Ok(problem) => problem,
        Err(error) => return println!("SKIPPED {}: {error}", recipe.name),
    };
    println!(
        "\n{}, {} elements, {columns} columns, {}",
        recipe.name,
        problem.csr.nnz(),
        <T as harness::matrices::Element>::NAME
    );
    let peers = library.map_or_else(Vec::new, |library| cusparse::products(library, &problem));
    let mut contestants: Vec<Contestant<'_>> = Vec::new();
    for contestant in ours::products(gpu, &problem).into_iter().chain(peers) {
        match contestant {
            Ok(contestant) => contestants.push(contestant),
            Err(error) => println!("SKIPPED {error}"),
        }
    }
    let times = measure(&mut contestants);
    let measured: Vec<(&Contestant<'_>, Result<f64, String>)> = contestants
        .iter()
        .zip(times)
        .map(|(contestant, time)| {
            let checked = time.and_then(|time| problem.check(&(contestant.result)()?).map(|()| time));
            (contestant, checked)
        })
        .collect();
    let of_peers = measured
        .iter()
        .filter(|(contestant, _)| contestant.name.starts_with("cuSPARSE"));
    let best = of_peers
        .filter_map(|(_, time)| time.as_ref().ok().copied())
        .reduce(f64::min);
    println!(
        "{:24} {:>10} {:>8} {:>9} {:>10}",
        "", "us", "GB/s", "of copies", "best peer/"
    );
    for (Contestant { name, bytes, .. }, time) in &measured {
        match time {
            Ok(time) => {
                let bandwidth = *bytes as f64 / (time / 1e3);
                let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
                println!(
                    "{name:24} {:>10.1} {:>8.0} {:>9} {:>10}",
                    time * 1e3,
                    bandwidth / 1e9,
                    or_dash(copy.map(|copy| format!("{:.0} %", 100.0 * bandwidth / copy))),
                    or_dash(best.map(|best| format!("{:.2}", best / time))),
                );
            }
            Err(error) => println!("FAILED {name}: {error}"),
        }
    }
}
