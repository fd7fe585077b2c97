//! Blocks of rows with about the same number of elements.

use std::ops::Range;

use unisparse::{Limit, Source};

use super::transfer::no_memory;
use crate::error::Error;
use crate::message::{all_to_all, counts};
use crate::partition::Partition;
use crate::world::World;

/// Divides the rows such that each rank has about as many elements, where each row counts as one more: vectors have an element
/// for each row, even an empty one. `O(elements log elements)` time, and memory for the rows of the rank.
///
/// First an even partition of the rows is made: the owner of a row there adds up its elements on all ranks.
///
/// # Errors
/// `Limit` on all ranks if one has no room for eight bytes for each row of an even partition, or the limit for vectors of this length
/// is less.
pub(super) fn balanced<S: Source<2>>(world: &World, source: &S, rows: usize, limit: Limit) -> Result<Partition, Error> {
    let even = Partition::even(rows, world.size());
    let runs = runs_of(source, rows);
    let mut to_each = vec![0; world.size()];
    runs.iter().for_each(|[row, _]| to_each[even.owner(*row as usize)] += 1);
    let from_each = counts(world, &to_each);
    let words: Vec<u64> = runs.into_iter().flatten().collect();
    let received = all_to_all(world, &words, &to_each, &from_each, 2);

    let own = even.of(world.rank());
    let mut weights = Vec::new();
    let fits = size_of::<u64>() as u128 * own.len() as u128 <= limit.allowed(received.len() / 2, 0, &[own.len()]);
    let has_room = fits && weights.try_reserve_exact(own.len()).is_ok();
    world.agree(has_room.then_some(()).ok_or_else(|| no_memory("rows", own.len())))?;
    weights.resize(own.len(), 1u64);
    for run in received.chunks_exact(2) {
        weights[run[0] as usize - own.start] += run[1];
    }

    // The weights of the ranks before this one, and of all.
    let sums = world.all_gather(&[weights.iter().sum::<u64>()]);
    let before: u64 = sums[..world.rank()].iter().sum();
    let starts = cuts(own, &weights, before, sums.iter().sum(), world.size());
    let mut starts = world.greatest_each(&starts);
    starts.push(rows as u64);
    Partition::try_from_starts(starts.into_iter().map(|start| start as usize).collect())
}

/// Divides the rows of a matrix that this process has, as [`balanced`] does.
pub(crate) fn balanced_here<S: Source<2>>(source: &S, ranks: usize) -> Partition {
    let rows = source.shape()[0];
    let mut weights = vec![1u64; rows];
    source.for_each(|[row, _], _| weights[row] += 1);
    let mut starts = cuts(0..rows, &weights, 0, weights.iter().sum(), ranks);
    starts.push(rows as u64);
    let starts = starts.into_iter().map(|start| start as usize).collect();
    Partition::try_from_starts(starts).unwrap_or_else(|_| Partition::even(rows, ranks))
}

/// Returns the first row of each rank whose share of the `total` weight ends in some rows, which have these weights and that
/// `before` them, and 0 for the other ranks.
fn cuts(rows: Range<usize>, weights: &[u64], before: u64, total: u64, ranks: usize) -> Vec<u64> {
    let share = |rank: usize| (u128::from(total) * rank as u128 / ranks as u128) as u64;
    let mut starts = vec![0; ranks];
    let (mut before, mut rank) = (before, 0);
    while rank < ranks && share(rank) < before {
        rank += 1;
    }
    for (row, weight) in rows.zip(weights) {
        while rank < ranks && share(rank) < before + weight {
            // The nearer border of the row in which the share ends.
            let is_nearer_end = 2 * (share(rank) - before) > *weight;
            starts[rank] = (row + usize::from(is_nearer_end)) as u64;
            rank += 1;
        }
        before += weight;
    }
    starts
}

/// Returns rows and their numbers of elements, in ascending order, without the rows outside the shape.
///
/// Runs of elements in one row are listed, and sorted at last. Once the list is longer than the numbers of all rows would be, these are
/// kept instead.
fn runs_of<S: Source<2>>(source: &S, rows: usize) -> Vec<[u64; 2]> {
    let mut runs: Vec<[u64; 2]> = Vec::new();
    let mut numbers: Vec<u64> = Vec::new();
    source.for_each(|[row, _], _| {
        if let Some(number) = numbers.get_mut(row) {
            *number += 1;
            return;
        }
        match runs.last_mut() {
            Some([last, count]) if *last == row as u64 => *count += 1,
            _ if row < rows && numbers.is_empty() => runs.push([row as u64, 1]),
            _ => {}
        }
        if 2 * runs.len() > rows {
            numbers = vec![0; rows];
            runs.drain(..).for_each(|[row, count]| numbers[row as usize] += count);
        }
    });
    if !numbers.is_empty() {
        let numbers = numbers.into_iter().enumerate().filter(|(_, count)| *count > 0);
        return numbers.map(|(row, count)| [row as u64, count]).collect();
    }
    runs.sort_unstable();
    runs.dedup_by(|next, kept| {
        let same = next[0] == kept[0];
        kept[1] += if same { next[1] } else { 0 };
        same
    });
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use unisparse::Triplets;

    #[test]
    fn rows_are_counted_in_any_order() {
        for rows in [1, 2, 5, 30, 1000] {
            for count in [0, 1, 3, 40, 700] {
                let places: Vec<usize> = (0..count).map(|k| (k * k + 7 * k / 3) % rows).collect();
                let elements = places.iter().map(|row| ([*row, 0], 1.0));
                let all: Triplets<f64, 2> = Triplets::try_from_triplets([rows, 1], elements).unwrap();
                let expected = (0..rows).map(|row| [row, places.iter().filter(|place| **place == row).count()]);
                let expected: Vec<_> = expected.filter(|[_, count]| *count > 0).collect();
                let found: Vec<_> = runs_of(&all, rows)
                    .into_iter()
                    .map(|run| run.map(|number| number as usize))
                    .collect();
                assert_eq!(found, expected, "{count} in {rows}");
            }
        }
    }
}
