//! Products, set-up and conjugate gradients beside PETSc, on the same ranks.
//!
//! `cargo bench --bench petsc -- --ranks 2 [--rounds 5] [--block 3] [--cg] matrix.mtx[.gz] ..`
//!
//! Options are for the matrices after them: the size of blocks, and whether they are positive definite. Needs PETSC (Debian:
//! `petsc-dev`), `mpicc` and `mpirun`. The two programs run in turn, one thread in each rank; each time is the least of several on the slowest
//! rank, the table has the medians of the rounds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use unisparse::io::read_matrix_market;
use unisparse_mpi::Error;
use unisparse_mpi::prelude::*;

const BATCHES: usize = 25;
const PRODUCTS: usize = 10;

/// The seconds of each measurement.
type Times = BTreeMap<String, f64>;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    match &arguments[..] {
        [word, file, block, cg] if word == "--rank" => {
            if let Err(error) = of_rank(Path::new(file), block.parse().unwrap_or(0), cg == "1") {
                eprintln!("{error}");
                std::process::exit(1);
            }
        }
        _ => compare(arguments),
    }
}

/// Runs both programs in turn on each matrix, and prints a table.
fn compare(arguments: Vec<String>) {
    let scratch = std::env::temp_dir().join(format!("unisparse-petsc-{}", std::process::id()));
    fs::create_dir_all(&scratch).expect("a folder for the data");
    let peer = compiled(&scratch);
    let own = std::env::current_exe().expect("this program has a path");
    let (mut ranks, mut rounds, mut block, mut cg) = ("2".to_owned(), 5, "0".to_owned(), false);
    println!(
        "ranks  matrix                     set-up    Csr / AIJ   best / AIJ          best / BAIJ   CG, each iteration"
    );
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut next = || arguments.next().unwrap_or_default();
        match &argument[..] {
            "--ranks" => ranks = next(),
            "--rounds" => rounds = next().parse().unwrap_or(rounds),
            "--block" => block = next(),
            "--cg" => cg = true,
            path => {
                let file = scratch.join("matrix.bin");
                write(Path::new(path), &file);
                let solves = if cg { "1" } else { "0" };
                let data = [file.display().to_string(), block.clone(), solves.to_owned()];
                let (mut ours, mut theirs) = (Vec::new(), Vec::new());
                for _ in 0..rounds {
                    ours.push(run(&ranks, &own, &[&["--rank".to_owned()], &data[..]].concat()));
                    theirs.push(run(&ranks, &peer, &data));
                }
                print(&ranks, Path::new(path), &medians(&ours), &medians(&theirs));
            }
        }
    }
    let _ = fs::remove_dir_all(&scratch);
}

/// Compiles the program over PETSc.
fn compiled(scratch: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/petsc/peer.c");
    let flags = Command::new("pkg-config")
        .args(["--cflags", "--libs", "PETSc"])
        .output();
    let flags = flags.expect("`pkg-config` finds PETSc (Debian: `petsc-dev`)").stdout;
    let peer = scratch.join("peer");
    let mut mpicc = Command::new("mpicc");
    mpicc
        .arg("-O3")
        .arg(source)
        .arg("-o")
        .arg(&peer)
        .args(String::from_utf8_lossy(&flags).split_whitespace());
    assert!(
        mpicc.arg("-lm").status().is_ok_and(|status| status.success()),
        "`mpicc` compiles the program over PETSc"
    );
    peer
}

/// Writes a matrix as the arrays that both programs read.
fn write(path: &Path, to: &Path) {
    let matrix = read_matrix_market::<f64>(path).expect("a matrix");
    let mut bytes = Vec::new();
    for number in [matrix.shape()[0], matrix.len()] {
        bytes.extend((number as i32).to_ne_bytes());
    }
    for dim in 0..2 {
        bytes.extend(
            matrix
                .coordinates()
                .iter()
                .flat_map(|at| (at[dim] as i32).to_ne_bytes()),
        );
    }
    bytes.extend(matrix.values().iter().flat_map(|value| value.to_ne_bytes()));
    fs::write(to, bytes).expect("the data is written");
}

/// Runs a program on some ranks, and returns the times that it prints.
fn run(ranks: &str, program: &Path, arguments: &[String]) -> Times {
    let output = Command::new("mpirun")
        .args(["-n", ranks])
        .arg(program)
        .args(arguments)
        .envs([
            ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
            ("RAYON_NUM_THREADS", "1"),
            ("OMP_NUM_THREADS", "1"),
        ])
        .stderr(Stdio::inherit())
        .output()
        .expect("`mpirun` starts");
    assert!(
        output.status.success(),
        "{} fails: {}",
        program.display(),
        output.status
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let times = text.lines().filter_map(|line| {
        let (name, time) = line.rsplit_once(' ')?;
        Some((name.to_owned(), time.parse().ok()?))
    });
    times.collect()
}

fn medians(rounds: &[Times]) -> Times {
    let median = |name: &String| {
        let mut times: Vec<f64> = rounds.iter().filter_map(|times| times.get(name).copied()).collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    rounds[0].keys().map(|name| (name.clone(), median(name))).collect()
}

/// Prints how many times as long PETSc takes.
fn print(ranks: &str, path: &Path, ours: &Times, theirs: &Times) {
    let (norm, expected) = (ours["norm"], theirs["norm"]);
    assert!(
        (norm - expected).abs() <= 1e-9 * expected,
        "the products differ: {norm} and {expected}"
    );
    let formats = || ours.iter().filter(|(name, _)| name.starts_with("format "));
    let (best, least) = formats()
        .min_by(|left, right| left.1.total_cmp(right.1))
        .expect("a format");
    let cell = |time: Option<&f64>, own: f64| time.map_or_else(|| "-".to_owned(), |time| format!("{:.2}", time / own));
    let name = path
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let cg = match (ours.get("CG"), theirs.get("CG")) {
        (Some(ours_each), Some(theirs_each)) => {
            let (own, other) = (ours["iterations"], theirs["iterations"]);
            format!("{:.2} ({own} and {other} iterations)", theirs_each / ours_each)
        }
        _ => "-".to_owned(),
    };
    println!(
        "{ranks:>5}  {name:<25} {:>7}    {:>9}   {:>6} {:<12} {:>12}   {cg}",
        cell(theirs.get("setup"), ours["setup"]),
        cell(theirs.get("AIJ"), ours["format Csr"]),
        cell(theirs.get("AIJ"), *least),
        best.trim_start_matches("format "),
        cell(theirs.get("BAIJ"), *least),
    );
}

/// Measures on this rank, and prints on rank 0.
fn of_rank(file: &Path, block: usize, solves: bool) -> Result<(), Error> {
    let world = unisparse_mpi::initialize()?;
    let mine = part(&world, file)?;
    let mut setup = f64::INFINITY;
    let mut a: Option<Distributed<Csr<f64>>> = None;
    for _ in 0..3 {
        drop(a.take());
        world.wait();
        let start = world.seconds();
        a = Some(Distributed::new(&world, &mine)?);
        setup = setup.min(world.greatest(world.seconds() - start));
    }
    let Some(a) = a else { return Ok(()) };
    let say = |name: &str, value: f64| {
        if world.rank() == 0 {
            println!("{name} {value:.9e}");
        }
    };
    say("setup", setup);
    let (seconds, y) = products(&a)?;
    say("format Csr", seconds);
    say("norm", y.norm());
    macro_rules! others {
        ($($name:literal $format:ty),*) => {$(
            if let Ok(converted) = a.convert::<$format, Csr<f64>>() {
                say(concat!("format ", $name), products(&converted)?.0);
            }
        )*};
    }
    others!("Sell" Sell<f64, 8, 64>, "Bdia" Bdia<f64, 64>, "Dia" Dia<f64>, "BdiaCsr" BdiaCsr<f64, 64>, "Ell" Ell<f64>);
    match block {
        2 => others!("Bcsr<2>" Bcsr<f64, 2, 2>),
        3 => others!("Bcsr<3>" Bcsr<f64, 3, 3>),
        6 => others!("Bcsr<6>" Bcsr<f64, 6, 6>),
        _ => {}
    }
    if solves {
        let (each, iterations) = conjugate_gradients(&a, &y)?;
        say("CG", each);
        say("iterations", iterations as f64);
    }
    Ok(())
}

/// Reads this rank's range of the elements.
fn part(world: &World, file: &Path) -> Result<Triplets<f64, 2>, Error> {
    let bytes = fs::read(file).map_err(|error| Error::new(unisparse_mpi::ErrorKind::Io, error.to_string()));
    let bytes = world.agree(bytes)?;
    let word = |at: usize| i32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap_or_default()) as usize;
    let (rows, count) = (word(0), word(4));
    let (rank, size) = (world.rank(), world.size());
    let elements = (count * rank / size..count * (rank + 1) / size).map(|at| {
        let value = 8 + 8 * count + 8 * at;
        let value = f64::from_ne_bytes(bytes[value..value + 8].try_into().unwrap_or_default());
        ([word(8 + 4 * at), word(8 + 4 * (count + at))], value)
    });
    world.agree(Triplets::try_from_triplets([rows, rows], elements))
}

/// Returns the least time of a product in batches, on the slowest rank, and the product.
fn products<F, H>(a: &Distributed<F, H>) -> Result<(f64, DistributedVec<f64>), Error>
where
    F: SparseTensor<2, Scalar = f64> + spmv,
    H: SparseTensor<2, Scalar = f64> + spmv,
{
    let world = a.world();
    let x = DistributedVec::from_fn(world, a.columns(), |i| (i % 17) as f64 - 8.0);
    let mut y = DistributedVec::zeros(world, a.rows());
    let mut least = f64::INFINITY;
    for _ in 0..BATCHES {
        world.wait();
        let start = world.seconds();
        for _ in 0..PRODUCTS {
            spmv(&mut y, a, &x)?;
        }
        least = least.min(world.greatest((world.seconds() - start) / PRODUCTS as f64));
    }
    Ok((least, y))
}

/// Solves `A x = b` with the diagonal as preconditioner. Returns the seconds of an iteration and their number.
fn conjugate_gradients(a: &Distributed<Csr<f64>>, b: &DistributedVec<f64>) -> Result<(f64, usize), Error> {
    let world = a.world();
    let inverse: Vec<f64> = a.diag()?.own().iter().map(|value| 1.0 / value).collect();
    let scale = |z: &mut DistributedVec<f64>, r: &DistributedVec<f64>| {
        let elements = z.own_mut().iter_mut().zip(r.own()).zip(&inverse);
        elements.for_each(|((z, r), inverse)| *z = r * inverse);
    };
    let (mut least, mut iterations) = (f64::INFINITY, 0);
    for _ in 0..5 {
        world.wait();
        let start = world.seconds();
        let mut x = DistributedVec::zeros(world, a.rows());
        let (mut r, mut z, mut q) = (b.clone(), x.clone(), x.clone());
        scale(&mut z, &r);
        let (mut p, mut rz, goal) = (z.clone(), r.dot(&z)?, 1e-8 * b.dot(b)?.sqrt());
        iterations = 0;
        while r.dot(&r)?.sqrt() > goal && iterations < 2000 {
            spmv(&mut q, a, &p)?;
            let step = rz / p.dot(&q)?;
            x.axpy(step, &p)?;
            r.axpy(-step, &q)?;
            scale(&mut z, &r);
            let before = std::mem::replace(&mut rz, r.dot(&z)?);
            let factor = rz / before;
            p.own_mut()
                .iter_mut()
                .zip(z.own())
                .for_each(|(p, z)| *p = z + factor * *p);
            iterations += 1;
        }
        least = least.min(world.greatest(world.seconds() - start) / iterations.max(1) as f64);
    }
    Ok((least, iterations))
}
