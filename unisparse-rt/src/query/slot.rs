//! `slot`: elements to slots of their group, those of one key a distance apart.

use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::Queries;
use super::groups::{Budget, Groups};
use super::order::{Keys, cut};
use crate::level::Domain;
use crate::{Error, Scalar, parallel};

impl<T: Scalar, const N: usize, const Q: usize> Queries<T, N, Q> {
    /// Gives each element the first free slot of its group that is at least `distance` after that of the element
    /// before with the same key, in the order of `traverse`, ties in logical order.
    ///
    /// # Errors
    /// `Limit` if the slots of a group are more than allowed, `Overflow` if one does not fit.
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
        let count = self.values.len();
        let keys = Groups::new(budget, [None; L], count, self.each(&key))?;
        let order = Keys::new(count)
            .append(groups, self.each(&group))
            .append([None; K], self.each(&traverse))
            .order();
        let numbers = parallel::map(count, |_| AtomicI64::new(0));
        let place = |order: &[usize]| {
            // For each key: the group (from 1) that had it last, and where an element of it may come next.
            let mut next = vec![(0, 0); keys.count];
            let mut slots = Slots::default();
            let (mut last, mut number) = (None, 0);
            for &element in order {
                let group = group(self.coordinate(element), self.results[element]);
                if last.replace(group) != Some(group) {
                    number += 1;
                    slots.0.clear();
                }
                let (seen, from) = &mut next[keys.of_elements[element]];
                let slot = slots.take(if *seen == number { *from } else { 0 }, budget)?;
                *seen = number;
                *from = slot.checked_add(distance).ok_or_else(|| budget.overflow())?;
                numbers[element].store(slot as i64, Relaxed);
            }
            Ok(())
        };
        let mut pieces = cut(&order, self.each(&group));
        if pieces.len().saturating_mul(keys.count) > count {
            // Tables of the keys for each piece would be larger than the work.
            pieces = vec![&order];
        }
        let done = parallel::each(pieces, place);
        done.into_iter().collect::<Result<(), Error>>()?;
        self.fill(query, numbers);
        Ok(())
    }
}

/// The slots of a group: each with itself if it is free, else with a later one to look at. There is a free one at
/// the end, as all after it.
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
            // Every other step is cut short for the next search.
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
