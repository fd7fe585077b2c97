//! Sums by coordinate within one fiber of a sparse output, given away in rising order.

use super::fibers::{Fibers, LoopOrder};
use crate::Scalar;

/// Up to so many keys have a place each; a table grows with those that are added of more.
const MOST_PLACES: usize = 1 << 24;

/// The memory that sums of the elements of one fiber are kept in, used for one fiber after another.
#[derive(Debug)]
pub struct Workspace<S> {
    /// One for each key, or none if keys are many.
    places: Vec<Place<S>>,
    /// The keys in use.
    used: Vec<u32>,
    /// What the places in use hold; never zero.
    stamp: u32,
    hash: Hash<S>,
}

#[derive(Debug, Clone, Copy)]
struct Place<S> {
    stamp: u32,
    value: S,
}

impl<S: Scalar> Workspace<S> {
    /// For keys below `keys`, at most 2^32.
    ///
    /// Takes a place for each key up to 2^24 of them; else memory grows with the keys that are added to a fiber.
    #[must_use]
    pub fn new(keys: usize) -> Self {
        Self::with_places(if keys <= MOST_PLACES { keys } else { 0 })
    }

    fn with_places(places: usize) -> Self {
        let free = Place {
            stamp: 0,
            value: S::ZERO,
        };
        Workspace {
            places: vec![free; places],
            used: Vec::new(),
            stamp: 0,
            hash: Hash::new(),
        }
    }

    /// A new fiber, without elements.
    #[inline]
    pub fn open(&mut self) -> Fiber<'_, S> {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.places.iter_mut().for_each(|place| place.stamp = 0);
            self.stamp = 1;
        }
        self.used.clear();
        self.hash.clear();
        Fiber {
            places: &mut self.places,
            used: &mut self.used,
            stamp: self.stamp,
            hash: &mut self.hash,
        }
    }
}

/// The sums of one fiber.
#[derive(Debug)]
pub struct Fiber<'a, S> {
    places: &'a mut [Place<S>],
    used: &'a mut Vec<u32>,
    stamp: u32,
    hash: &'a mut Hash<S>,
}

impl<S: Scalar> Fiber<'_, S> {
    /// Adds a value: the first of a key as it is, the next by `combine(what is there, value)`. `O(1)`.
    ///
    /// A key that is not below the number of keys makes a fiber that the output refuses.
    #[inline]
    pub fn add(&mut self, key: usize, value: S, combine: impl Fn(S, S) -> S) {
        let Some(place) = self.places.get_mut(key) else {
            self.hash.add(key, value, combine);
            return;
        };
        if place.stamp == self.stamp {
            place.value = combine(place.value, value);
        } else {
            *place = Place {
                stamp: self.stamp,
                value,
            };
            self.used.push(key as u32);
        }
    }

    /// The keys in use, in rising order.
    fn sort(&mut self) {
        /// Looking at a place takes about as long as this part of sorting a key.
        const PLACES_PER_KEY: usize = 8;
        /// A list that is sorted faster than it is looked at.
        const SHORT: usize = 64;
        let used = &mut *self.used;
        if used.len() <= SHORT {
            used.sort_unstable();
            return;
        }
        let ends = |(least, greatest): (u32, u32), &key: &u32| (least.min(key), greatest.max(key));
        let (least, greatest) = used.iter().fold((u32::MAX, 0), ends);
        let range = least as usize..greatest as usize + 1;
        if used.is_sorted() || range.len() > PLACES_PER_KEY * used.len() {
            used.sort_unstable();
            return;
        }
        let mut sorted = 0;
        for key in range {
            // The last of them is the greatest key: there is a place for all.
            if self.places[key].stamp == self.stamp {
                used[sorted] = key as u32;
                sorted += 1;
            }
        }
    }

    /// Appends the fiber to a result: each key is the last coordinate of an element, below `outer`.
    #[inline]
    pub fn append_to<T: Scalar<Sum = S>, O: LoopOrder, const N: usize>(
        mut self,
        output: &mut Fibers<T, O, N>,
        outer: [usize; N],
    ) {
        self.sort();
        let places = &*self.places;
        output.append_fiber(outer, self.used.iter().copied(), |key| {
            T::narrow(places[key as usize].value)
        });
        if !self.hash.entries.is_empty() {
            let mut values = self.hash.sorted().iter();
            let keys = values.clone().map(|&(key, _)| key as u32);
            let next = |_| T::narrow(values.next().map_or(S::ZERO, |&(_, value)| value));
            output.append_fiber(outer, keys, next);
        }
    }

    /// Visits each key and its value, in rising order of keys.
    #[inline]
    pub fn drain(mut self, mut visit: impl FnMut(usize, S)) {
        self.sort();
        for &key in self.used.iter() {
            visit(key as usize, self.places[key as usize].value);
        }
        for &(key, value) in self.hash.sorted() {
            visit(key, value);
        }
    }
}

/// Keys and values as they came, found through slots by open addressing.
#[derive(Debug)]
struct Hash<S> {
    entries: Vec<(usize, S)>,
    /// A power of two, at least twice as many as entries.
    slots: Vec<Slot>,
    /// Slots of another round are free.
    round: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    round: u32,
    entry: u32,
}

impl<S: Scalar> Hash<S> {
    const FREE: Slot = Slot { round: 0, entry: 0 };

    fn new() -> Self {
        Hash {
            entries: Vec::new(),
            slots: vec![Self::FREE; 64],
            round: 1,
        }
    }

    /// Where to look for a key first: its product with 2^64 over the golden ratio, of which the high bits are mixed best.
    #[inline]
    fn slot(&self, key: usize) -> usize {
        let mixed = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.slots.len() - 1)
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, key: usize, value: S, combine: impl Fn(S, S) -> S) {
        let mut slot = self.slot(key);
        while self.slots[slot].round == self.round {
            let (found, sum) = &mut self.entries[self.slots[slot].entry as usize];
            if *found == key {
                *sum = combine(*sum, value);
                return;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = Slot {
            round: self.round,
            entry: self.entries.len() as u32,
        };
        self.entries.push((key, value));
        if self.entries.len() > self.slots.len() / 2 {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.slots = vec![Self::FREE; self.slots.len() * 4];
        self.round = 1;
        for (entry, &(key, _)) in self.entries.iter().enumerate() {
            let mut slot = self.slot(key);
            while self.slots[slot].round == self.round {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = Slot {
                round: self.round,
                entry: entry as u32,
            };
        }
    }

    /// The keys and their values, in rising order of keys.
    fn sorted(&mut self) -> &[(usize, S)] {
        self.entries.sort_unstable_by_key(|&(key, _)| key);
        &self.entries
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.slots.fill(Self::FREE);
            self.round = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    fn drained(fiber: Fiber<'_, i64>) -> Vec<(usize, i64)> {
        let mut all = Vec::new();
        fiber.drain(|key, value| all.push((key, value)));
        all
    }

    proptest! {
        #[test]
        fn sums_are_those_of_a_map(
            fibers in prop::collection::vec(prop::collection::vec((0..20_000usize, -9..9i64), 0..300), 0..6),
            near in any::<bool>(),
        ) {
            for mut workspace in [Workspace::new(20_000), Workspace::with_places(0)] {
                for fiber in &fibers {
                    let mut expected = BTreeMap::new();
                    let mut sums = workspace.open();
                    for &(key, value) in fiber {
                        let key = if near { key % 150 } else { key };
                        // Not commutative: the order that values come in is kept.
                        let combine = |sum: i64, value: i64| sum.wrapping_mul(3).wrapping_add(value);
                        expected.entry(key).and_modify(|sum| *sum = combine(*sum, value)).or_insert(value);
                        sums.add(key, value, combine);
                    }
                    prop_assert_eq!(drained(sums), expected.into_iter().collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn few_keys_have_a_place_each() {
        assert_eq!(Workspace::<f64>::new(100).places.len(), 100);
        assert!(Workspace::<f64>::new(MOST_PLACES + 1).places.is_empty());
    }

    #[test]
    fn stamps_start_again() {
        for mut workspace in [Workspace::new(9), Workspace::with_places(0)] {
            (workspace.stamp, workspace.hash.round) = (u32::MAX - 1, u32::MAX - 1);
            for _ in 0..4 {
                let mut sums = workspace.open();
                sums.add(7, 1, i64::plus);
                sums.add(7, 2, i64::plus);
                assert_eq!(drained(sums), [(7, 3)]);
            }
        }
    }
}
