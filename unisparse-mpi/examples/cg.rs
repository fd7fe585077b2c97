//! Conjugate gradients with the diagonal as preconditioner, on several ranks: the solver of the example for one machine.
//!
//! `mpirun -n 2 cargo run --release --example cg [matrix.mtx]`
//!
//! The matrix is symmetric and positive definite, or negative definite and taken with the other sign. The right side is `A` times a
//! known vector, so that the error is known. The residual is computed anew, by one rank from all elements, and checked.

mod over_mpi;
#[path = "../../examples/solver"]
mod solver {
    pub(crate) mod cg;
    pub(crate) mod vector;
}

use solver::cg::{Multiply, TOLERANCE, cg, products};
use unisparse_mpi::prelude::*;
use unisparse_mpi::{Error, ErrorKind};

impl<F> Multiply<DistributedVec<f64>> for Distributed<F>
where
    F: SparseTensor<2, Scalar = f64> + spmv,
{
    fn multiply(&self, y: &mut DistributedVec<f64>, x: &DistributedVec<f64>) -> Result<(), Error> {
        spmv(y, self, x)
    }
}

/// The solution that is to be found.
fn wanted(i: usize) -> f64 {
    ((i * 7919) % 1009) as f64 / 1009.0
}

/// Solves over one format, prints what happened, and checks it.
fn solve<F>(name: &str, a: &Distributed<F>, all: Option<&Triplets<f64, 2>>) -> Result<(), Error>
where
    F: SparseTensor<2, Scalar = f64> + spmv,
{
    let world = a.world();
    let x = DistributedVec::from_fn(world, a.columns(), wanted);
    let mut b = DistributedVec::zeros(world, a.rows());
    spmv(&mut b, a, &x)?;
    let diagonal = a.diag()?;
    let is_definite = diagonal.own().iter().all(|value| *value > 0.0);
    world.agree(is_definite.then_some(()).ok_or_else(|| {
        Error::new(
            ErrorKind::User,
            "a diagonal element is not positive, so the matrix is not positive definite",
        )
    }))?;
    let start = world.seconds();
    let (x, residuals) = cg(a, &b, TOLERANCE, &|z, r| {
        z.iter_mut()
            .zip(r)
            .zip(diagonal.own())
            .for_each(|((z, r), d)| *z = r / d);
        Ok(())
    })?;
    let seconds = world.seconds() - start;

    let (x, b) = (x.gather(0), b.gather(0));
    let checked = match (all, x, b) {
        (Some(all), Some(x), Some(mut r)) => {
            let length = products(&r, &r);
            all.iter().for_each(|([i, j], value)| r[i] -= value * x[j]);
            let residual = (products(&r, &r) / length).sqrt();
            let error = x
                .iter()
                .enumerate()
                .map(|(i, x)| (x - wanted(i)).abs())
                .fold(0.0, f64::max);
            let (iterations, ms) = (residuals.len() - 1, 1e3 * seconds);
            println!("{name:<10} {iterations:>10} {ms:>9.1} {residual:>12.1e} {error:>10.1e}");
            (residual <= 100.0 * TOLERANCE).then_some(()).ok_or(residual)
        }
        _ => Ok(()),
    };
    world.agree(checked.map_err(|residual| {
        Error::new(
            ErrorKind::User,
            format!("{name}: the elements give a residual of {residual:.1e}"),
        )
    }))
}

fn main() -> Result<(), Error> {
    let world = unisparse_mpi::initialize()?;
    let mut a = over_mpi::read(&world, "xpetra-A-9pt.mtx.gz")?;
    let negative = a.diag()?.own().iter().filter(|value| **value < 0.0).count();
    if world.sum(negative) == a.shape()[0] {
        let negated = a.to_triplets().map(|value| -value);
        a = Distributed::new(&world, &negated)?;
    }
    let all = a.gather(0)?;
    if world.rank() == 0 {
        println!("format     iterations        ms     residual      error");
    }
    solve("Csr", &a, all.as_ref())?;
    // The same function over other formats: nothing else changes.
    solve("Sell<8,64>", &a.convert::<Sell<f64>, Sell<f64>>()?, all.as_ref())?;
    match a.convert::<Bdia<f64>, Bdia<f64>>() {
        Ok(bands) => solve("Bdia<64>", &bands, all.as_ref()),
        // All ranks have this error.
        Err(error) => {
            if world.rank() == 0 {
                println!("Bdia<64>   {error}");
            }
            Ok(())
        }
    }
}
