//! `schedule`: distributes groups evenly over buckets.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Queries;
use super::fields::Fields;
use super::groups::{Budget, Tables, WriteGroups, each_group};
use super::order::TupleKeys;
use crate::element::Stored;
use crate::error::Error;
use crate::machine::pages;

impl<T: Stored, const N: usize, const Q: usize> Queries<'_, T, N, Q> {
    /// Assigns the groups of the query `of` to buckets, in the order of `traverse` with ties in group order: each group goes
    /// to the bucket with the least total so far, the lowest among equals. Groups with result 0 are not assigned and get 0.
    ///
    /// # Errors
    /// `Overflow` if the total of a bucket does not fit.
    ///
    /// # Panics
    /// If there are no buckets.
    pub fn schedule<const G: usize, const K: usize>(
        &mut self,
        query: usize,
        name: &'static str,
        of: usize,
        buckets: usize,
        traverse: impl Fn([i64; G], &Tables) -> [i64; K] + Sync,
    ) -> Result<(), Error> {
        assert!(buckets > 0, "query `{name}` has no buckets");
        let write = each_group::<G>(K.max(1), |tuple, tables, row| {
            row[..K].copy_from_slice(&traverse(tuple, tables));
        });
        let budget = self.state.budget(name);
        let tables = &mut self.state.tables;
        let schedule = schedule(tables, budget, of, buckets, (&write, K))?;
        tables.insert_shared(query, of, schedule);
        Ok(())
    }
}

/// Returns the bucket of each group of the query `of`; `traverse` writes that many fields.
fn schedule(
    tables: &Tables,
    budget: Budget,
    of: usize,
    buckets: usize,
    (write, traverse): (&WriteGroups, usize),
) -> Result<Vec<i64>, Error> {
    let (groups, numbers) = tables.of(of);
    let mut placed: Vec<usize> = pages::with_capacity(groups.count);
    placed.extend((0..groups.count).filter(|&group| numbers[group] > 0));
    let (all, fields) = (groups.tuples(), groups.domains.len());
    let mut tuples = pages::with_capacity(placed.len() * fields);
    for &group in &placed {
        tuples.extend_from_slice(&all[group * fields..][..fields]);
    }
    let width = traverse.max(1);
    let rows = tables.rows(write, &tuples, placed.len(), width);
    let order = TupleKeys::new(placed.len())
        .append_last(&[], Fields::new(&rows, width, 0..traverse))
        .order();
    // An empty bucket precedes all others, so at most as many buckets as groups are used.
    let mut totals: BinaryHeap<_> = (0..buckets.min(placed.len()))
        .map(|bucket| Reverse((0i64, bucket)))
        .collect();
    let mut schedule = pages::filled(0, groups.count);
    for group in order.items.into_iter().map(|at| placed[at]) {
        let Some(mut least) = totals.peek_mut() else { break };
        let Reverse((total, bucket)) = *least;
        schedule[group] = bucket as i64;
        let total = total.checked_add(numbers[group]).ok_or_else(|| budget.overflow())?;
        *least = Reverse((total, bucket));
    }
    Ok(schedule)
}
