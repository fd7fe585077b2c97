//! Hash table of sums by keys of any size.

use crate::element::Scalar;

/// Keys and sums in insertion order, found through slots by open addressing.
#[derive(Debug)]
pub(super) struct Hash<S> {
    entries: Vec<(usize, S)>,
    /// Slots; their number is a power of two, and at least twice the number of entries.
    slots: Vec<Slot>,
    /// Current round; slots of another round are free.
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

    /// Returns the slot of a key, or the free slot where it belongs.
    ///
    /// The search starts at the product of the key and 2^64 over the golden ratio, whose high bits are mixed best.
    #[inline]
    fn slot(&self, key: usize) -> usize {
        let (mixed, mask) = ((key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15), self.slots.len() - 1);
        let mut at = (mixed >> 32) as usize & mask;
        while self.slots[at].round == self.round && self.entries[self.slots[at].entry as usize].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Adds a value: the first value of a key is stored as it is, later ones by `combine(sum, value)`. `O(1)` on average.
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

    /// Returns the keys and their sums, in ascending order of keys.
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
