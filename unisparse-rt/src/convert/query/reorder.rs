//! `reorder`: ranks groups by the result of another query.

use super::Queries;
use super::groups::Tables;
use super::order::Keys;
use crate::element::Stored;
use crate::error::Error;
use crate::machine::pages;

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
        let (groups, numbers) = self.tables.of(of);
        // Groups without elements also have ranks.
        let mut wider = None;
        if !groups.is_full() {
            let (full, places) = groups.full::<G>(self.budget(name))?;
            let mut spread = vec![0; full.count];
            for (&number, &place) in numbers.iter().zip(&places) {
                spread[place] = number;
            }
            wider = Some((full, spread));
        }
        let (all, numbers) = wider
            .as_ref()
            .map_or((groups, numbers), |(full, spread)| (full, spread));
        let within = |group: usize| within(all.tuple(group), &self.tables);
        let order = Keys::new(all.count)
            .append([None; H], within)
            .group()
            // `!` reverses the order and, unlike negation, cannot overflow.
            .append([None], |group| {
                [if descending { !numbers[group] } else { numbers[group] }]
            })
            .append_last([None; K], |group| traverse(all.tuple(group), &self.tables))
            .order();
        let mut ranks = pages::filled(0, all.count);
        for part in 0..order.starts.len() - 1 {
            for (rank, &group) in order.group(part).iter().enumerate() {
                ranks[group] = rank as i64;
            }
        }
        match wider {
            None => self.tables.insert_shared(query, of, ranks),
            Some((full, _)) => self.tables.insert(query, full, ranks),
        }
        Ok(())
    }
}
