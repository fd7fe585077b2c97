//! Sums by coordinate within one fiber of a sparse output, taken out in rising order.

use core::mem;

use crate::Scalar;

/// Up to so many keys have a place each.
const FEW: usize = 1 << 22;

/// So have they if there are at most so many for each that is expected.
const SPREAD: usize = 16;

/// The values of some keys, put together where a key comes again. Empty after each [`drain`](Workspace::drain), which
/// takes time for what was added, not for what could have been.
#[derive(Debug)]
pub struct Workspace<S>(Places<S>);

#[derive(Debug)]
enum Places<S> {
    Dense(Dense<S>),
    Hash(Hash<S>),
}

impl<S: Scalar> Workspace<S> {
    /// For keys below `keys`, at most 2^32, of which about `expected` will be added between two drains.
    ///
    /// Takes a place for each key where they are few, or few for each that is expected; else memory grows with the
    /// keys that are added.
    #[must_use]
    pub fn new(keys: usize, expected: usize) -> Self {
        if keys <= FEW || keys / SPREAD <= expected {
            Workspace(Places::Dense(Dense::new(keys)))
        } else {
            Workspace(Places::Hash(Hash::new()))
        }
    }

    /// Adds a value: the first of a key as it is, the next by `combine(what is there, value)`. `O(1)`.
    ///
    /// # Panics
    /// If the key is not below the number of keys.
    #[inline]
    pub fn add(&mut self, key: usize, value: S, combine: impl Fn(S, S) -> S) {
        match &mut self.0 {
            Places::Dense(dense) => dense.add(key, value, combine),
            Places::Hash(hash) => hash.add(key, value, combine),
        }
    }

    /// How many keys were added.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Places::Dense(dense) => dense.touched.len(),
            Places::Hash(hash) => hash.entries.len(),
        }
    }

    /// Whether none was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Visits each key that was added and its value, in rising order of keys, and takes them out.
    #[inline]
    pub fn drain(&mut self, visit: impl FnMut(usize, S)) {
        match &mut self.0 {
            Places::Dense(dense) => dense.drain(visit),
            Places::Hash(hash) => hash.drain(visit),
        }
    }
}

/// A place for each key, and a bit that says whether it is in use.
#[derive(Debug)]
struct Dense<S> {
    values: Vec<S>,
    bits: Vec<u64>,
    /// The keys in use, as they came.
    touched: Vec<u32>,
}

impl<S: Scalar> Dense<S> {
    fn new(keys: usize) -> Self {
        Dense {
            values: vec![S::ZERO; keys],
            bits: vec![0; keys.div_ceil(64)],
            touched: Vec::new(),
        }
    }

    #[inline]
    fn add(&mut self, key: usize, value: S, combine: impl Fn(S, S) -> S) {
        let (word, bit) = (&mut self.bits[key / 64], 1 << (key % 64));
        let place = &mut self.values[key];
        if *word & bit == 0 {
            *word |= bit;
            *place = value;
            self.touched.push(key as u32);
        } else {
            *place = combine(*place, value);
        }
    }

    fn drain(&mut self, mut visit: impl FnMut(usize, S)) {
        /// Looking at a word takes about as long as this part of sorting a key.
        const WORDS_PER_KEY: usize = 16;
        let words = |touched: &[u32]| {
            let words = touched.iter().map(|&key| key as usize / 64);
            words.fold((usize::MAX, 0), |(first, end), word| {
                (first.min(word), end.max(word + 1))
            })
        };
        let (first, end) = words(&self.touched);
        if end.saturating_sub(first) <= WORDS_PER_KEY * self.touched.len() {
            for word in first..end {
                let mut bits = mem::take(&mut self.bits[word]);
                while bits != 0 {
                    let key = word * 64 + bits.trailing_zeros() as usize;
                    visit(key, self.values[key]);
                    bits &= bits - 1;
                }
            }
        } else {
            self.touched.sort_unstable();
            for &key in &self.touched {
                let key = key as usize;
                self.bits[key / 64] = 0;
                visit(key, self.values[key]);
            }
        }
        self.touched.clear();
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

    #[inline]
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

    fn drain(&mut self, mut visit: impl FnMut(usize, S)) {
        self.entries.sort_unstable_by_key(|&(key, _)| key);
        for (key, value) in self.entries.drain(..) {
            visit(key, value);
        }
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

    fn dense(keys: usize) -> Workspace<i64> {
        Workspace(Places::Dense(Dense::new(keys)))
    }

    fn hash() -> Workspace<i64> {
        Workspace(Places::Hash(Hash::new()))
    }

    fn drained(workspace: &mut Workspace<i64>) -> Vec<(usize, i64)> {
        let mut all = Vec::new();
        workspace.drain(|key, value| all.push((key, value)));
        all
    }

    proptest! {
        #[test]
        fn sums_are_those_of_a_map(
            fibers in prop::collection::vec(prop::collection::vec((0..20_000usize, -9..9i64), 0..300), 0..6),
            near in any::<bool>(),
        ) {
            for mut workspace in [dense(20_000), hash()] {
                for fiber in &fibers {
                    let mut expected = BTreeMap::new();
                    for &(key, value) in fiber {
                        let key = if near { key % 150 } else { key };
                        // Not commutative: the order that values come in is kept.
                        let combine = |sum: i64, value: i64| sum.wrapping_mul(3).wrapping_add(value);
                        expected.entry(key).and_modify(|sum| *sum = combine(*sum, value)).or_insert(value);
                        workspace.add(key, value, combine);
                    }
                    prop_assert_eq!(workspace.len(), expected.len());
                    prop_assert_eq!(drained(&mut workspace), expected.into_iter().collect::<Vec<_>>());
                    prop_assert!(workspace.is_empty());
                }
            }
        }
    }

    #[test]
    fn few_keys_have_a_place_each() {
        let is_dense = |keys, expected| matches!(Workspace::<f64>::new(keys, expected).0, Places::Dense(_));
        assert!(is_dense(0, 0) && is_dense(FEW, 0) && is_dense(2 * FEW, FEW));
        assert!(!is_dense(2 * FEW, 1000) && !is_dense(1 << 32, 1 << 20));
    }

    #[test]
    fn rounds_start_again() {
        let mut workspace = hash();
        if let Places::Hash(hash) = &mut workspace.0 {
            hash.round = u32::MAX;
        }
        for _ in 0..3 {
            workspace.add(7, 1, i64::plus);
            workspace.add(7, 2, i64::plus);
            assert_eq!(drained(&mut workspace), [(7, 3)]);
        }
    }
}
