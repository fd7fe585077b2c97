//! What each rank stores, sends and receives in a product, for any number of ranks.

mod banded;
mod network;
mod predict;

use std::fmt;

use unisparse::{Source, SparseTensor};

pub use network::Network;
pub use predict::Prediction;

use crate::element::Element;
use crate::matrix::{Distributed, balanced_here};
use crate::partition::Partition;

/// What one rank stores, and sends and receives in each product `y = A x`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RankPlan {
    /// The number of rows that the rank owns.
    pub rows: usize,
    /// The number of columns that the rank owns.
    pub columns: usize,
    /// The number of elements in its own columns.
    pub own: usize,
    /// The number of elements in the columns of other ranks.
    pub halo: usize,
    /// The number of its rows with elements in the halo.
    pub halo_rows: usize,
    /// The number of columns of other ranks in which it has elements: elements of `x` that it receives.
    pub halo_columns: usize,
    /// The number of ranks from which it receives.
    pub receives: usize,
    /// The number of ranks to which it sends.
    pub sends: usize,
    /// The number of elements of `x` that it sends, once for each rank that needs them.
    pub sent: usize,
}

/// The plan of all ranks. `{}` prints the rank with the least, the mean and the most of each.
///
/// ```
/// use unisparse::prelude::*;
/// use unisparse_mpi::Plan;
///
/// let ring = (0..100).flat_map(|i| [([i, i], 2.0), ([i, (i + 1) % 100], 1.0)]);
/// let ring: Triplets<f64, 2> = Triplets::try_from_triplets([100, 100], ring)?;
/// let plan = Plan::of(&ring, 4); // on one process, for any number of ranks
/// assert_eq!((plan.ranks()[0].own, plan.ranks()[0].halo, plan.ranks()[0].receives), (49, 1, 1));
/// println!("{plan}");
/// # Ok::<(), unisparse::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    shape: [usize; 2],
    ranks: Vec<RankPlan>,
}

impl Plan {
    /// Plans a number of ranks for a matrix that this process has, with rows balanced by elements. Coordinates must not be
    /// repeated. `O(n log n)` time and 16 bytes of memory for each element in a halo.
    #[must_use]
    pub fn of<S: Source<2>>(source: &S, ranks: usize) -> Self {
        Plan::divided(source, partitions(source, ranks))
    }

    /// Plans the ranks of given partitions.
    fn divided<S: Source<2>>(source: &S, [rows, columns]: [Partition; 2]) -> Self {
        let mut plans: Vec<RankPlan> = (0..rows.ranks())
            .map(|rank| RankPlan {
                rows: rows.of(rank).len(),
                columns: columns.of(rank).len(),
                ..RankPlan::default()
            })
            .collect();
        // The columns of others that a rank has elements in, and the rows of these elements.
        let (mut wanted, mut halo_rows) = (Vec::new(), Vec::new());
        source.for_each(|[row, column], _| {
            let rank = rows.owner(row);
            if columns.of(rank).contains(&column) {
                plans[rank].own += 1;
            } else {
                plans[rank].halo += 1;
                wanted.push((rank, column));
                halo_rows.push(row);
            }
        });
        wanted.sort_unstable();
        wanted.dedup();
        halo_rows.sort_unstable();
        halo_rows.dedup();
        halo_rows.iter().for_each(|row| plans[rows.owner(*row)].halo_rows += 1);
        let mut before = None;
        for (rank, column) in wanted {
            let owner = columns.owner(column);
            plans[rank].halo_columns += 1;
            plans[owner].sent += 1;
            if before != Some((rank, owner)) {
                plans[rank].receives += 1;
                plans[owner].sends += 1;
            }
            before = Some((rank, owner));
        }
        Plan {
            shape: source.shape(),
            ranks: plans,
        }
    }

    /// Returns the numbers of rows and columns.
    #[must_use]
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// Returns the plan of each rank.
    #[must_use]
    pub fn ranks(&self) -> &[RankPlan] {
        &self.ranks
    }

    /// Returns the number of messages of all ranks in a product.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.ranks.iter().map(|rank| rank.receives).sum()
    }

    /// Returns the number of bytes in all messages of a product with elements of this size.
    #[must_use]
    pub fn bytes(&self, element_bytes: usize) -> usize {
        element_bytes * self.ranks.iter().map(|rank| rank.halo_columns).sum::<usize>()
    }
}

/// Returns how rows and columns are divided by default.
fn partitions<S: Source<2>>(source: &S, ranks: usize) -> [Partition; 2] {
    let [rows, columns] = source.shape();
    let of_rows = balanced_here(source, ranks.max(1));
    let of_columns = if rows == columns {
        of_rows.clone()
    } else {
        Partition::even(columns, ranks)
    };
    [of_rows, of_columns]
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.shape;
        let count = self.ranks.len();
        writeln!(
            f,
            "{rows} x {columns} on {count} ranks    least         mean         most"
        )?;
        type Number = fn(&RankPlan) -> usize;
        let lines: [(&str, Number); 9] = [
            ("rows", |rank| rank.rows),
            ("columns", |rank| rank.columns),
            ("own elements", |rank| rank.own),
            ("halo elements", |rank| rank.halo),
            ("halo rows", |rank| rank.halo_rows),
            ("halo columns", |rank| rank.halo_columns),
            ("messages received", |rank| rank.receives),
            ("messages sent", |rank| rank.sends),
            ("elements sent", |rank| rank.sent),
        ];
        for (name, number) in lines {
            let numbers = || self.ranks.iter().map(number);
            let (least, most) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
            let mean = numbers().map(|number| number as f64).sum::<f64>() / count.max(1) as f64;
            writeln!(f, "  {name:<18} {least:>12} {mean:>12.1} {most:>12}")?;
        }
        Ok(())
    }
}

impl<F, H> Distributed<F, H>
where
    F: SparseTensor<2, Scalar: Element>,
    H: SparseTensor<2, Scalar = F::Scalar>,
{
    /// Returns what each rank stores, sends and receives, on all ranks.
    #[must_use]
    pub fn plan(&self) -> Plan {
        let (world, halo) = (self.world(), self.columns_of_others());
        let [rows, columns] = [self.rows(), self.columns()].map(|partition| partition.of(world.rank()).len());
        let own = [
            rows,
            columns,
            self.own().nnz(),
            self.halo().nnz(),
            self.halo_rows().len(),
            halo.columns.len(),
            halo.receives.len(),
            halo.sends.len(),
            halo.wanted.len(),
        ];
        let all = world.all_gather(&own);
        let ranks = all.chunks_exact(own.len()).map(|numbers| RankPlan {
            rows: numbers[0],
            columns: numbers[1],
            own: numbers[2],
            halo: numbers[3],
            halo_rows: numbers[4],
            halo_columns: numbers[5],
            receives: numbers[6],
            sends: numbers[7],
            sent: numbers[8],
        });
        Plan {
            shape: self.shape(),
            ranks: ranks.collect(),
        }
    }
}
