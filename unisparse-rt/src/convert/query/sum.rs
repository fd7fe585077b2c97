//! `sum`: adds up a number of each element, per group.

use core::ops::Range;

use super::groups::{Budget, Groups, Tables, WriteGroups, domains, each_group, is_small, position, volume};
use super::sizes::{GroupsOf, Sizes};
use super::{ClauseRows, Column, Queries, each_row, fits};
use crate::array::Domain;
use crate::element::Stored;
use crate::error::Error;
use crate::machine::{pages, parallel};

/// The contribution of coordinates without an element, for sums whose groups depend on the coordinate alone.
#[derive(Clone, Copy)]
pub struct Absent<'a, const G: usize> {
    /// The number that each absent coordinate of a group contributes.
    pub number: &'a (dyn Fn([i64; G], &Tables) -> i64 + Sync),
    /// The dims that each field of the group depends on.
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
        let write = each_row(G + 1, |value, coordinate, results, row: &mut [i64]| {
            row[..G].copy_from_slice(&group(coordinate, results));
            row[G] = number(value, coordinate, results);
        });
        let budget = self.state.budget(name);
        let (mut of, mut sums) = self.with_rows(G + 1, &write, |rows| sums(rows, budget, &groups))?;
        if let Some(absent) = absent {
            let shape = self.shape.map(|extent| extent as i64);
            let group = |coordinates: &[i64], groups: &mut [i64]| {
                let mut at = [0; N];
                for (element, row) in groups.chunks_exact_mut(G.max(1)).enumerate() {
                    at.copy_from_slice(&coordinates[element * N..][..N]);
                    row[..G].copy_from_slice(&group(at, [0; Q]));
                }
            };
            let number = each_group::<G>(1, |tuple, tables, row| row[0] = (absent.number)(tuple, tables));
            let clauses = Clauses {
                shape: &shape,
                involves: &absent.involves,
                group: &group,
                number: &number,
            };
            (of, sums) = clauses.add(budget, &self.state.tables, of, sums)?;
        }
        self.state.tables.insert(query, of, sums);
        Ok(())
    }
}

/// The clauses of a sum that has numbers of absent coordinates.
struct Clauses<'a> {
    shape: &'a [i64],
    involves: &'a [&'a [usize]],
    group: &'a GroupsOf<'a>,
    number: &'a WriteGroups<'a>,
}

impl Clauses<'_> {
    /// Adds the numbers of absent coordinates to the sums of all groups.
    fn add(
        &self,
        budget: Budget,
        tables: &Tables,
        mut of: Groups,
        mut sums: Vec<i64>,
    ) -> Result<(Groups, Vec<i64>), Error> {
        if !of.is_full() {
            // Groups without elements also have sums.
            let (full, places) = of.full(budget)?;
            let mut all = vec![0; full.count];
            places.iter().zip(sums).for_each(|(&place, sum)| all[place] = sum);
            (of, sums) = (full, all);
        }
        // Without groups there is nothing to count, and the counts of single parts of the box are not bounded.
        if of.count == 0 {
            return Ok((of, sums));
        }
        let sizes = Sizes::count(budget, self.shape, &of.domains, self.involves, self.group)?;
        let mut stored = vec![0u64; of.count];
        for column in &of.of_elements {
            column.look_up(0, column.len(), |_, group| stored[group as usize] += 1);
        }
        let (tuples, fields) = (of.tuples(), of.domains.len());
        let numbers = tables.rows(self.number, &tuples, of.count, 1);
        for at in 0..of.count {
            let number = numbers[at];
            if number != 0 {
                sums[at] = sizes
                    .of(&tuples[at * fields..][..fields])
                    .and_then(|size| i64::try_from(size - u128::from(stored[at])).ok())
                    .and_then(|missing| number.checked_mul(missing)?.checked_add(sums[at]))
                    .ok_or_else(|| budget.overflow())?;
            }
        }
        drop(tuples);
        Ok((of, sums))
    }
}

/// Sums the last field of each row over the groups, which are given by the fields before it.
fn sums(rows: &ClauseRows, budget: Budget, groups: &[Option<Domain>]) -> Result<(Groups, Vec<i64>), Error> {
    let domains = domains(budget, groups, || rows.extremes(groups.len()))?;
    if !is_small(&domains, rows.count) {
        return sums_of_occurring(rows, budget, &domains);
    }
    match domains[..] {
        [domain] => sums_of_all(rows, budget, &domains, |row| {
            (row[0].wrapping_sub(domain.lo) as usize, row[1])
        }),
        _ => sums_of_all(rows, budget, &domains, |row| {
            let (&number, group) = row.split_last().expect("a row ends in its number");
            (position(&domains, group), number)
        }),
    }
}

/// Sums over all groups of a box in one visit; `field` returns the position of the group of a row, and its number.
fn sums_of_all(
    rows: &ClauseRows,
    budget: Budget,
    domains: &[Domain],
    fields: impl Fn(&[i64]) -> (usize, i64) + Sync,
) -> Result<(Groups, Vec<i64>), Error> {
    let count = volume(domains) as usize;
    let sums_of = |pieces: Range<usize>| {
        let (mut sums, mut fit) = (pages::filled(0i64, count), true);
        let mut column = |piece| {
            rows.column(piece, |row| {
                let (group, number) = fields(row);
                let sum = &mut sums[group];
                match fits(number).and_then(|number| sum.checked_add(number)) {
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
    let elements = rows.count;
    let worth = elements / (4 * count.max(1));
    let threads = parallel::pieces(elements).min(worth).max(1);
    let parts = parallel::each(parallel::ranges(rows.state.pieces.len(), threads), sums_of);
    let join = |(mut columns, mut sums): (Vec<Column>, Vec<i64>), (more, others): (Vec<Column>, Vec<i64>)| {
        columns.extend(more);
        for (sum, other) in sums.iter_mut().zip(others) {
            *sum = sum.checked_add(other)?;
        }
        Some((columns, sums))
    };
    let joined = parts.into_iter().reduce(|all, part| join(all?, part?)).flatten();
    // Where a sum of some elements does not fit, that of all may: which sums of some there are depends on the number of threads.
    let exact = || exact_sums_of_all(rows, count, fields);
    let (columns, sums) = joined.or_else(exact).ok_or_else(|| budget.overflow())?;
    Ok((Groups::all(domains, columns), sums))
}

/// Sums over `count` groups in 128 bits, on one thread; `None` if a number or a sum of all elements of a group does not fit 64 bits.
fn exact_sums_of_all(
    rows: &ClauseRows,
    count: usize,
    fields: impl Fn(&[i64]) -> (usize, i64),
) -> Option<(Vec<Column>, Vec<i64>)> {
    let (mut sums, mut fit) = (pages::filled(0i128, count), true);
    let columns = (0..rows.state.pieces.len()).map(|piece| {
        rows.column(piece, |row| {
            let (group, number) = fields(row);
            fit &= fits(number).is_some();
            sums[group] += i128::from(number);
            group as i64
        })
    });
    let columns = columns.collect();
    let sums: Option<Vec<i64>> = sums.into_iter().map(|sum| i64::try_from(sum).ok()).collect();
    Some((columns, sums.filter(|_| fit)?))
}

/// Sums over the groups that have elements, by sorting.
fn sums_of_occurring(rows: &ClauseRows, budget: Budget, domains: &[Domain]) -> Result<(Groups, Vec<i64>), Error> {
    let (list, fields) = (rows.list(), domains.len());
    let (mut groups, of_elements) = Groups::occurring(domains, list.len(), list.fields(0..fields));
    let (mut sums, numbers) = (vec![0i64; groups.count], list.fields(fields..fields + 1));
    for (element, &group) in of_elements.iter().enumerate() {
        let sum = fits(numbers.at(element, 0)).and_then(|number| sums[group].checked_add(number));
        sums[group] = sum.ok_or_else(|| budget.overflow())?;
    }
    groups.of_elements = list.columns(|element| of_elements[element] as i64);
    Ok((groups, sums))
}
