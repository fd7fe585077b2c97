//! Conjugate gradients without a preconditioner, with the diagonal, and with a polynomial, over several formats.
//!
//! `cargo run --release --example cg [matrix.mtx[.gz]]`
//!
//! The matrix is symmetric and positive definite, or negative definite and taken with the other sign. The right side is `A`
//! times a known vector, so that the error is known; the residual is computed anew from the triplets, and checked. The residuals of
//! all iterations are written as CSV.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use unisparse::io::read_matrix_market;
use unisparse::prelude::*;

const TOLERANCE: f64 = 1e-8;
const MOST_ITERATIONS: usize = 5000;

/// A preconditioner: writes an approximation of `A⁻¹ r` to `z`.
type Precondition<'a> = dyn Fn(&mut [f64], &[f64]) -> Result<(), unisparse::Error> + 'a;

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Solves `A x = b` for any format, from `x = 0`. Returns `x` and the norm of the residual after each iteration, relative to that of `b`.
fn cg<A: spmv<Scalar = f64>>(
    a: &A,
    b: &[f64],
    precondition: &Precondition<'_>,
) -> Result<(Vec<f64>, Vec<f64>), unisparse::Error> {
    let (mut x, mut r) = (vec![0.0; b.len()], b.to_vec());
    let (mut z, mut q) = (vec![0.0; b.len()], vec![0.0; b.len()]);
    precondition(&mut z, &r)?;
    let (mut p, mut rz, length) = (z.clone(), dot(&r, &z), dot(b, b).sqrt());
    let mut residuals = vec![1.0];
    while residuals.last().is_some_and(|last| *last > TOLERANCE) && residuals.len() <= MOST_ITERATIONS {
        spmv(&mut q, a, &p)?;
        let step = rz / dot(&p, &q);
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += step * p);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= step * q);
        precondition(&mut z, &r)?;
        let before = std::mem::replace(&mut rz, dot(&r, &z));
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + rz / before * *p);
        residuals.push(dot(&r, &r).sqrt() / length);
    }
    Ok((x, residuals))
}

/// A polynomial of Chebyshev in `D⁻¹ A` that is small on `[greatest / 30, greatest]`. It only multiplies, so it works in every format.
struct Chebyshev<'a, A> {
    a: &'a A,
    inverse: &'a [f64],
    greatest: f64,
    degree: usize,
}

impl<'a, A: spmv<Scalar = f64>> Chebyshev<'a, A> {
    /// Bounds the eigenvalues of `D⁻¹ A` by the greatest sum of magnitudes in a row. With a bound that is too small, the polynomial
    /// would be negative at some eigenvalue, and no preconditioner.
    fn new(a: &'a A, inverse: &'a [f64], degree: usize) -> Self {
        let mut sums = vec![0.0; inverse.len()];
        a.for_each(|[i, _], value| sums[i] += value.abs() * inverse[i]);
        Chebyshev {
            a,
            inverse,
            greatest: sums.into_iter().fold(0.0, f64::max),
            degree,
        }
    }

    fn apply(&self, z: &mut [f64], r: &[f64]) -> Result<(), unisparse::Error> {
        let (low, high) = (self.greatest / 30.0, self.greatest);
        let (middle, half) = ((high + low) / 2.0, (high - low) / 2.0);
        let mut rho = half / middle;
        let mut change: Vec<f64> = r
            .iter()
            .zip(self.inverse)
            .map(|(r, inverse)| r * inverse / middle)
            .collect();
        z.copy_from_slice(&change);
        let mut product = vec![0.0; z.len()];
        for _ in 1..self.degree {
            let next = 1.0 / (2.0 * middle / half - rho);
            spmv(&mut product, self.a, z)?;
            for (i, change) in change.iter_mut().enumerate() {
                let residual = (r[i] - product[i]) * self.inverse[i];
                *change = rho * next * *change + 2.0 * next / half * residual;
                z[i] += *change;
            }
            rho = next;
        }
        Ok(())
    }
}

/// Solves with each preconditioner over one format, prints what happened, and returns the residuals.
fn solve<A>(name: &str, a: &A, triplets: &Triplets<f64, 2>, b: &[f64]) -> Result<Vec<Vec<f64>>, Box<dyn Error>>
where
    A: spmv<Scalar = f64> + SparseTensor<2>,
{
    let inverse: Vec<f64> = a.diag()?.iter().map(|value| 1.0 / value).collect();
    if inverse.iter().any(|inverse| !inverse.is_finite() || *inverse <= 0.0) {
        return Err("a diagonal element is not positive, so the matrix is not positive definite".into());
    }
    let chebyshev = Chebyshev::new(a, &inverse, 4);
    let plain: &Precondition<'_> = &|z, r| {
        z.copy_from_slice(r);
        Ok(())
    };
    let diagonal: &Precondition<'_> = &|z, r| {
        z.iter_mut()
            .zip(r)
            .zip(&inverse)
            .for_each(|((z, r), inverse)| *z = r * inverse);
        Ok(())
    };
    let polynomial: &Precondition<'_> = &|z, r| chebyshev.apply(z, r);
    let mut all = Vec::new();
    for (kind, precondition) in [("none", plain), ("diagonal", diagonal), ("Chebyshev", polynomial)] {
        let start = Instant::now();
        let (x, residuals) = cg(a, b, precondition)?;
        let seconds = start.elapsed().as_secs_f64();
        let differences = x.iter().enumerate().map(|(i, x)| (x - wanted(i)).abs());
        let error = differences.fold(0.0, f64::max);
        let residual = residual(triplets, &x, b);
        println!(
            "{name:<10} {kind:<10} {:>10} {:>9.1} {residual:>12.1e} {error:>10.1e}",
            residuals.len() - 1,
            1e3 * seconds
        );
        if residuals.last().is_some_and(|last| *last <= TOLERANCE) && residual > 100.0 * TOLERANCE {
            return Err(format!("{name}, {kind}: the triplets give a residual of {residual:.1e}").into());
        }
        all.push(residuals);
    }
    Ok(all)
}

/// Returns `|b - A x| / |b|`, straight from the triplets.
fn residual(triplets: &Triplets<f64, 2>, x: &[f64], b: &[f64]) -> f64 {
    let mut r = b.to_vec();
    for ([i, j], value) in triplets.iter() {
        r[i] -= value * x[j];
    }
    (dot(&r, &r) / dot(b, b)).sqrt()
}

/// The solution that is to be found.
fn wanted(i: usize) -> f64 {
    ((i * 7919) % 1009) as f64 / 1009.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let bundled = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/data/xpetra-A-9pt.mtx.gz");
    let path = std::env::args_os().nth(1).map_or_else(bundled, PathBuf::from);
    let mut triplets = read_matrix_market::<f64>(&path)?;
    let [rows, columns] = triplets.shape();
    println!("{}: {rows} x {columns}, {} elements", path.display(), triplets.len());
    if rows != columns {
        return Err("the matrix is not square".into());
    }
    let mut a: Csr<f64> = triplets.convert()?;
    if a.diag()?.iter().all(|value| *value < 0.0) {
        println!("the diagonal is negative: -A is solved");
        triplets = triplets.map(|value| -value);
        a = -a;
    }
    if a != a.clone().into_transposed::<Csr<f64>>()? {
        return Err("the matrix is not symmetric".into());
    }
    let b = &a * &(0..rows).map(wanted).collect::<Vec<f64>>();

    println!("format     with       iterations        ms     residual      error");
    let residuals = solve("Csr", &a, &triplets, &b)?;
    // The same function over other formats: nothing else changes.
    solve("Sell<8,64>", &a.convert::<Sell<f64>>()?, &triplets, &b)?;
    match a.convert::<Bdia<f64>>() {
        Ok(bands) => drop(solve("Bdia<64>", &bands, &triplets, &b)?),
        Err(error) => println!("Bdia<64>: {error}"),
    }

    let mut table = "iteration,none,diagonal,chebyshev\n".to_owned();
    for at in 0..residuals.iter().map(Vec::len).max().unwrap_or(0) {
        let cells = residuals
            .iter()
            .map(|all| all.get(at).map_or_else(String::new, |r| format!("{r:e}")));
        writeln!(table, "{at},{}", cells.collect::<Vec<_>>().join(","))?;
    }
    let written = std::env::temp_dir().join("unisparse-cg.csv");
    std::fs::write(&written, table)?;
    println!("The residuals of all iterations over Csr are in {}.", written.display());
    Ok(())
}
