//! PageRank of a graph, or of the pattern of any square matrix, on several ranks: the iterations of the example for one machine.
//!
//! `mpirun -n 2 cargo run --release --example pagerank [graph.mtx]`
//!
//! Element `(i, j)` is a link from page `i` to page `j`. Without a file, the graph is Zachary's karate club. The ranks are compared
//! with those that one process computes from all links.

mod over_mpi;
#[path = "../../examples/solver"]
mod solver {
    pub(crate) mod pagerank;
    pub(crate) mod vector;
}

use solver::pagerank::{DAMPING, pagerank};
use unisparse_mpi::prelude::*;
use unisparse_mpi::{Error, ErrorKind};

fn main() -> Result<(), Error> {
    let world = unisparse_mpi::initialize()?;
    let links = over_mpi::read(&world, "karate.mtx")?;
    let pages = links.shape()[0];
    let mut degree = DistributedVec::zeros(&world, links.rows());
    let first = links.rows().of(world.rank()).start;
    links.for_each(|[from, _], _| degree.own_mut()[from - first] += 1.0);
    // Row `j` of this has the links to page `j`, each of weight one.
    let ones = links.to_triplets().map(|_| 1.0);
    let incoming: Distributed<Csr<f64>> = Distributed::<Csr<f64>>::new(&world, &ones)?.transposed()?;

    let start = world.seconds();
    let (rank, iterations) = pagerank(pages, &degree, |next, share, rest| {
        spmv(next, &incoming, share)?;
        let rest = rest / pages as f64;
        next.own_mut()
            .iter_mut()
            .for_each(|next| *next = DAMPING * *next + rest);
        Ok(())
    })?;
    let seconds = world.seconds() - start;
    let sum = world.sum(rank.own().iter().sum::<f64>());

    let (all, ranks, degree) = (links.gather(0)?, rank.gather(0), degree.gather(0));
    let check = || match (all, ranks, degree) {
        (Some(links), Some(ranks), Some(degree)) => {
            println!(
                "{iterations} iterations in {:.1} ms, the ranks sum to {sum:.10}",
                1e3 * seconds
            );
            let (expected, expected_iterations) = pagerank(pages, &degree, |next, share, rest| {
                next.fill(rest / pages as f64);
                links
                    .iter()
                    .for_each(|([from, to], _)| next[to] += DAMPING * share[from]);
                Ok::<(), unisparse::Error>(())
            })?;
            let differences = ranks
                .iter()
                .zip(&expected)
                .map(|(found, expected)| (found - expected).abs());
            let difference = differences.fold(0.0, f64::max);
            println!("one process takes {expected_iterations} iterations, and differs by at most {difference:.1e}");
            let mut best: Vec<usize> = (0..pages).collect();
            best.sort_by(|&a, &b| ranks[b].total_cmp(&ranks[a]));
            best.iter()
                .take(10)
                .for_each(|&page| println!("{:>8} {:.6}", page + 1, ranks[page]));
            (difference <= 1e-10)
                .then_some(())
                .ok_or_else(|| Error::new(ErrorKind::User, "the ranks are wrong"))
        }
        _ => Ok(()),
    };
    world.agree(check())
}
