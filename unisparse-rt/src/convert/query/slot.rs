//! `slot`: assigns elements to slots of their group, with a minimum distance between elements of one key.

use core::ops::Range;
use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::groups::{Budget, Groups, domains, is_small, position, volume};
use super::order::{Keys, extremes};
use super::{Column, Queries};
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
        let budget = self.budget(name);
        self.numbers[query] = Some(self.slots(budget, distance, groups, group, key, traverse)?);
        Ok(())
    }

    /// Computes the slots of the elements, as one column per piece.
    fn slots<const G: usize, const K: usize, const L: usize>(
        &self,
        budget: Budget,
        distance: usize,
        groups: [Option<Domain>; G],
        group: impl Fn([i64; N], [i64; Q]) -> [i64; G] + Sync,
        key: impl Fn([i64; N], [i64; Q]) -> [i64; L] + Sync,
        traverse: impl Fn([i64; N], [i64; Q]) -> [i64; K] + Sync,
    ) -> Result<Vec<Column>, Error> {
        let list = self.list();
        let count = list.len();
        let key_of = list.each(&key);
        let domains = domains(budget, [None; L], || extremes(count, &key_of))?;
        let (keys, of_elements) = if is_small(&domains, count) {
            let key = |element| position(&domains, &key_of(element));
            (volume(&domains) as usize, parallel::map(count, key))
        } else {
            let (keys, of_elements) = Groups::occurring(domains, count, &key_of);
            (keys.count, of_elements)
        };
        let grouped = Keys::new(count).append(groups, list.each(&group)).group();
        let order = if list.coordinates.is_sorted() {
            grouped.append_last([None; K], list.each(&traverse))
        } else {
            let extents = self.shape.map(|size| Some(Domain { lo: 0, size }));
            let traversed = grouped.append([None; K], list.each(&traverse));
            traversed.append_last(extents, |element| list.coordinate(element))
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
