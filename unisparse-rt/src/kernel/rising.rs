//! The distinct keys of a fiber put in rising order.

/// So many keys are counted against each other faster than marked and looked for.
const FEW: usize = 48;
/// So many marks are looked at in the time that one key takes to be sorted by comparison.
const GROUPS_PER_KEY: usize = 8;

/// What sorting takes besides the keys: a bit for each key there may be, and one for each word of those. All are zero
/// between calls.
#[derive(Debug)]
pub(super) struct Rising {
    words: Vec<u64>,
    groups: Vec<u64>,
    /// The keys of a short list, while it is sorted.
    few: [u32; FEW],
}

impl Rising {
    /// For keys below `keys`, at most 2^31. Takes a bit for each, touched where keys are.
    pub(super) fn new(keys: usize) -> Self {
        Rising {
            words: vec![0; keys.div_ceil(64)],
            groups: vec![0; keys.div_ceil(64 * 64)],
            few: [0; FEW],
        }
    }

    /// Sorts keys that all differ. `O(n)` where they are marked, for keys that are many or near each other.
    ///
    /// # Panics
    /// If a key is not below the number of keys.
    #[inline]
    pub(super) fn sort(&mut self, keys: &mut [u32]) {
        if keys.is_sorted() {
            return;
        }
        if keys.len() <= FEW {
            self.sort_few(keys);
        } else {
            self.sort_many(keys);
        }
    }

    /// Counts for each key those that are less: no branch depends on keys.
    fn sort_few(&mut self, keys: &mut [u32]) {
        /// Keys that are counted for at once, in vectors.
        const LANES: usize = 16;
        let few = &mut self.few[..keys.len()];
        few.copy_from_slice(keys);
        for first in (0..few.len()).step_by(LANES) {
            // Below 2^31: compared with a sign, for which vectors have an instruction everywhere.
            let mut block = [0; LANES];
            let count = LANES.min(few.len() - first);
            block[..count].copy_from_slice(&few[first..first + count]);
            let block = block.map(|key| key as i32);
            let mut ranks = [0u32; LANES];
            for &other in &*few {
                for (rank, key) in ranks.iter_mut().zip(block) {
                    *rank += u32::from((other as i32) < key);
                }
            }
            for (&rank, &key) in ranks.iter().zip(&few[first..first + count]) {
                keys[rank as usize] = key;
            }
        }
    }

    #[inline(never)]
    fn sort_many(&mut self, keys: &mut [u32]) {
        let ends = |(least, greatest): (u32, u32), &key: &u32| (least.min(key), greatest.max(key));
        let (least, greatest) = keys.iter().fold((u32::MAX, 0), ends);
        let groups = least as usize >> 12..(greatest as usize >> 12) + 1;
        if groups.len() > GROUPS_PER_KEY * keys.len() {
            keys.sort_unstable();
            return;
        }
        for &key in &*keys {
            self.words[key as usize >> 6] |= 1 << (key & 63);
            self.groups[key as usize >> 12] |= 1 << (key >> 6 & 63);
        }
        let mut sorted = keys.iter_mut();
        for group in groups {
            for word in bits(core::mem::take(&mut self.groups[group])) {
                let word = group << 6 | word;
                let keys = bits(core::mem::take(&mut self.words[word])).map(|bit| (word << 6 | bit) as u32);
                // Keys first: the last place of a word is the first of the next otherwise.
                keys.zip(sorted.by_ref()).for_each(|(key, place)| *place = key);
            }
        }
    }
}

/// The numbers of the bits that are set, rising.
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
            let mut rising = Rising::new(1 << 23);
            for keys in [keys, again] {
                let mut sorted: Vec<u32> = keys.into_iter().collect();
                let mut expected = sorted.clone();
                expected.sort();
                rising.sort(&mut sorted);
                prop_assert_eq!(sorted, expected);
                prop_assert!(rising.words.iter().chain(&rising.groups).all(|&word| word == 0));
            }
        }
    }
}
