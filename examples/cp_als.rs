//! Approximates a tensor by a sum of a few rank-one tensors, by alternating least squares (CP-ALS).
//!
//! `cargo run --release --example cp_als [tensor.tns[.gz]]`
//!
//! Prints the fit after each iteration, then each term: its weight, and the coordinates of each dim that matter most in it.
//! Without a file, the tensor is made of three overlapping blocks. The fit is checked against one that is summed from the
//! elements of the tensor, and the factors are written as CSV.

use std::error::Error;
use std::fmt::Write as _;

use unisparse::io::read_tns;
use unisparse::prelude::*;

sparse_kernel! {
    fn mttkrp_a: M[i, r] = X[i, j, k] * B[j, r] * C[k, r] where X: Csf;
    fn mttkrp_b: M[j, r] = X[i, j, k] * A[i, r] * C[k, r] where X: Csf;
    fn mttkrp_c: M[k, r] = X[i, j, k] * A[i, r] * B[j, r] where X: Csf;
    fn square: s = X[i, j, k] * X[i, j, k] where X: Csf;
}

/// The number of rank-one tensors.
pub(crate) const RANK: usize = 8;
const MOST_ITERATIONS: usize = 50;

/// For each dim one row of `RANK` numbers for each coordinate: entry `r` of all rows is a vector of term `r`.
pub(crate) type Factors = [Vec<f64>; 3];
type Square = [[f64; RANK]; RANK];

fn main() -> Result<(), Box<dyn Error>> {
    let triplets: Triplets<f64, 3> = match std::env::args_os().nth(1) {
        Some(path) => read_tns(path)?,
        None => blocks()?,
    };
    let x: Csf<f64> = triplets.convert()?;
    println!("{:?}, {} elements", x.shape(), x.nnz());
    let mttkrp = |dim: usize, [a, b, c]: &Factors| match dim {
        0 => kernel(x.shape()[0], |m| mttkrp_a(m, &x, b, c)),
        1 => kernel(x.shape()[1], |m| mttkrp_b(m, &x, a, c)),
        _ => kernel(x.shape()[2], |m| mttkrp_c(m, &x, a, b)),
    };
    let mut factors = start(x.shape());
    let norm = square(&x)?;
    let mut fit = 0.0;
    for iteration in 1..=MOST_ITERATIONS {
        let before = std::mem::replace(&mut fit, improve(&mut factors, norm, mttkrp)?);
        let settled = (fit - before).abs() < 1e-5;
        if iteration <= 3 || iteration % 10 == 0 || settled {
            println!("{iteration:>3} fit {fit:.6}");
        }
        if settled {
            break;
        }
    }
    let summed = summed_fit(&x, &factors);
    println!("the fit summed from the elements is {summed:.6}");
    if (fit - summed).abs() > 1e-6 {
        return Err("the fit is wrong".into());
    }
    show(&factors);
    let written = std::env::temp_dir().join("unisparse-cp-als.csv");
    std::fs::write(&written, table(&factors)?)?;
    println!("The factors are in {}.", written.display());
    Ok(())
}

/// Returns the fit without a kernel: `|X - M|²` is that of the elements, and of the model where `X` has none.
fn summed_fit(x: &Csf<f64>, [a, b, c]: &Factors) -> f64 {
    let model = |[i, j, k]: [usize; 3]| -> f64 {
        (0..RANK)
            .map(|r| a[i * RANK + r] * b[j * RANK + r] * c[k * RANK + r])
            .sum()
    };
    let (mut square, mut distance, mut inside) = (0.0, 0.0, 0.0);
    for (at, value) in x {
        square += value * value;
        distance += (value - model(at)).powi(2);
        inside += model(at).powi(2);
    }
    // The square of the whole model, of which the part at the elements has been counted.
    let mut whole = 0.0;
    for r in 0..RANK {
        for s in 0..RANK {
            let product = |factor: &[f64]| factor.chunks_exact(RANK).map(|row| row[r] * row[s]).sum::<f64>();
            whole += product(a) * product(b) * product(c);
        }
    }
    1.0 - ((distance + whole - inside).max(0.0) / square).sqrt()
}

/// Returns the length of each vector of a factor.
fn lengths(factor: &[f64]) -> [f64; RANK] {
    core::array::from_fn(|r| factor.chunks_exact(RANK).map(|row| row[r] * row[r]).sum::<f64>().sqrt())
}

/// Prints the terms, the heaviest first, with the coordinates that have the greatest entries.
fn show(factors: &Factors) {
    let lengths = factors.each_ref().map(|factor| lengths(factor));
    let weight = |r: usize| lengths.iter().map(|lengths| lengths[r]).product::<f64>();
    let mut order: Vec<usize> = (0..RANK).collect();
    order.sort_by(|&r, &s| weight(s).total_cmp(&weight(r)));
    for (place, r) in order.into_iter().enumerate() {
        println!("term {}, weight {:.3}", place + 1, weight(r));
        for (dim, factor) in factors.iter().enumerate() {
            let mut rows: Vec<(usize, f64)> = factor
                .chunks_exact(RANK)
                .map(|row| row[r] / lengths[dim][r].max(f64::MIN_POSITIVE))
                .enumerate()
                .collect();
            rows.sort_by(|(_, x), (_, y)| y.abs().total_cmp(&x.abs()));
            let most: Vec<String> = rows
                .iter()
                .take(5)
                .map(|(at, value)| format!("{} ({value:.2})", at + 1))
                .collect();
            println!("  {}: {}", ["i", "j", "k"][dim], most.join(", "));
        }
    }
}

fn table(factors: &Factors) -> Result<String, std::fmt::Error> {
    let mut text = "dim,coordinate,term,value\n".to_owned();
    for (dim, factor) in factors.iter().enumerate() {
        for (at, value) in factor.iter().enumerate() {
            writeln!(
                text,
                "{},{},{},{value:e}",
                ["i", "j", "k"][dim],
                at / RANK + 1,
                at % RANK + 1
            )?;
        }
    }
    Ok(text)
}

fn kernel(
    rows: usize,
    run: impl FnOnce(&mut Vec<f64>) -> Result<(), unisparse::Error>,
) -> Result<Vec<f64>, unisparse::Error> {
    let mut m = vec![0.0; rows * RANK];
    run(&mut m)?;
    Ok(m)
}

/// Returns three overlapping blocks, if no file is given.
fn blocks() -> Result<Triplets<f64, 3>, unisparse::Error> {
    let cells = |from: usize, extent: usize| {
        (0..extent * extent * extent)
            .map(move |at| [at / extent / extent, at / extent % extent, at % extent].map(|place| from + place))
    };
    let all = [(0, 12), (8, 10), (15, 5)]
        .into_iter()
        .flat_map(|(from, extent)| cells(from, extent));
    Triplets::try_from_triplets(
        [20, 20, 20],
        all.map(|[i, j, k]| ([i, j, k], 1.0 + (i + 2 * j + 3 * k) as f64 / 60.0)),
    )
}

/// Returns the initial factors, which are the same in every run.
pub(crate) fn start(shape: [usize; 3]) -> Factors {
    let mut state = 1u64;
    shape.map(|extent| {
        let mut number = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        (0..extent * RANK).map(|_| number()).collect()
    })
}

/// Computes the best factor of each dim in turn, with the others fixed. Returns the fraction of the squared norm `square` of
/// the tensor that the sum of rank-one tensors explains.
pub(crate) fn improve<E>(
    factors: &mut Factors,
    square: f64,
    mttkrp: impl Fn(usize, &Factors) -> Result<Vec<f64>, E>,
) -> Result<f64, E> {
    let mut inner = 0.0;
    for dim in 0..3 {
        let product = mttkrp(dim, factors)?;
        let [left, right] = [(dim + 1) % 3, (dim + 2) % 3].map(|other| gram(&factors[other]));
        factors[dim] = solved(&by_element(&left, &right), &product);
        inner = product.iter().zip(&factors[dim]).map(|(x, y)| x * y).sum();
        if dim < 2 {
            // Only the last factor keeps its lengths.
            normalize(&mut factors[dim]);
        }
    }
    let [a, b, c] = [0, 1, 2].map(|dim| gram(&factors[dim]));
    let model: f64 = by_element(&by_element(&a, &b), &c).as_flattened().iter().sum();
    Ok(1.0 - ((square - 2.0 * inner + model).max(0.0) / square).sqrt())
}

/// Returns the scalar products of the columns.
fn gram(factor: &[f64]) -> Square {
    let mut gram = [[0.0; RANK]; RANK];
    for row in factor.chunks_exact(RANK) {
        for (sums, left) in gram.iter_mut().zip(row) {
            sums.iter_mut().zip(row).for_each(|(sum, right)| *sum += left * right);
        }
    }
    gram
}

fn by_element(left: &Square, right: &Square) -> Square {
    core::array::from_fn(|r| core::array::from_fn(|s| left[r][s] * right[r][s]))
}

/// Solves `y A = x` for each row `x`, by a Cholesky factorisation of the symmetric positive `A`.
fn solved(a: &Square, rows: &[f64]) -> Vec<f64> {
    let mut l = *a;
    for r in 0..RANK {
        for s in 0..=r {
            let sum = l[r][s] - (0..s).map(|t| l[r][t] * l[s][t]).sum::<f64>();
            // A pivot of linearly dependent columns is zero; a small multiple of the diagonal keeps it positive.
            l[r][s] = if r == s {
                sum.max(1e-12 * a[r][r]).sqrt()
            } else {
                sum / l[s][s]
            };
        }
    }
    let mut solved = rows.to_vec();
    for row in solved.chunks_exact_mut(RANK) {
        for r in 0..RANK {
            row[r] = (row[r] - (0..r).map(|t| l[r][t] * row[t]).sum::<f64>()) / l[r][r];
        }
        for r in (0..RANK).rev() {
            row[r] = (row[r] - (r + 1..RANK).map(|t| l[t][r] * row[t]).sum::<f64>()) / l[r][r];
        }
    }
    solved
}

/// Divides each column by its length.
fn normalize(factor: &mut [f64]) {
    let gram = gram(factor);
    for row in factor.chunks_exact_mut(RANK) {
        for (r, value) in row.iter_mut().enumerate() {
            *value /= gram[r][r].sqrt().max(f64::MIN_POSITIVE);
        }
    }
}
