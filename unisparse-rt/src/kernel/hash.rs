//! Sums by keys of any size.

use crate::Scalar;

/// Keys and values as they came, found through slots by open addressing.
#[derive(Debug)]
pub(super) struct Hash<S> {
    entries: Vec<(usize, S)>,
    /// A power of two, at least twice as many as entries.
    slots: Vec<Slot>,
    /// Slots of another round are free.
    pub(super) round: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    round: u32,
    entry: u32,
}

impl<S: Scalar> Hash<S> {
    const FREE: Slot = Slot { round: 0, entry: 0 };

    pub(super) fn new() -> Self {
        Hash {
            entries: Vec::new(),
            slots: vec![Self::FREE; 64],
            round: 1,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The slot of a key, or the free one where it belongs. Looks first at its product with 2^64 over the golden ratio, of
    /// which the high bits are mixed best.
    #[inline]
    fn slot(&self, key: usize) -> usize {
        let (mixed, mask) = ((key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15), self.slots.len() - 1);
        let mut at = (mixed >> 32) as usize & mask;
        while self.slots[at].round == self.round && self.entries[self.slots[at].entry as usize].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Adds a value: the first of a key as it is, the next by `combine(what is there, value)`. `O(1)` on average.
    #[inline(never)]
    pub(super) fn add(&mut self, key: usize, value: S, combine: impl Fn(S, S) -> S) {
        let at = self.slot(key);
        if self.slots[at].round == self.round {
            let (_, sum) = &mut self.entries[self.slots[at].entry as usize];
            *sum = combine(*sum, value);
            return;
        }
        self.slots[at] = Slot {
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
        for entry in 0..self.entries.len() {
            let at = self.slot(self.entries[entry].0);
            self.slots[at] = Slot {
                round: self.round,
                entry: entry as u32,
            };
        }
    }

    /// The keys and their values, in rising order of keys.
    pub(super) fn sorted(&mut self) -> &[(usize, S)] {
        self.entries.sort_unstable_by_key(|&(key, _)| key);
        &self.entries
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.slots.fill(Self::FREE);
            self.round = 1;
        }
    }
}
