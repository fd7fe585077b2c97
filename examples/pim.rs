//! The figures on processing in memory of the UniSparse paper, modelled: load imbalance, speed-up and roofline of `C2sr`, `Cisr`
//! and `CisrPlus` on 1024 and 2048 cores; and a format that divides long rows among cores.
//!
//! ```sh
//! cargo run --release --features pim --example pim -- OUT a.mtx.gz b.mtx.gz ..
//! ```
//!
//! writes `cores.csv` and, for each number of cores, `imbalance_P.svg`, `time_P.svg` and `roofline_P.svg` to the folder `OUT`.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use unisparse::pim::{self, Device, Report};
use unisparse::prelude::*;
use unisparse::{Triplets, pim_kernel};

sparse_format! {
    /// Rows in pieces of `PIECE` neighbours, the longest pieces first, each to the core with the fewest elements so far.
    pub format Pieces<const P: usize = 2, const PIECE: usize = 64> = |i, j| (core, row: i, col: j)
        where {
            n    = enumerate(_ => 0).group_by(i).traverse_by(j);
            len  = sum(value != 0 => 1, _ => 0).group_by(i, n / PIECE);
            rank = reorder(len, descending).traverse_by(i);
            core = schedule(len, P).traverse_by(rank);
        } { merge(core, row); trim(row..=col); partition(core); }
}

const FORMATS: [&str; 4] = ["C2SR", "CISR", "CISR-plus", "Pieces"];

/// Returns the reports of all formats on this number of cores, after checking the results.
macro_rules! reports {
    ($triplets:expr, $x:expr, $cores:literal) => {{
        let rows: Csr<f32> = $triplets.convert()?;
        let mut y = vec![0.0; rows.shape()[0]];
        spmv(&mut y, &rows, &$x[..])?;
        macro_rules! report {
            ($kernel:expr, $kind:ty) => {{
                let a: $kind = $triplets.convert()?;
                let run = pim::run(&Device::blimp($cores), &$kernel, &a, &[$x])?;
                assert!(run.y == y, "the cores compute other sums");
                run.report
            }};
        }
        [
            report!(pim_kernel!(unisparse::kernels::spmv, A: C2sr<f32, $cores>), C2sr<f32, $cores>),
            report!(pim_kernel!(unisparse::kernels::spmv, A: Cisr<f32, $cores>), Cisr<f32, $cores>),
            report!(pim_kernel!(unisparse::kernels::spmv, A: CisrPlus<f32, $cores>), CisrPlus<f32, $cores>),
            report!(pim_kernel!(unisparse::kernels::spmv, A: Pieces<f32, $cores, 64>), Pieces<f32, $cores, 64>),
        ]
    }};
}

/// A matrix on one number of cores.
struct Study {
    name: String,
    reports: [Report; 4],
    /// The least greatest load, if rows stay whole and if they do not.
    bounds: [u64; 2],
}

fn study(path: &Path, cores: usize) -> Result<Study, Box<dyn Error>> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let name = file.trim_end_matches(".gz").trim_end_matches(".mtx").to_owned();
    // Values of one, so that sums are exact in every order.
    let read: Triplets<f32, 2> = unisparse::io::read_matrix_market(path)?;
    let ones: Vec<([usize; 2], f32)> = read.iter().map(|(at, _)| (at, 1.0)).collect();
    let triplets = Triplets::try_from_triplets(read.shape(), ones)?;
    let x: Vec<f32> = (0..read.shape()[1]).map(|at| (at % 5) as f32).collect();
    let mut lengths = vec![0; read.shape()[0]];
    triplets.iter().for_each(|([i, _], _)| lengths[i] += 1);
    let reports = match cores {
        1024 => reports!(triplets, &x, 1024),
        _ => reports!(triplets, &x, 2048),
    };
    let elements = triplets.len() as u64;
    let bounds = [
        pim::lower_bound(elements, cores, lengths),
        pim::lower_bound(elements, cores, []),
    ];
    Ok(Study { name, reports, bounds })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let out = arguments
        .next()
        .ok_or("the first argument is a folder for the figures")?;
    let paths: Vec<PathBuf> = arguments.collect();
    std::fs::create_dir_all(&out)?;
    let mut csv = "matrix,cores,format,elements,greatest_load,bound_whole_rows,bound,imbalance,makespan_seconds,\
                   speedup_over_c2sr,flop_per_byte,gflops,roof_gflops,host_additions\n"
        .to_owned();
    for cores in [1024, 2048] {
        let mut studies = Vec::new();
        for path in &paths {
            let study = study(path, cores)?;
            let slowest = study.reports[0].makespan();
            for (name, report) in FORMATS.iter().zip(&study.reports) {
                let roofline = report.roofline();
                writeln!(
                    csv,
                    "{},{cores},{name},{},{},{},{},{:.3},{:.4e},{:.3},{:.4},{:.3},{:.3},{}",
                    study.name,
                    report.elements(),
                    report.greatest_load(),
                    study.bounds[0],
                    study.bounds[1],
                    report.imbalance(),
                    report.makespan(),
                    slowest / report.makespan(),
                    roofline.intensity,
                    1e-9 * roofline.flops,
                    1e-9 * roofline.roof(),
                    report.shared
                )?;
            }
            println!("{}\n{}", study.name, study.reports[2]);
            studies.push(study);
        }
        figures(&out, cores, &studies)?;
        summary(cores, &studies);
    }
    print!("{csv}");
    std::fs::write(out.join("cores.csv"), csv)?;
    Ok(())
}

fn figures<'a>(out: &Path, cores: usize, studies: &'a [Study]) -> std::io::Result<()> {
    let groups = |value: &dyn Fn(&Study, &Report) -> f64,
                  bound: &dyn Fn(&Study) -> Option<f64>|
     -> Vec<(&'a str, Vec<f64>, Option<f64>)> {
        let group = |study: &'a Study| {
            let Study { name, reports, .. } = study;
            let values = reports.iter().map(|report| value(study, report)).collect();
            (name.as_str(), values, bound(study))
        };
        studies.iter().map(group).collect()
    };
    let mean = |study: &Study| study.reports[0].elements() as f64 / cores as f64;
    let imbalance = groups(&|_, report| report.imbalance(), &|study| {
        Some(study.bounds[0] as f64 / mean(study))
    });
    let title = format!("Load imbalance on {cores} cores, bound for whole rows");
    let draw = |name: &str, title: &str, unit: &str, groups: &[(&str, Vec<f64>, Option<f64>)]| {
        std::fs::write(
            out.join(format!("{name}_{cores}.svg")),
            pim::chart(title, unit, &FORMATS, groups),
        )
    };
    draw("imbalance", &title, "greatest / mean", &imbalance)?;
    let time = groups(&|_, report| 1e6 * report.makespan(), &|_| None);
    draw(
        "time",
        &format!("Modelled time of a product on {cores} cores"),
        "microseconds",
        &time,
    )?;
    let flops = groups(&|_, report| 1e-9 * report.roofline().flops, &|study| {
        Some(1e-9 * study.reports[0].roofline().roof())
    });
    draw(
        "roofline",
        &format!("Modelled throughput on {cores} cores, bound by the roofline"),
        "GFLOP/s",
        &flops,
    )
}

fn summary(cores: usize, studies: &[Study]) {
    for (at, name) in FORMATS.iter().enumerate() {
        let logs = studies
            .iter()
            .map(|study| (study.reports[0].makespan() / study.reports[at].makespan()).ln());
        let mean = (logs.sum::<f64>() / studies.len().max(1) as f64).exp();
        println!("{cores} cores: {name} is {mean:.3} times as fast as C2SR (geometric mean, modelled)\n");
    }
}
