//! Argsort of the distinct keys of a fiber.

/// Maximum number of keys for which counting ranks is faster than a sort by bitmap.
const FEW: usize = 48;
/// Number of bitmap groups that are scanned in the time that a comparison sort takes for one key.
const GROUPS_PER_KEY: usize = 8;

/// Argsort of the keys of one fiber after another, with its workspace.
///
/// The workspace is a bitmap of the possible keys, and a summary bit for each of its words. All bits are zero between calls.
#[derive(Debug)]
pub(super) struct KeyOrder {
    words: Vec<u64>,
    groups: Vec<u64>,
    /// Number of possible keys. The bitmap is allocated when the first fiber needs it: short ones never do.
    keys: usize,
    /// Argsort of the last fiber: the numbers of its keys, least key first, followed by unused items.
    order: Vec<u32>,
    count: usize,
}

impl KeyOrder {
    /// Creates a workspace for keys below `keys`, which is at most 2^31.
    ///
    /// It takes at most a bit for each key, and memory for the longest fiber; it is touched only where keys are.
    pub(super) fn new(keys: usize) -> Self {
        KeyOrder {
            words: Vec::new(),
            groups: Vec::new(),
            keys,
            order: vec![0; keys],
            count: 0,
        }
    }

    /// Returns the argsort of distinct keys: their numbers from 0, in ascending order of the keys.
    ///
    /// `number` returns the number of a key. `O(n)` where the bitmap is used, for keys that are many or close to each other.
    ///
    /// # Panics
    /// If a key is not below the number of keys.
    #[inline]
    pub(super) fn order(&mut self, keys: &[u32], number: impl Fn(u32) -> u32) -> &[u32] {
        // Consecutive fibers often have the same order.
        if self.count != keys.len() || !self.is_order_of(keys) {
            self.find(keys, number);
        }
        &self.order[..self.count]
    }

    #[inline]
    fn is_order_of(&self, keys: &[u32]) -> bool {
        self.order[..self.count].iter().map(|&at| keys[at as usize]).is_sorted()
    }

    #[inline(never)]
    fn find(&mut self, keys: &[u32], number: impl Fn(u32) -> u32) {
        self.count = keys.len();
        let order = &mut self.order[..keys.len()];
        if keys.is_sorted() {
            order.iter_mut().zip(0..).for_each(|(at, number)| *at = number);
        } else if keys.len() <= FEW {
            order_few(keys, order);
        } else {
            self.order_many(keys, number);
        }
    }

    fn order_many(&mut self, keys: &[u32], number: impl Fn(u32) -> u32) {
        let order = &mut self.order[..keys.len()];
        let ends = |(least, greatest): (u32, u32), &key: &u32| (least.min(key), greatest.max(key));
        let (least, greatest) = keys.iter().fold((u32::MAX, 0), ends);
        let groups = least as usize >> 12..(greatest as usize >> 12) + 1;
        if groups.len() > GROUPS_PER_KEY * keys.len() {
            order.copy_from_slice(keys);
            order.sort_unstable();
            order.iter_mut().for_each(|at| *at = number(*at));
            return;
        }
        if self.words.is_empty() {
            self.words = vec![0; self.keys.div_ceil(64)];
            self.groups = vec![0; self.keys.div_ceil(64 * 64)];
        }
        for &key in keys {
            self.words[key as usize >> 6] |= 1 << (key & 63);
            self.groups[key as usize >> 12] |= 1 << (key >> 6 & 63);
        }
        let mut order = order.iter_mut();
        for group in groups {
            for word in bits(core::mem::take(&mut self.groups[group])) {
                let word = group << 6 | word;
                let keys = bits(core::mem::take(&mut self.words[word])).map(|bit| (word << 6 | bit) as u32);
                // `keys` comes first in the zip: otherwise, the end of each word would consume a place of the next word.
                keys.zip(order.by_ref()).for_each(|(key, at)| *at = number(key));
            }
        }
    }
}

/// Ranks each key by counting the lesser keys; no branch depends on keys.
fn order_few(keys: &[u32], order: &mut [u32]) {
    /// Number of keys that are ranked at once, in vectors.
    const LANES: usize = 16;
    for first in (0..keys.len()).step_by(LANES) {
        // Keys are below 2^31, and compared as signed: all vector instruction sets have an instruction for that.
        let mut block = [0; LANES];
        let count = LANES.min(keys.len() - first);
        block[..count].copy_from_slice(&keys[first..first + count]);
        let block = block.map(|key| key as i32);
        let mut ranks = [0u32; LANES];
        for &other in keys {
            for (rank, key) in ranks.iter_mut().zip(block) {
                *rank += u32::from((other as i32) < key);
            }
        }
        for (at, &rank) in ranks[..count].iter().enumerate() {
            order[rank as usize] = (first + at) as u32;
        }
    }
}

/// Iterates over the numbers of the set bits, in ascending order.
#[inline]
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_rise(
            keys in prop::collection::hash_set(prop_oneof![0..500u32, 0..70_000u32, (1 << 23) - 50..1u32 << 23], 0..200),
            again in prop::collection::hash_set(0..1u32 << 23, 0..200),
        ) {
            let mut keys_order = KeyOrder::new(1 << 23);
            let [keys, again] = [keys, again].map(|keys| keys.into_iter().collect::<Vec<u32>>());
            // The second list is ordered as the first, the third is not.
            let moved = keys.iter().map(|&key| key.saturating_add(5).min((1 << 23) - 1)).collect::<Vec<u32>>();
            let reversed = keys.iter().rev().copied().collect::<Vec<u32>>();
            for keys in [&keys, &keys, &reversed, &again, &moved] {
                let mut expected = keys.clone();
                expected.sort();
                expected.dedup();
                if expected.len() < keys.len() {
                    continue;
                }
                let number = |key| keys.iter().position(|&other| other == key).map_or(u32::MAX, |at| at as u32);
                let order = keys_order.order(keys, number);
                let sorted: Vec<u32> = order.iter().map(|&at| keys[at as usize]).collect();
                prop_assert_eq!(sorted, expected);
                prop_assert!(keys_order.words.iter().chain(&keys_order.groups).all(|&word| word == 0));
            }
        }
    }
}
