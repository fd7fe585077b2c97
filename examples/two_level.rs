//! A two-level method: nodes are joined to aggregates, the coarse matrix is the product `Pᵀ A P`, and the
//! two levels precondition conjugate gradients.
//!
//! `cargo run --release --example two_level [matrix.mtx[.gz]]`
//!
//! The matrix is symmetric and positive definite, as of a diffusion problem, or negative definite and taken with the other sign. `Pᵀ A P` is one kernel; it is checked against
//! two products with random vectors that are summed from the triplets. The residuals are written as CSV.

mod solver;

use std::error::Error;
use std::time::Instant;

use solver::{Precondition, System, TOLERANCE, cg, error_of, residual_of, scale, write_residuals};
use unisparse::kernels::transpose;
use unisparse::prelude::*;

sparse_kernel! {
    /// The coarse matrix. `P` comes transposed, as `R`, so that its columns are looked up as rows.
    fn coarse: C[a, b] = R[a, k] * A[k, l] * P[l, b] where R: Csr, A: Csr, P: Csr, C: Csr;
    /// A smoothed interpolation: what one step of Jacobi makes of `T`, in one statement.
    fn smoothed: P[i, a] = T[i, a] - w[i] * A[i, k] * T[k, a] where T: Csr, A: Csr, P: Csr;
    /// One step of Jacobi: `next = x + w (b - A x)`.
    fn jacobi: next[i] = x[i] + w[i] * b[i] - w[i] * A[i, j] * x[j] where A: Csr;
    /// The residual, and the corrections between the levels.
    fn residual: d[i] = b[i] - A[i, j] * x[j] where A: Csr;
    fn restrict: c[a] = R[a, i] * d[i] where R: Csr;
    fn correct: x[i] += P[i, a] * e[a] where P: Csr;
}

type Result<T> = std::result::Result<T, unisparse::Error>;

/// Joins each node to the neighbours that are coupled to it strongly, and returns the number of each node's aggregate, and how
/// many there are.
fn aggregates(a: &Csr<f64>, diagonal: &[f64]) -> (Vec<usize>, usize) {
    let nodes = diagonal.len();
    let strong: Vec<Vec<usize>> = (0..nodes)
        .map(|i| {
            let is_strong = |&(j, value): &(usize, f64)| j != i && value * value > 0.0064 * diagonal[i] * diagonal[j];
            a.row(i).filter(is_strong).map(|(j, _)| j).collect()
        })
        .collect();
    let (mut of, mut count) = (vec![usize::MAX; nodes], 0);
    // First nodes whose neighbours are all free, with these.
    for i in 0..nodes {
        if of[i] == usize::MAX && strong[i].iter().all(|&j| of[j] == usize::MAX) {
            of[i] = count;
            strong[i].iter().for_each(|&j| of[j] = count);
            count += 1;
        }
    }
    // Then each other node to an aggregate beside it, or alone.
    let first = of.clone();
    for i in 0..nodes {
        if of[i] == usize::MAX {
            let beside = strong[i].iter().map(|&j| first[j]).find(|&number| number != usize::MAX);
            of[i] = beside.unwrap_or_else(|| {
                count += 1;
                count - 1
            });
        }
    }
    (of, count)
}

/// Two levels of a matrix.
struct Levels {
    a: Csr<f64>,
    /// The weights of steps of Jacobi on both levels.
    weights: Vec<f64>,
    p: Csr<f64>,
    r: Csr<f64>,
    coarse: Csr<f64>,
    coarse_weights: Vec<f64>,
}

impl Levels {
    fn new(a: Csr<f64>) -> Result<Self> {
        let diagonal = a.diag()?;
        let (of, count) = aggregates(&a, &diagonal);
        let tentative = of.iter().enumerate().map(|(i, &number)| ([i, number], 1.0));
        let tentative: Csr<f64> = Triplets::try_from_triplets([of.len(), count], tentative)?.convert()?;
        let weights = weights_of(&a, &diagonal);
        let p: Csr<f64> = smoothed(&tentative, &weights, &a)?;
        let r: Csr<f64> = transpose(&p)?;
        let coarse = coarse(&r, &a, &p)?;
        let coarse_weights = weights_of(&coarse, &coarse.diag()?);
        Ok(Levels {
            a,
            weights,
            p,
            r,
            coarse,
            coarse_weights,
        })
    }

    /// Smooths, corrects by the coarse level, and smooths: a symmetric approximation of `A⁻¹ b`.
    fn apply(&self, x: &mut [f64], b: &[f64]) -> Result<()> {
        let (mut r, mut small) = (vec![0.0; b.len()], vec![0.0; self.coarse_weights.len()]);
        // A step from zero.
        scale(x, b, &self.weights);
        residual(&mut r, b, &self.a, x)?;
        restrict(&mut small, &self.r, &r)?;
        // Nearly exact, so that the whole is nearly linear.
        let scaled = |z: &mut [f64], r: &[f64]| {
            scale(z, r, &self.coarse_weights);
            Ok(())
        };
        let (error, _) = cg(&self.coarse, &small, 1e-10, &scaled)?;
        correct(x, &self.p, &error)?;
        jacobi(&mut r, x, &self.weights, b, &self.a)?;
        x.copy_from_slice(&r);
        Ok(())
    }
}

/// Returns `4 / 3 g` of the inverse of the diagonal, where no eigenvalue of `D⁻¹ A` is above `g`: the greatest sum of magnitudes in a row.
/// With longer steps, some errors would grow.
fn weights_of(a: &Csr<f64>, diagonal: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; diagonal.len()];
    a.for_each(|[i, _], value| sums[i] += value.abs() / diagonal[i]);
    let greatest = sums.into_iter().fold(1.0, f64::max);
    diagonal.iter().map(|value| 4.0 / 3.0 / greatest / value).collect()
}

/// Compares `u' (Pᵀ A P) v` with `(P u)' A (P v)`, summed from the elements. Returns the difference, relative to the sum of magnitudes.
fn difference(levels: &Levels, triplets: &Triplets<f64, 2>) -> f64 {
    let vector = |seed: usize| -> Vec<f64> {
        let all = 0..levels.coarse_weights.len();
        all.map(|i| ((i * 7919 + seed) % 997) as f64 / 997.0 - 0.5).collect()
    };
    let (u, v) = (vector(1), vector(500));
    let [fine_u, fine_v] = [&u, &v].map(|coarse| {
        let mut fine = vec![0.0; triplets.shape()[0]];
        levels.p.iter().for_each(|([i, a], value)| fine[i] += value * coarse[a]);
        fine
    });
    let left: f64 = levels.coarse.iter().map(|([a, b], value)| u[a] * value * v[b]).sum();
    let terms = triplets.iter().map(|([i, j], value)| fine_u[i] * value * fine_v[j]);
    let (right, magnitude) = terms.fold((0.0, 0.0), |(sum, all), term: f64| (sum + term, all + term.abs()));
    (left - right).abs() / magnitude
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let system = System::read()?;
    let start = Instant::now();
    let levels = Levels::new(system.a.clone())?;
    let built = start.elapsed().as_secs_f64();
    let again = Instant::now();
    let _: Csr<f64> = coarse(&levels.r, &levels.a, &levels.p)?;
    println!(
        "both levels {:.1} ms, of which Pᵀ A P {:.1} ms",
        1e3 * built,
        1e3 * again.elapsed().as_secs_f64()
    );
    show(&levels, &system.triplets)?;

    let diagonal = |z: &mut [f64], r: &[f64]| {
        scale(z, r, &levels.weights);
        Ok(())
    };
    let both = |z: &mut [f64], r: &[f64]| levels.apply(z, r);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    println!("with        iterations        ms     residual      error");
    for (name, precondition) in [("diagonal", &diagonal as &Precondition<'_>), ("two levels", &both)] {
        let start = Instant::now();
        let (x, residuals) = cg(&levels.a, &system.b, TOLERANCE, precondition)?;
        let (seconds, residual) = (start.elapsed().as_secs_f64(), residual_of(&system, &x));
        println!(
            "{name:<10} {:>11} {:>9.1} {residual:>12.1e} {:>10.1e}",
            residuals.len() - 1,
            1e3 * seconds,
            error_of(&x)
        );
        if residuals.last().is_some_and(|last| *last <= TOLERANCE) && residual > 100.0 * TOLERANCE {
            return Err(format!("{name}: the triplets give a residual of {residual:.1e}").into());
        }
        columns.push(residuals);
    }
    write_residuals("unisparse-two-level.csv", &["diagonal", "two_levels"], &columns)
}

/// Prints the sizes of both levels, and checks the coarse matrix.
fn show(levels: &Levels, triplets: &Triplets<f64, 2>) -> std::result::Result<(), Box<dyn Error>> {
    for (name, matrix) in [("A", &levels.a), ("P", &levels.p), ("Pᵀ A P", &levels.coarse)] {
        let [rows, columns] = matrix.shape();
        let mean = matrix.nnz() as f64 / rows.max(1) as f64;
        println!(
            "  {name:<7} {rows:>7} x {columns:<7} {:>9} elements, {mean:.1} per row",
            matrix.nnz()
        );
    }
    let complexity = (levels.a.nnz() + levels.coarse.nnz()) as f64 / levels.a.nnz() as f64;
    let difference = difference(levels, triplets);
    println!("  operator complexity {complexity:.2}; Pᵀ A P differs from the sums by {difference:.1e}");
    if difference > 1e-12 {
        return Err("Pᵀ A P is wrong".into());
    }
    Ok(())
}
