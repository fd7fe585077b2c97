//! Plans of banded matrices, which are computed from their diagonals alone.

use std::ops::Range;

use super::{Plan, RankPlan};
use crate::partition::Partition;

impl Plan {
    /// Plans a number of ranks for a square matrix of full diagonals, as of a stencil on a grid: no matter how many elements they
    /// have. Diagonal `k` has the elements `[i, i + k]`; each is passed once. The rows are divided evenly. `O(ranks * diagonals)`,
    /// and more where a rank receives from many.
    #[must_use]
    pub fn of_diagonals(rows: usize, diagonals: &[i64], ranks: usize) -> Self {
        let partition = Partition::even(rows, ranks);
        let mut plans = vec![RankPlan::default(); partition.ranks()];
        for rank in 0..partition.ranks() {
            let own = partition.of(rank);
            let plan = &mut plans[rank];
            (plan.rows, plan.columns) = (own.len(), own.len());
            let (mut columns, mut halo_rows) = (Vec::new(), Vec::new());
            for &diagonal in diagonals {
                let along = moved(&own, diagonal, rows);
                for part in [
                    along.start..along.end.min(own.start),
                    along.start.max(own.end)..along.end,
                ] {
                    if !part.is_empty() {
                        plan.halo += part.len();
                        halo_rows.push(moved(&part, -diagonal, rows));
                        columns.push(part);
                    }
                }
                plan.own += (along.start.max(own.start)..along.end.min(own.end)).len();
            }
            plan.halo_rows = union(halo_rows).iter().map(Range::len).sum();
            let mut owners = Vec::new();
            for part in union(columns) {
                plans[rank].halo_columns += part.len();
                let mut at = part.start;
                while at < part.end {
                    let owner = partition.owner(at);
                    let end = partition.of(owner).end.min(part.end);
                    plans[owner].sent += end - at;
                    owners.push(owner);
                    at = end;
                }
            }
            owners.dedup();
            plans[rank].receives = owners.len();
            owners.iter().for_each(|owner| plans[*owner].sends += 1);
        }
        Plan {
            shape: [rows, rows],
            ranks: plans,
        }
    }
}

/// Returns the range, moved by a distance, as far as it is below the extent.
fn moved(range: &Range<usize>, by: i64, extent: usize) -> Range<usize> {
    let place = |at: usize| (at as i128 + i128::from(by)).clamp(0, extent as i128) as usize;
    place(range.start)..place(range.end)
}

/// Returns the union of ranges as ascending ranges that do not overlap.
fn union(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut all: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use unisparse::Triplets;

    #[test]
    fn diagonals_are_planned_as_their_elements() {
        for (rows, diagonals) in [
            (40, &[-9, -1, 0, 1, 9][..]),
            (33, &[-30, 0, 2, 3]),
            (5, &[1]),
            (7, &[]),
            (64, &[-40, -39, 17]),
        ] {
            for ranks in [1, 2, 3, 4, 7, 40] {
                let elements = (0..rows).flat_map(|i| {
                    let columns = diagonals.iter().map(move |k| i as i64 + k);
                    columns
                        .filter(|j| (0..rows as i64).contains(j))
                        .map(move |j| ([i, j as usize], 1.0))
                });
                let all: Triplets<f64, 2> = Triplets::try_from_triplets([rows, rows], elements).unwrap();
                let partition = Partition::even(rows, ranks);
                let found = Plan::of_diagonals(rows, diagonals, ranks);
                assert_eq!(
                    found,
                    Plan::divided(&all, [partition.clone(), partition]),
                    "{diagonals:?} on {ranks}"
                );
            }
        }
    }
}
