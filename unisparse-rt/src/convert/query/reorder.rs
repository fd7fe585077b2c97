//! `reorder`: ranks groups by the result of another query.

use super::Queries;
use super::fields::Fields;
use super::groups::{Budget, Groups, Tables, WriteGroups, each_group};
use super::order::TupleKeys;
use crate::element::Stored;
use crate::error::Error;
use crate::machine::{pages, parallel};

impl<T: Stored, const N: usize, const Q: usize> Queries<'_, T, N, Q> {
    /// Ranks the groups of the query `of`, including groups without elements, among the groups with equal `within` numbers:
    /// by the result of `of`, then by their `traverse` numbers, then by the groups themselves.
    ///
    /// # Errors
    /// `Limit` if a table of all groups would take more bytes than allowed.
    pub fn reorder<const G: usize, const H: usize, const K: usize>(
        &mut self,
        query: usize,
        name: &'static str,
        of: usize,
        descending: bool,
        within: impl Fn([i64; G], &Tables) -> [i64; H] + Sync,
        traverse: impl Fn([i64; G], &Tables) -> [i64; K] + Sync,
    ) -> Result<(), Error> {
        let write = each_group::<G>((H + K).max(1), |tuple, tables, row| {
            row[..H].copy_from_slice(&within(tuple, tables));
            row[H..H + K].copy_from_slice(&traverse(tuple, tables));
        });
        let budget = self.state.budget(name);
        let tables = &mut self.state.tables;
        match ranks(tables, budget, of, descending, (&write, H, K))? {
            (None, ranks) => tables.insert_shared(query, of, ranks),
            (Some(full), ranks) => tables.insert(query, full, ranks),
        }
        Ok(())
    }
}

/// Returns the rank of each group of the query `of`, and all groups unless the query has them; `write` writes `within` and
/// `traverse` fields.
fn ranks(
    tables: &Tables,
    budget: Budget,
    of: usize,
    descending: bool,
    (write, within, traverse): (&WriteGroups, usize, usize),
) -> Result<(Option<Groups>, Vec<i64>), Error> {
    let (groups, numbers) = tables.of(of);
    // Groups without elements also have ranks.
    let mut wider = None;
    if !groups.is_full() {
        let (full, places) = groups.full(budget)?;
        let mut spread = vec![0; full.count];
        for (&number, &place) in numbers.iter().zip(&places) {
            spread[place] = number;
        }
        wider = Some((full, spread));
    }
    let (all, numbers) = wider
        .as_ref()
        .map_or((groups, numbers), |(full, spread)| (full, spread));
    let width = (within + traverse).max(1);
    let rows = tables.rows(write, &all.tuples(), all.count, width);
    // `!` reverses the order and, unlike negation, cannot overflow.
    let keys = parallel::map(all.count, |group| match descending {
        true => !numbers[group],
        false => numbers[group],
    });
    let order = TupleKeys::new(all.count)
        .append(&[], Fields::new(&rows, width, 0..within))
        .group()
        .append(&[], Fields::new(&keys, 1, 0..1))
        .append_last(&[], Fields::new(&rows, width, within..within + traverse))
        .order();
    let mut ranks = pages::filled(0, all.count);
    for part in 0..order.starts.len() - 1 {
        for (rank, &group) in order.group(part).iter().enumerate() {
            ranks[group] = rank as i64;
        }
    }
    Ok((wider.map(|(full, _)| full), ranks))
}
