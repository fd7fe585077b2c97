//! `sum`: adds up a number of each element, per group.

use core::ops::Range;

use super::groups::{Budget, Groups, Tables, domains, is_small, position, volume};
use super::sizes::Sizes;
use super::{Column, Queries, fits};
use crate::array::Domain;
use crate::element::Stored;
use crate::error::Error;
use crate::machine::{pages, parallel};

/// The contribution of coordinates without an element, for sums whose groups depend on the coordinate alone.
#[derive(Clone, Copy)]
pub struct Absent<'a, const G: usize> {
    /// The number that each absent coordinate of a group contributes.
    pub number: &'a dyn Fn([i64; G], &Tables) -> i64,
    /// The dimensions that each field of the group depends on.
    pub involves: [&'a [usize]; G],
}

impl<T: Stored, const N: usize, const Q: usize> Queries<'_, T, N, Q> {
    /// Sums the numbers of each group's elements, and of its absent coordinates if `absent` is given.
    ///
    /// `groups` are the domains of the group's fields; `None` fields are measured.
    ///
    /// # Errors
    /// `Overflow` if a sum does not fit. With `absent` also `Limit`, if a table of all groups would take more bytes than
    /// allowed or counting their sizes would take too long.
    pub fn sum<const G: usize>(
        &mut self,
        query: usize,
        name: &'static str,
        groups: [Option<Domain>; G],
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        number: impl Fn(T, [i64; N], [i64; Q]) -> i64 + Sync,
        absent: Option<Absent<'_, G>>,
    ) -> Result<(), Error> {
        let budget = self.budget(name);
        let domains = domains(budget, groups, || self.extremes(&group))?;
        let (mut of, mut sums) = if is_small(&domains, self.count()) {
            self.sums_of_all(budget, domains, &group, number)?
        } else {
            self.sums_of_occurring(budget, domains, &group, number)?
        };
        if absent.is_some() && !of.is_full() {
            // Groups without elements also have sums.
            let (full, places) = of.full::<G>(budget)?;
            let mut all = vec![0; full.count];
            places.iter().zip(sums).for_each(|(&place, sum)| all[place] = sum);
            (of, sums) = (full, all);
        }
        // Without groups there is nothing to count, and the counts of single parts of the box are not bounded.
        if let Some(absent) = absent.filter(|_| of.count > 0) {
            let sizes = Sizes::count(budget, self.shape, &of.domains, absent.involves, |at| group(at, [0; Q]))?;
            let mut stored = vec![0u64; of.count];
            for column in &of.of_elements {
                column.look_up(0, column.len(), |_, group| stored[group as usize] += 1);
            }
            for at in 0..of.count {
                let tuple = of.tuple(at);
                let number = (absent.number)(tuple, &self.tables);
                if number != 0 {
                    sums[at] = sizes
                        .of(&tuple)
                        .and_then(|size| i64::try_from(size - u128::from(stored[at])).ok())
                        .and_then(|missing| number.checked_mul(missing)?.checked_add(sums[at]))
                        .ok_or_else(|| budget.overflow())?;
                }
            }
        }
        self.tables.insert(query, of, sums);
        Ok(())
    }

    /// Sums over all groups of a box in one visit.
    fn sums_of_all<const G: usize>(
        &self,
        budget: Budget,
        domains: [Domain; G],
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        number: impl Fn(T, [i64; N], [i64; Q]) -> i64 + Sync,
    ) -> Result<(Groups, Vec<i64>), Error> {
        let count = volume(&domains) as usize;
        let sums_of = |pieces: Range<usize>| {
            let (mut sums, mut fit) = (pages::filled(0i64, count), true);
            let mut column = |piece| {
                self.column(piece, |value, coordinate, results| {
                    let group = position(&domains, &group(coordinate, results));
                    let sum = &mut sums[group];
                    match fits(number(value, coordinate, results)).and_then(|number| sum.checked_add(number)) {
                        Some(more) => *sum = more,
                        None => fit = false,
                    }
                    group as i64
                })
            };
            let columns: Vec<Column> = pieces.map(&mut column).collect();
            fit.then_some((columns, sums))
        };
        // Each thread has a private table; the number of threads is limited so that the tables cost less than the visit.
        let worth = self.count() / (4 * count.max(1));
        let threads = parallel::pieces(self.count()).min(worth).max(1);
        let parts = parallel::each(parallel::ranges(self.pieces.len(), threads), sums_of);
        let join = |(mut columns, mut sums): (Vec<Column>, Vec<i64>), (more, others): (Vec<Column>, Vec<i64>)| {
            columns.extend(more);
            for (sum, other) in sums.iter_mut().zip(others) {
                *sum = sum.checked_add(other)?;
            }
            Some((columns, sums))
        };
        let joined = parts.into_iter().reduce(|all, part| join(all?, part?)).flatten();
        let (columns, sums) = joined.ok_or_else(|| budget.overflow())?;
        Ok((Groups::all(&domains, columns), sums))
    }

    /// Sums over the groups that have elements, by sorting.
    fn sums_of_occurring<const G: usize>(
        &self,
        budget: Budget,
        domains: [Domain; G],
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        number: impl Fn(T, [i64; N], [i64; Q]) -> i64 + Sync,
    ) -> Result<(Groups, Vec<i64>), Error> {
        let list = self.list();
        let (mut groups, of_elements) = Groups::occurring(domains, list.len(), list.each(&group));
        let mut sums = vec![0i64; groups.count];
        for (element, &group) in of_elements.iter().enumerate() {
            let number = number(list.values[element], list.coordinate(element), list.results[element]);
            let sum = fits(number).and_then(|number| sums[group].checked_add(number));
            sums[group] = sum.ok_or_else(|| budget.overflow())?;
        }
        groups.of_elements = list.columns(|element| of_elements[element] as i64);
        Ok((groups, sums))
    }
}
