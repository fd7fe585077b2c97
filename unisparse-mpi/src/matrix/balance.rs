//! Blocks of rows with about the same number of elements.

use unisparse::Source;

use super::transfer::no_memory;
use crate::error::Error;
use crate::message::{all_to_all, counts};
use crate::partition::Partition;
use crate::world::World;

/// Divides the rows such that each rank has about as many elements, where each row counts as one more: vectors have an element
/// for each row, even an empty one. `O(elements log elements)` time, and memory for the rows of the rank.
///
/// First an even partition of the rows is made: the owner of a row there adds up its elements on all ranks.
pub(super) fn balanced<S: Source<2>>(world: &World, source: &S, rows: usize) -> Result<Partition, Error> {
    let even = Partition::even(rows, world.size());
    let runs = runs_of(source, rows);
    let mut to_each = vec![0; world.size()];
    runs.iter().for_each(|[row, _]| to_each[even.owner(*row as usize)] += 1);
    let from_each = counts(world, &to_each);
    let words: Vec<u64> = runs.into_iter().flatten().collect();
    let received = all_to_all(world, &words, &to_each, &from_each, 2);

    let own = even.of(world.rank());
    let mut weights = Vec::new();
    let room = weights.try_reserve_exact(own.len());
    world.agree(room.map_err(|_| no_memory("rows", own.len())))?;
    weights.resize(own.len(), 1u64);
    for run in received.chunks_exact(2) {
        weights[run[0] as usize - own.start] += run[1];
    }

    // The weights of the ranks before this one, and of all.
    let sums = world.all_gather(&[weights.iter().sum::<u64>()]);
    let mut before: u64 = sums[..world.rank()].iter().sum();
    let total: u64 = sums.iter().sum();
    // Rank `rank` starts at the first row before which there is its share of the weight.
    let share = |rank: usize| (u128::from(total) * rank as u128 / world.size() as u128) as u64;
    let mut starts = vec![0; world.size() + 1];
    starts[world.size()] = rows as u64;
    let mut rank = (0..world.size())
        .position(|rank| share(rank) >= before)
        .unwrap_or(world.size());
    for (row, weight) in own.zip(weights) {
        while rank < world.size() && share(rank) < before + weight {
            // The nearer border of the row in which the share ends.
            let is_nearer_end = 2 * (share(rank) - before) > weight;
            starts[rank] = (row + usize::from(is_nearer_end)) as u64;
            rank += 1;
        }
        before += weight;
    }
    let starts = world.greatest(&starts);
    Partition::try_from_starts(starts.into_iter().map(|start| start as usize).collect())
}

/// Returns rows and their numbers of elements, in ascending order, without the rows outside the shape.
fn runs_of<S: Source<2>>(source: &S, rows: usize) -> Vec<[u64; 2]> {
    let mut runs: Vec<[u64; 2]> = Vec::new();
    source.for_each(|[row, _], _| match runs.last_mut() {
        Some([last, count]) if *last == row as u64 => *count += 1,
        _ if row < rows => runs.push([row as u64, 1]),
        _ => {}
    });
    runs.sort_unstable();
    runs.dedup_by(|next, kept| {
        let same = next[0] == kept[0];
        kept[1] += if same { next[1] } else { 0 };
        same
    });
    runs
}
