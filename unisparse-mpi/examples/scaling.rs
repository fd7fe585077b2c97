//! Products of real matrices on the ranks of this run, beside the model; and what the model says of up to 4,096 ranks.
//!
//! `mpirun -n 2 cargo run --release --example scaling [--latency us] [--bandwidth GB/s] matrix.mtx ..`
//!
//! Measures the network of this run, and `y = A x` over `Csr` for each matrix. Then predicts numbers of ranks that this machine
//! does not have, each with memory and threads of its own: on the measured network, or on that of the options. Without an
//! option, the last matrix is one of 10^10 elements that is nowhere: seven diagonals, as of a grid of 1127^3 points. The
//! predictions are written as CSV and drawn as SVG.

use std::fmt::Write as _;
use std::path::PathBuf;

use unisparse_mpi::prelude::*;
use unisparse_mpi::{Error, ErrorKind, Network, Plan, Prediction};

/// Numbers of ranks for which the model predicts.
const RANKS: [usize; 13] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
const REPETITIONS: usize = 201;

/// A matrix, and its prediction for each number of ranks.
type Curve = (String, Vec<Prediction>);

fn main() -> Result<(), Error> {
    let world = unisparse_mpi::initialize()?;
    let measured = Network::measure(&world);
    let mut network = measured;
    let mut paths = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|word| word.parse::<f64>().ok());
        match &argument[..] {
            "--latency" => network.latency = 1e-6 * number().unwrap_or(0.0),
            "--bandwidth" => network.byte = 1e-9 / number().unwrap_or(f64::INFINITY),
            path => paths.push(PathBuf::from(path)),
        }
    }
    if world.rank() == 0 {
        println!("measured: {measured:?}\npredicted on: {network:?}\n");
    }
    let mut curves = Vec::new();
    for path in &paths {
        let a: Distributed<Csr<f64>> = Distributed::read_matrix_market(&world, path)?;
        let seconds = time_products(&a)?;
        let all = a.gather(0)?;
        let curve = all.map(|all| predict(path, &all, world.size(), &measured, &network, seconds));
        curves.extend(world.agree(curve.transpose())?);
    }
    let drawn = match world.rank() {
        0 if network.latency == 0.0 => {
            println!("One rank has no network: give --latency and --bandwidth to predict other numbers of ranks.");
            Ok(())
        }
        0 => stencil(&network).and_then(|curve| {
            curves.push(curve);
            write(&curves)
        }),
        _ => Ok(()),
    };
    world.agree(drawn)
}

/// Returns the seconds of a product on the slowest rank: the least, and the median of all repetitions.
fn time_products(a: &Distributed<Csr<f64>>) -> Result<[f64; 2], Error> {
    let world = a.world();
    let x = DistributedVec::from_fn(world, a.columns(), |i| i as f64);
    let mut y = DistributedVec::zeros(world, a.rows());
    let mut seconds = Vec::new();
    for _ in 0..REPETITIONS {
        world.wait();
        let start = world.seconds();
        spmv(&mut y, a, &x)?;
        seconds.push(world.greatest(world.seconds() - start));
    }
    seconds.sort_by(f64::total_cmp);
    Ok([seconds[0], seconds[REPETITIONS / 2]])
}

/// Prints the plan and the prediction for this run beside the measured time, and returns the predictions for other runs.
fn predict(
    path: &std::path::Path,
    all: &Triplets<f64, 2>,
    ranks: usize,
    measured: &Network,
    network: &Network,
    seconds: [f64; 2],
) -> Result<Curve, Error> {
    let name = path
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (plan, here) = Plan::predict::<Csr<f64>, Csr<f64>, _>(all, ranks, measured)?;
    println!(
        "{name}: {plan}  {} messages of {} bytes in all",
        plan.messages(),
        plan.bytes(8)
    );
    let [least, median] = seconds.map(|seconds| 1e6 * seconds);
    println!("  measured {least:.1} us (least), {median:.1} us (median); predicted {here}\n");
    let predictions = RANKS
        .iter()
        .map(|ranks| Ok(Plan::predict::<Csr<f64>, Csr<f64>, _>(all, *ranks, network)?.1));
    Ok((name, predictions.collect::<Result<_, Error>>()?))
}

/// Predicts products of a stencil of 10^10 elements, from the advice on one of a smaller grid.
fn stencil(network: &Network) -> Result<Curve, Error> {
    let diagonals = |side: i64| [-side * side, -side, -1, 0, 1, side, side * side];
    let (small, large) = (64_i64, 1127_i64);
    let rows = small.pow(3);
    let elements = (0..rows).flat_map(|i| {
        let columns = diagonals(small)
            .map(|k| i + k)
            .into_iter()
            .filter(|j| (0..rows).contains(j));
        columns
            .map(move |j| ([i as usize, j as usize], 1.0))
            .collect::<Vec<_>>()
    });
    let smaller: Triplets<f64, 2> = Triplets::try_from_triplets([rows as usize; 2], elements)?;
    let advice = Csr::<f64>::advise(&smaller)?;
    let predictions = RANKS.iter().map(|ranks| {
        let plan = Plan::of_diagonals(large.pow(3) as usize, &diagonals(large), *ranks);
        if [64, 1024, 4096].contains(ranks) {
            println!(
                "{plan}  {} messages of {} bytes in all\n",
                plan.messages(),
                plan.bytes(8)
            );
        }
        plan.extrapolate(&advice, smaller.len(), network, 8)
    });
    Ok((format!("7 diagonals of {large}^3 rows"), predictions.collect()))
}

/// Writes the predictions, and prints where they stop to scale.
fn write(curves: &[Curve]) -> Result<(), Error> {
    let mut table = "matrix,ranks,seconds,own,halo,messages,latency,hidden,why\n".to_owned();
    for (name, predictions) in curves {
        for (ranks, p) in RANKS.iter().zip(predictions) {
            let (seconds, why) = (p.seconds(), p.why());
            let numbers = [seconds, p.own, p.halo, p.messages, p.latency, p.hidden].map(|number| format!("{number:e}"));
            let _ = writeln!(table, "{name},{ranks},{},{why}", numbers.join(","));
        }
        let best = (0..RANKS.len()).min_by(|a, b| predictions[*a].seconds().total_cmp(&predictions[*b].seconds()));
        // The last number of ranks up to which each doubling takes at most 1 / 1.5 of the time.
        let pairs = predictions.windows(2);
        let scales = pairs
            .take_while(|pair| pair[0].seconds() >= 1.5 * pair[1].seconds())
            .count();
        let (last, fastest) = (RANKS[scales], RANKS[best.unwrap_or(0)]);
        let next = predictions.get(scales + 1).unwrap_or(&predictions[scales]);
        println!(
            "{name}: doubling the ranks pays up to {last}, then most of the time is {}; fastest on {fastest} ranks, {:.0} times as fast as on one",
            next.why(),
            predictions[0].seconds() / predictions[best.unwrap_or(0)].seconds()
        );
    }
    let folder = std::env::temp_dir();
    let written = std::fs::write(folder.join("unisparse-scaling.csv"), table)
        .and_then(|()| std::fs::write(folder.join("unisparse-scaling.svg"), draw(curves)));
    written.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?;
    println!(
        "The predictions are in {}.",
        folder.join("unisparse-scaling.{csv,svg}").display()
    );
    Ok(())
}

/// Draws how many times as fast as on one rank each matrix is, on logarithmic axes.
fn draw(curves: &[Curve]) -> String {
    const COLOURS: [&str; 6] = ["#3566b0", "#d97b29", "#4a9a52", "#8e57a8", "#b3404a", "#6b7785"];
    let doublings = (RANKS.len() - 1) as f64;
    let x = |ranks: usize| 60.0 + 560.0 * (ranks as f64).log2() / doublings;
    let y = |times: f64| 370.0 - 320.0 * times.max(0.5).log2() / doublings;
    let mut svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 420\" font-family=\"sans-serif\" font-size=\"12\">\n\
                   <rect width=\"880\" height=\"420\" fill=\"#ffffff\"/>\n\
                   <text x=\"60\" y=\"24\">Times as fast as on one rank, predicted, over the number of ranks</text>\n"
        .to_owned();
    for ranks in RANKS {
        let (at, up) = (x(ranks), y(ranks as f64));
        let _ = writeln!(
            svg,
            "<line x1=\"{at}\" y1=\"50\" x2=\"{at}\" y2=\"370\" stroke=\"#dde2e8\"/>"
        );
        let _ = writeln!(svg, "<text x=\"{at}\" y=\"390\" text-anchor=\"middle\">{ranks}</text>");
        let _ = writeln!(
            svg,
            "<text x=\"52\" y=\"{}\" text-anchor=\"end\">{ranks}</text>",
            up + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<line x1=\"60\" y1=\"370\" x2=\"620\" y2=\"50\" stroke=\"#9aa5b1\" stroke-dasharray=\"4 4\"/>"
    );
    for ((name, predictions), (number, colour)) in curves.iter().zip(COLOURS.iter().cycle().enumerate()) {
        let points = RANKS.iter().zip(predictions);
        let points =
            points.map(|(ranks, p)| format!("{:.1},{:.1}", x(*ranks), y(predictions[0].seconds() / p.seconds())));
        let points = points.collect::<Vec<_>>().join(" ");
        let _ = writeln!(
            svg,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        );
        let down = 60 + 20 * number;
        let _ = writeln!(svg, "<text x=\"640\" y=\"{down}\" fill=\"{colour}\">{name}</text>");
    }
    svg + "</svg>\n"
}
