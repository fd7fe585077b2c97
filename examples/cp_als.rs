//! Approximates a tensor by a sum of a few rank-one tensors, by alternating least squares (CP-ALS).
//!
//! `cargo run --release --example cp_als [tensor.tns[.gz]]`

use std::error::Error;

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
    for iteration in 1..=10 {
        let fit = improve(&mut factors, square(&x)?, mttkrp)?;
        println!("{iteration:>3} fit {fit:.6}");
    }
    Ok(())
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
