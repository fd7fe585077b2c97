//! Products with a dense vector or matrix, in every format that suits.

use unisparse::Limit;
use unisparse::formats::{Bcsr, Bdia, BdiaCsr, Csr, Dia, Ell, Sell};
use unisparse::prelude::*;

use crate::harness::ceilings::reader;
use crate::harness::computation::{Problem, Task};
use crate::harness::matrices::{Element, Entries, Recipe};
use crate::harness::measure::{Contestant, Rules};
use crate::harness::peers::Peers;
use crate::harness::report::Row;

/// A diagonal of a block of 32 rows goes to the diagonals of the hybrid if more than this many of its places are taken.
const DENSE: i64 = 16;

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

/// A kernel over one format, checked.
fn contestant<'a, T: Element>(
    name: &str,
    problem: &Problem<T>,
    bytes: usize,
    mut product: impl FnMut(&mut [T]) -> Result<(), Error> + 'a,
) -> Contestant<'a> {
    let mut output = problem.output();
    product(&mut output).expect("the operands fit");
    problem.check_dense(name, &output);
    Contestant::ours(name, move |shot| shot.time(|| product(&mut output))).of_bytes(bytes + problem.dense_bytes())
}

/// `Csr` first, and what does not pad it to more than one and a half times its size.
fn ours<'a, T: Element>(problem: &'a Problem<T>, triplets: &Triplets<T, 2>) -> Vec<Contestant<'a>> {
    let csr: Csr<T> = triplets.convert().expect("compressed rows are never refused here");
    let limit = Limit::bytes(SparseTensor::bytes(&csr) as u128 * 3 / 2);
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
        enter! { spmv:
            "Csr" Ok::<Csr<T>, Error>(csr);
            "Bdia<32>" triplets.convert_within::<Bdia<T, 32>>(limit);
            "Dia" triplets.convert_within::<Dia<T>>(limit);
            "Bcsr<3,3>" triplets.convert_within::<Bcsr<T, 3, 3>>(limit);
            "Sell<8,4096>" triplets.convert_within::<Sell<T, 8, 4096>>(limit);
            "Ell" triplets.convert_within::<Ell<T>>(limit);
            "BdiaCsr<32>" BdiaCsr::<T, 32>::split_within(triplets, DENSE, limit);
        }
    } else {
        enter! { spmm:
            "Csr" Ok::<Csr<T>, Error>(csr);
            "Bcsr<3,3>" triplets.convert_within::<Bcsr<T, 3, 3>>(limit);
        }
    }
    all
}
