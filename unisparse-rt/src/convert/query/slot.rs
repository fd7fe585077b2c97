//! `slot`: assigns elements to slots of their group, with a minimum distance between elements of one key.

use core::ops::Range;
use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::groups::{Budget, Groups, domains, is_small, position, volume};
use super::order::{TupleKeys, extremes};
use super::{ClauseRows, Column, Queries, each_row};
use crate::array::Domain;
use crate::element::Stored;
use crate::error::Error;
use crate::machine::{pages, parallel, prefetch};

/// Prefetch distance in elements; their order is unrelated to memory order.
const AHEAD: usize = 16;

impl<T: Stored, const N: usize, const Q: usize> Queries<'_, T, N, Q> {
    /// Assigns each element the first free slot of its group that is at least `distance` after the slot of the preceding element
    /// with the same key. Elements are taken in the order of `traverse`, ties in logical order.
    ///
    /// # Errors
    /// `Limit` if a group needs more slots than allowed, `Overflow` if a slot number does not fit.
    #[expect(clippy::too_many_arguments, reason = "each is a clause of the query")]
    pub fn slot<const G: usize, const K: usize, const L: usize>(
        &mut self,
        query: usize,
        name: &'static str,
        distance: usize,
        groups: [Option<Domain>; G],
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        key: impl Fn([i64; N], [i64; Q]) -> [i64; L] + Sync,
        traverse: impl Fn([i64; N], [i64; Q]) -> [i64; K] + Sync,
    ) -> Result<(), Error> {
        let width = G + L + K + N;
        let write = each_row(width, |_: T, coordinate, results, row: &mut [i64]| {
            row[..G].copy_from_slice(&group(coordinate, results));
            row[G..G + L].copy_from_slice(&key(coordinate, results));
            row[G + L..G + L + K].copy_from_slice(&traverse(coordinate, results));
            row[G + L + K..].copy_from_slice(&coordinate);
        });
        let budget = self.state.budget(name);
        let extents = self.shape.map(|size| Some(Domain { lo: 0, size }));
        let columns = self.with_rows(width, &write, |rows| {
            slots(rows, budget, distance, (&groups, L, K, &extents))
        })?;
        self.state.numbers[query] = Some(columns);
        Ok(())
    }
}

/// Computes the slots of the elements, as one column per piece. A row has the fields of the group, then those of the key and
/// of the order within the group, and the coordinate.
fn slots(
    rows: &ClauseRows,
    budget: Budget,
    distance: usize,
    (groups, key, traverse, extents): (&[Option<Domain>], usize, usize, &[Option<Domain>]),
) -> Result<Vec<Column>, Error> {
    let list = rows.list();
    let count = list.len();
    let (group, traversed) = (groups.len(), groups.len() + key + traverse);
    let key_of = list.fields(group..group + key);
    let domains = domains(budget, &vec![None; key], || extremes(count, key_of))?;
    let (keys, of_elements) = if is_small(&domains, count) {
        let key = |element| position(&domains, key_of.of(element));
        (volume(&domains) as usize, parallel::map(count, key))
    } else {
        let (keys, of_elements) = Groups::occurring(&domains, count, key_of);
        (keys.count, of_elements)
    };
    let coordinates = list.fields(traversed..rows.width);
    let pairs = count.saturating_sub(1);
    let in_logical_order = (0..pairs).all(|element| coordinates.of(element) <= coordinates.of(element + 1));
    let grouped = TupleKeys::new(count).append(groups, list.fields(0..group)).group();
    let traverse_of = list.fields(traversed - traverse..traversed);
    let order = if in_logical_order {
        grouped.append_last(&[], traverse_of)
    } else {
        let traversed = grouped.append(&[], traverse_of);
        traversed.append_last(extents, coordinates)
    };
    let order = order.order();
    let numbers = parallel::map(count, |_| AtomicI64::new(0));
    let place = |groups: Range<usize>| {
        // For each key: the group (counted from 1) of its last element, and the first slot allowed for its next one.
        let mut next = pages::filled((0, 0), keys);
        let mut slots = Slots::default();
        for group in groups {
            slots.0.clear();
            let elements = order.group(group);
            for (at, &element) in elements.iter().enumerate() {
                if let Some(&soon) = elements.get(at + AHEAD) {
                    prefetch::read(&of_elements, soon);
                    prefetch::write(&numbers, soon);
                }
                let (seen, from) = &mut next[of_elements[element]];
                let slot = slots.take(if *seen == group + 1 { *from } else { 0 }, budget)?;
                *seen = group + 1;
                *from = slot.checked_add(distance).ok_or_else(|| budget.overflow())?;
                numbers[element].store(slot as i64, Relaxed);
            }
        }
        Ok(())
    };
    let mut pieces = order.pieces();
    if pieces.len().saturating_mul(keys) > count {
        // A table of the keys per piece would cost more than the elements.
        pieces = parallel::ranges(order.starts.len() - 1, 1);
    }
    let done = parallel::each(pieces, place);
    done.into_iter().collect::<Result<(), Error>>()?;
    Ok(list.columns(|element| numbers[element].load(Relaxed)))
}

/// The slots of a group, as a union-find forest: a free slot refers to itself, a taken one to a later slot. The last slot
/// is always free, as are all slots after it.
#[derive(Default)]
struct Slots(Vec<usize>);

impl Slots {
    /// Takes the first free slot at or after `from`.
    fn take(&mut self, from: usize, budget: Budget) -> Result<usize, Error> {
        if from >= self.0.len() {
            budget.reserve("slots of a group", &mut self.0, from as u128 + 1)?;
            self.0.extend(self.0.len()..=from);
        }
        let mut slot = from;
        while self.0[slot] != slot {
            // Path halving shortens later searches.
            self.0[slot] = self.0[self.0[slot]];
            slot = self.0[slot];
        }
        self.0[slot] = slot + 1;
        if slot + 1 == self.0.len() {
            self.0.push(slot + 1);
        }
        Ok(slot)
    }
}
