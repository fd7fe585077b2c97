//! Kernels with sparse results: products, sums, and sampled dense products.

use unisparse::SparseTensor;
use unisparse::formats::Csr;
use unisparse::kernels::{add, sddmm, spgemm};

use crate::harness::computation::{Problem, Task, products};
use crate::harness::matrices::{Compressed, Element, Entries, Recipe};
use crate::harness::measure::{Contestant, Rules};
use crate::harness::peers::Peers;
use crate::harness::report::Row;

/// The maximum number of multiplications; products with more take too long.
const MOST: usize = 150_000_000;

/// # Errors
/// The reason why there is nothing to compare.
pub(crate) fn row<T: Element>(
    recipe: &Recipe,
    entries: &Entries<T>,
    task: Task,
    peers: &Peers,
    rules: Rules,
) -> Result<Row, String> {
    if !matches!(task, Task::Sample { .. }) && entries.shape[0] != entries.shape[1] {
        return Err("it is not square".to_owned());
    }
    // Other tasks take matrices that are not square, which have no product with themselves.
    if task == Task::Square {
        let count = products(&Compressed::rows(entries));
        if count > MOST {
            return Err(format!("{count} products are too many"));
        }
    }
    let problem = Problem::new(task, entries);
    let a: Csr<T> = entries
        .triplets()
        .convert()
        .expect("compressed rows are never refused here");
    let transposed = entries.transposed().triplets();
    let transposed: Csr<T> = transposed.convert().expect("compressed rows are never refused here");
    let run = || {
        let result: Result<Csr<T>, _> = match task {
            Task::Square => spgemm(&a, &a),
            Task::AddTransposed => add(&a, &transposed),
            _ => sddmm(&a, &problem.dense, &problem.second),
        };
        result.expect("the operands fit")
    };
    let result = run();
    let found = Compressed::of(
        result.row_ptr().iter().copied(),
        result.col_idx().iter().copied(),
        result.values(),
    );
    if let Task::Sample { .. } = task {
        assert!(
            found.ptr == problem.rows.ptr && found.idx == problem.rows.idx,
            "Csr: other elements"
        );
        problem.check_samples("Csr", &found.values);
    } else {
        problem.check_sparse("Csr", &found);
    }
    let operands = if task == Task::AddTransposed { 2 } else { 1 };
    let bytes = operands * SparseTensor::bytes(&a) + SparseTensor::bytes(&result) + problem.dense_bytes();
    drop(result);
    let mut contestants = vec![Contestant::ours("Csr", |shot| shot.time(run)).of_bytes(bytes)];
    contestants.extend(peers.compute(&problem, entries));
    Ok(Row::measured(
        recipe.subject(entries.len(), problem.flops),
        contestants,
        rules,
    ))
}
