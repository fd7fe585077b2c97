//! Conjugate gradients without a preconditioner, with the diagonal, and with a polynomial, over several formats.
//!
//! `cargo run --release --example cg [matrix.mtx[.gz]]`
//!
//! The matrix is symmetric and positive definite, or negative definite and taken with the other sign. The right side is `A`
//! times a known vector, so that the error is known; the residual is computed anew from the triplets, and checked. The residuals of
//! all iterations are written as CSV.

mod solver;

use std::error::Error;
use std::time::Instant;

use solver::{Precondition, System, TOLERANCE, cg, error_of, residual_of, scale, write_residuals};
use unisparse::prelude::*;

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
fn solve<A>(name: &str, a: &A, system: &System) -> Result<Vec<Vec<f64>>, Box<dyn Error>>
where
    A: spmv<Scalar = f64> + SparseTensor<2>,
{
    let inverse: Vec<f64> = a.diag()?.iter().map(|value| 1.0 / value).collect();
    let chebyshev = Chebyshev::new(a, &inverse, 4);
    let plain: &Precondition<'_> = &|z, r| {
        z.copy_from_slice(r);
        Ok(())
    };
    let diagonal: &Precondition<'_> = &|z, r| {
        scale(z, r, &inverse);
        Ok(())
    };
    let polynomial: &Precondition<'_> = &|z, r| chebyshev.apply(z, r);
    let mut all = Vec::new();
    for (kind, precondition) in [("none", plain), ("diagonal", diagonal), ("Chebyshev", polynomial)] {
        let start = Instant::now();
        let (x, residuals) = cg(a, &system.b, TOLERANCE, precondition)?;
        let (seconds, residual) = (start.elapsed().as_secs_f64(), residual_of(system, &x));
        println!(
            "{name:<10} {kind:<10} {:>10} {:>9.1} {residual:>12.1e} {:>10.1e}",
            residuals.len() - 1,
            1e3 * seconds,
            error_of(&x)
        );
        if residuals.last().is_some_and(|last| *last <= TOLERANCE) && residual > 100.0 * TOLERANCE {
            return Err(format!("{name}, {kind}: the triplets give a residual of {residual:.1e}").into());
        }
        all.push(residuals);
    }
    Ok(all)
}

fn main() -> Result<(), Box<dyn Error>> {
    let system = System::read()?;
    println!("format     with       iterations        ms     residual      error");
    let residuals = solve("Csr", &system.a, &system)?;
    // The same function over other formats: nothing else changes.
    solve("Sell<8,64>", &system.a.convert::<Sell<f64>>()?, &system)?;
    match system.a.convert::<Bdia<f64>>() {
        Ok(bands) => drop(solve("Bdia<64>", &bands, &system)?),
        Err(error) => println!("Bdia<64>: {error}"),
    }
    write_residuals("unisparse-cg.csv", &["none", "diagonal", "chebyshev"], &residuals)
}
