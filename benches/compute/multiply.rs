//! Products with a dense vector or matrix, in every suitable format.

use unisparse::formats::{Bcsr, Bdia, BdiaCsr, Csr, Dia, Ell, Sell};
use unisparse::prelude::*;
use unisparse::{Narrow, Pattern};

use crate::harness::ceilings::reader;
use crate::harness::computation::{Problem, Task};
use crate::harness::matrices::{Element, Entries, Recipe};
use crate::harness::measure::{Contestant, Rules};
use crate::harness::peers::Peers;
use crate::harness::report::Row;

pub(crate) fn row<T: Element>(
    recipe: &Recipe,
    entries: &Entries<T>,
    columns: usize,
    peers: &Peers,
    rules: Rules,
) -> Row {
    let problem = Problem::new(Task::Multiply { columns }, entries);
    let mut contestants = ours(&problem, &entries.triplets());
    let bytes = contestants[0].bytes.expect("that of our formats is known");
    contestants.push(reader(bytes));
    contestants.extend(peers.compute(&problem, entries));
    Row::measured(recipe.subject(entries.len(), problem.flops), contestants, rules)
}

/// Returns a checked kernel over one format.
fn contestant<'a, T: Element>(
    name: &str,
    problem: &Problem<T>,
    bytes: usize,
    product: impl FnMut(&mut [T]) -> Result<(), Error> + 'a,
) -> Contestant<'a> {
    let value = |at: usize| problem.rows.values[at].into();
    contestant_of(name, problem, bytes, value, product)
}

/// Returns a checked kernel over a matrix with the same pattern and other values.
fn contestant_of<'a, T: Element>(
    name: &str,
    problem: &Problem<T>,
    bytes: usize,
    value: impl Fn(usize) -> f64,
    mut product: impl FnMut(&mut [T]) -> Result<(), Error> + 'a,
) -> Contestant<'a> {
    let mut output = problem.output();
    product(&mut output).expect("the operands fit");
    problem.check_dense_of(name, &output, value);
    Contestant::ours(name, move |shot| shot.time(|| product(&mut output))).of_bytes(bytes + problem.dense_bytes())
}

/// Compressed rows with smaller values: in single precision, and a pattern without values, as if each were one.
fn narrow<'a, T: Element>(problem: &'a Problem<T>, csr: &Csr<T>) -> Vec<Contestant<'a>> {
    let dense = &problem.dense[..];
    let mut all = Vec::new();
    if size_of::<T>() > size_of::<f32>() {
        let rounded = |value: T| Narrow::<f32, T>::new(Into::<f64>::into(value) as f32);
        let a = csr.clone().map_values(rounded);
        let (bytes, values) = (a.bytes(), a.values().to_vec());
        let value = |at: usize| f64::from(values[at].stored());
        let product = move |output: &mut [T]| spmv(output, &a, dense);
        all.push(contestant_of("Csr of f32", problem, bytes, value, product));
    }
    let a = csr.clone().map_values(|_| Pattern::<T>::new());
    let bytes = a.bytes();
    let product = move |output: &mut [T]| spmv(output, &a, dense);
    all.push(contestant_of("Csr of patterns", problem, bytes, |_| 1.0, product));
    all
}

/// `Csr` first, then the formats that need at most twice its size. The model chooses the thresholds of hybrids.
fn ours<'a, T: Element>(problem: &'a Problem<T>, triplets: &Triplets<T, 2>) -> Vec<Contestant<'a>> {
    let csr: Csr<T> = triplets.convert().expect("compressed rows are never refused here");
    let limit = Limit::bytes(SparseTensor::bytes(&csr) as u128 * 2);
    let dense = &problem.dense[..];
    let mut all = Vec::new();
    macro_rules! enter {
        ($kernel:ident: $($name:literal $make:expr;)*) => {$(
            if let Ok(a) = $make {
                let bytes = SparseTensor::bytes(&a);
                all.push(contestant($name, problem, bytes, move |output| $kernel(output, &a, dense)));
            }
        )*};
    }
    if problem.columns() == 1 {
        let narrow = narrow(problem, &csr);
        enter! { spmv:
            "Csr" Ok::<Csr<T>, Error>(csr);
            "Bdia<32>" triplets.convert_within::<Bdia<T, 32>>(limit);
            "Dia" triplets.convert_within::<Dia<T>>(limit);
            "Bcsr<3,3>" triplets.convert_within::<Bcsr<T, 3, 3>>(limit);
            "Sell<8,4096>" triplets.convert_within::<Sell<T, 8, 4096>>(limit);
            "Ell" triplets.convert_within::<Ell<T>>(limit);
            "BdiaCsr<64>" BdiaCsr::<T, 64>::split_auto(triplets);
        }
        all.extend(narrow);
    } else {
        enter! { spmm:
            "Csr" Ok::<Csr<T>, Error>(csr);
            "Bcsr<3,3>" triplets.convert_within::<Bcsr<T, 3, 3>>(limit);
        }
    }
    all
}
