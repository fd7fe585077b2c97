//! Products of every format, against sums over the elements.

use std::collections::BTreeMap;

use unisparse::{SparseTensor, kernels};
use unisparse_mpi::{
    Distributed, DistributedMat, DistributedVec, ErrorKind, World, spmm, spmm_transposed, spmv, spmv_transposed,
};

use crate::cases::{Case, WIDTH, b, degenerate, real, x};
use crate::formats::*;
use crate::launch::on_ranks;
use unisparse::formats::*;

/// Checks all products with the matrix of a case. Returns whether the format holds it.
fn check<F>(world: &World, case: &Case) -> bool
where
    F: SparseTensor<2, Scalar = f64> + kernels::spmv + kernels::spmm,
{
    let what = || format!("{} of {}", F::NAME, case.name);
    let a: Distributed<F> = match Distributed::new(world, &case.dealt(world)) {
        Ok(a) => a,
        Err(error) => {
            // Mostly padding: other ranks may still hold their parts, but all return this error.
            let limit = ErrorKind::Tensor(unisparse::ErrorKind::Limit);
            assert_eq!(error.kind(), limit, "{}: {error}", what());
            return false;
        }
    };
    let [rows, columns] = case.all.shape();
    assert_eq!(
        (a.shape(), a.rows().extent(), a.columns().extent()),
        ([rows, columns], rows, columns)
    );

    let mut y = DistributedVec::from_fn(world, a.rows(), |_| f64::NAN);
    spmv(&mut y, &a, &DistributedVec::from_fn(world, a.columns(), x)).expect("the vectors fit");
    assert_eq!(y.gather_to_all(), case.product, "{}", what());

    let mut y = DistributedVec::from_fn(world, a.columns(), |_| f64::NAN);
    spmv_transposed(&mut y, &a, &DistributedVec::from_fn(world, a.rows(), x)).expect("the vectors fit");
    assert_eq!(y.gather_to_all(), case.transposed, "{}, transposed", what());

    let mut c = DistributedMat::from_fn(world, a.rows(), WIDTH, |_| f64::NAN);
    spmm(&mut c, &a, &DistributedMat::from_fn(world, a.columns(), WIDTH, b)).expect("the matrices fit");
    assert_eq!(c.gather_to_all(), case.wide, "{}, dense matrix", what());

    let gathered = a.gather(world.size() - 1).expect("there is memory");
    if let Some(gathered) = gathered {
        let found: BTreeMap<_, _> = gathered.iter().collect();
        assert_eq!(
            (found.len(), &found),
            (gathered.len(), &case.elements),
            "{}, gathered",
            what()
        );
    }
    true
}

type Check = fn(&World, &Case) -> bool;

/// Checks each format with all degenerate matrices, and with a quarter of the real ones, another one for each number of ranks. With
/// `UNISPARSE_MPI_ALL=1`, with all of these.
fn check_all(world: &World, formats: &[(&str, Check)]) {
    let (real, degenerate, size) = (real(), degenerate(), world.size());
    let with_all = std::env::var_os("UNISPARSE_MPI_ALL").is_some_and(|value| value == "1");
    for (number, (name, check)) in formats.iter().enumerate() {
        let chosen = real.iter().enumerate();
        let chosen = chosen.filter(|(at, _)| with_all || (at + number) % 4 == size - 1);
        let held: Vec<bool> = chosen.map(|(_, case)| check(world, case)).collect();
        let count = held.iter().filter(|is_held| **is_held).count();
        if world.rank() == 0 {
            println!("{name}: holds {count} of {} real matrices on {size} ranks", held.len());
        }
        // Diagonals hold mostly padding on some.
        assert!(3 * count >= held.len(), "{name} holds only {count} of {}", held.len());
        for case in &degenerate {
            assert!(check(world, case), "{name} refuses {}", case.name);
        }
    }
}

macro_rules! checks {
    ($($format:ty),*) => { [$((stringify!($format), check::<$format> as Check)),*] };
}

#[test]
fn stock_formats_equal_one_process() {
    on_ranks("products::stock_formats_equal_one_process", 1..=4, |world| {
        check_all(world, &stock!(checks));
    });
}

#[test]
fn unheard_of_formats_equal_one_process() {
    on_ranks("products::unheard_of_formats_equal_one_process", 1..=4, |world| {
        check_all(world, &unheard_of!(checks));
    });
}

#[test]
fn transposed_products_with_matrices() {
    on_ranks("products::transposed_products_with_matrices", 1..=4, |world| {
        for case in degenerate().iter().chain(&real()[..]) {
            let a: Distributed<Csr<f64>> =
                Distributed::new(world, &case.dealt(world)).expect("compressed rows hold all");
            let mut c = DistributedMat::from_fn(world, a.columns(), WIDTH, |_| f64::NAN);
            let b = DistributedMat::from_fn(world, a.rows(), WIDTH, b);
            spmm_transposed(&mut c, &a, &b).expect("the matrices fit");
            let t: Distributed<Dcsr<f64>, Coo<f64>> = a.transposed().expect("compressed rows hold all");
            let mut expected = DistributedMat::from_fn(world, t.rows(), WIDTH, |_| f64::NAN);
            spmm(&mut expected, &t, &b).expect("the matrices fit");
            assert_eq!(c.own(), expected.own(), "{}", case.name);
        }
    });
}
