//! Conjugate gradients over every stock format: the solver of the examples, on one machine and on several.

use std::collections::BTreeMap;

use unisparse::formats::*;
use unisparse::{SparseTensor, Triplets, io, kernels};
use unisparse_mpi::{Distributed, DistributedVec, Error, ErrorKind, World, spmv};

use crate::data::shared;
use crate::formats::stock;
use crate::launch::on_ranks;
use crate::solver::cg::{Multiply, TOLERANCE, cg};

impl<F> Multiply<DistributedVec<f64>> for Distributed<F>
where
    F: SparseTensor<2, Scalar = f64> + kernels::spmv,
{
    fn multiply(&self, y: &mut DistributedVec<f64>, x: &DistributedVec<f64>) -> Result<(), Error> {
        spmv(y, self, x)
    }
}

/// A system, and what one process makes of it.
struct System {
    name: &'static str,
    all: Triplets<f64, 2>,
    b: Vec<f64>,
    x: Vec<f64>,
    iterations: usize,
}

/// Returns the Laplacian of the graph that a real matrix is, plus a tenth of the identity.
fn system(name: &'static str) -> Option<System> {
    let matrix = io::read_matrix_market::<f64>(shared(&format!("data/{name}.mtx.gz"))?).expect("a real matrix is read");
    let rows = matrix.shape()[0];
    let mut elements: BTreeMap<[usize; 2], f64> = (0..rows).map(|i| ([i, i], 0.1)).collect();
    for &[i, j] in matrix.coordinates() {
        if i != j {
            elements.insert([i, j], -1.0);
            elements.insert([j, i], -1.0);
        }
    }
    let mut degrees = vec![0.0; rows];
    elements
        .iter()
        .filter(|([i, j], _)| i != j)
        .for_each(|([i, _], value)| degrees[*i] -= value);
    for (i, degree) in degrees.into_iter().enumerate() {
        *elements.entry([i, i]).or_default() += degree;
    }
    let diagonal: Vec<f64> = (0..rows).map(|i| elements[&[i, i]]).collect();
    let all = Triplets::try_from_triplets([rows, rows], elements).expect("they are inside");
    let b: Vec<f64> = (0..rows).map(|i| ((i * 7919) % 1009) as f64 - 500.0).collect();
    let a: Csr<f64> = all.convert().expect("compressed rows hold all");
    let (x, residuals) = cg(&a, &b, TOLERANCE, &|z, r| jacobi(z, r, &diagonal)).expect("no kernel fails");
    let iterations = residuals.len() - 1;
    Some(System {
        name,
        all,
        b,
        x,
        iterations,
    })
}

fn jacobi(z: &mut [f64], r: &[f64], diagonal: &[f64]) -> Result<(), unisparse::Error> {
    z.iter_mut()
        .zip(r)
        .zip(diagonal)
        .for_each(|((z, r), diagonal)| *z = r / diagonal);
    Ok(())
}

/// Solves over a format. Returns whether the format holds the matrix.
fn solve<F: SparseTensor<2, Scalar = f64> + kernels::spmv>(world: &World, system: &System) -> bool {
    let what = format!("{} of {}", F::NAME, system.name);
    let is_first = world.rank() == 0;
    let a: Distributed<F> = match Distributed::scatter(world, 0, is_first.then_some(&system.all)) {
        Err(error) if error.kind() == ErrorKind::Tensor(unisparse::ErrorKind::Limit) => return false,
        made => made.expect(&what),
    };
    let b = DistributedVec::scatter(world, a.rows(), 0, is_first.then_some(&system.b[..])).expect(&what);
    let diagonal = a.diag().expect(&what);
    let (x, residuals) = cg(&a, &b, TOLERANCE, &|z, r| jacobi(z, r, diagonal.own())).expect(&what);
    // Sums in another order may take an iteration more or less.
    assert!(
        (residuals.len() - 1).abs_diff(system.iterations) <= 1,
        "{what}: {}",
        residuals.len()
    );
    let (scale, x) = (
        system.x.iter().fold(0.0, |most, x| f64::max(most, x.abs())),
        x.gather_to_all(),
    );
    let error = x.iter().zip(&system.x).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(error <= 1e-6 * scale, "{what}: {error} of {scale}");
    true
}

macro_rules! solves {
    ($($format:ty),*) => { [$(solve::<$format> as fn(&World, &System) -> bool),*] };
}

#[test]
fn every_stock_format_solves() {
    on_ranks("solves::every_stock_format_solves", 1..=4, |world| {
        let names = ["structured/can_1072", "structured/saylr3", "graph/G32"];
        // Another one for each number of ranks, as solving takes long without optimisation.
        let with_all = std::env::var_os("UNISPARSE_MPI_ALL").is_some_and(|value| value == "1");
        let chosen = names
            .into_iter()
            .enumerate()
            .filter(|(at, _)| with_all || *at == world.size() % 3);
        let systems: Vec<System> = chosen.filter_map(|(_, name)| system(name)).collect();
        let formats = stock!(solves);
        for system in &systems {
            let held = formats.iter().filter(|solve| solve(world, system)).count();
            assert!(held + 3 >= formats.len(), "{} formats hold {}", held, system.name);
        }
    });
}
