//! Stable radix sort of packed coordinates: `O(n * bits)`, without comparisons.

use core::ops::Range;
use core::slice::IterMut;

use super::{pages, parallel};

/// Level coordinates of an element, packed so that their order is the storage order.
pub(crate) trait Key: Copy + PartialEq + PartialOrd + Send + Sync {
    const ZERO: Self;
    /// Returns the bits `shift..shift + width` as a number; `width` is at most 16.
    fn digit(self, shift: u32, width: u32) -> usize;
    /// Returns the bits that differ.
    fn difference(self, other: Self) -> Self;
    /// Returns the bits that are set in either key.
    fn union(self, other: Self) -> Self;
}

impl Key for u64 {
    const ZERO: Self = 0;
    #[inline]
    fn digit(self, shift: u32, width: u32) -> usize {
        ((self >> shift) & ((1 << width) - 1)) as usize
    }
    #[inline]
    fn difference(self, other: Self) -> Self {
        self ^ other
    }
    #[inline]
    fn union(self, other: Self) -> Self {
        self | other
    }
}

/// Number of words of a wide key.
pub(crate) const WORDS: usize = 8;

/// A key of up to 512 bits, most significant word first.
pub(crate) type WideKey = [u64; WORDS];

impl Key for WideKey {
    const ZERO: Self = [0; WORDS];
    fn digit(self, shift: u32, width: u32) -> usize {
        (bits(&self, shift, width) & ((1 << width) - 1)) as usize
    }
    fn difference(self, other: Self) -> Self {
        core::array::from_fn(|word| self[word] ^ other[word])
    }
    fn union(self, other: Self) -> Self {
        core::array::from_fn(|word| self[word] | other[word])
    }
}

/// Returns the bits `shift..shift + width` of a wide key; `width` is at most 64.
pub(crate) fn bits(key: &WideKey, shift: u32, width: u32) -> u64 {
    if width == 0 {
        return 0;
    }
    let word = WORDS - 1 - (shift / 64) as usize;
    let offset = shift % 64;
    let mut value = key[word] >> offset;
    if offset + width > 64 {
        value |= key[word - 1] << (64 - offset);
    }
    if width == 64 { value } else { value & ((1 << width) - 1) }
}

/// Sorts `keys` by these `bits` of each, stably, and moves `values` along. Other bits must be zero or sorted already.
pub(crate) fn sort<K: Key, V: Copy + Send + Sync>(keys: &mut Vec<K>, values: &mut Vec<V>, bits: Range<u32>) {
    let Some(&first) = keys.first() else { return };
    let differing = |at: usize| keys[at].difference(first);
    let varying = parallel::reduce(keys.len(), K::ZERO, differing, K::union);
    let pieces = parallel::pieces(keys.len());
    // Use as few passes as possible, with equally many bits.
    let widest = if keys.len() < 1 << 12 { 8 } else { 12 };
    let passes = (bits.end - bits.start).div_ceil(widest).max(1);
    let width = (bits.end - bits.start).div_ceil(passes).max(1);
    let mut spare_keys = pages::filled(K::ZERO, keys.len());
    let mut spare_values = pages::with_capacity(values.len());
    spare_values.resize(values.len(), values[0]);
    let mut starts = vec![0usize; 1 << width];
    for shift in bits.clone().step_by(width as usize) {
        let width = width.min(bits.end - shift);
        if varying.digit(shift, width) == 0 {
            continue;
        }
        let digit = |key: &K| key.digit(shift, width);
        if pieces > 1 {
            let length = keys.len().div_ceil(pieces);
            scatter(
                keys,
                values,
                &mut spare_keys,
                &mut spare_values,
                length,
                1 << width,
                digit,
            );
        } else {
            starts.fill(0);
            count(keys, &mut starts, digit);
            let mut total = 0;
            for start in &mut starts {
                total += core::mem::replace(start, total);
            }
            for (key, &value) in keys.iter().zip(values.iter()) {
                let start = &mut starts[digit(key)];
                spare_keys[*start] = *key;
                spare_values[*start] = value;
                *start += 1;
            }
        }
        core::mem::swap(keys, &mut spare_keys);
        core::mem::swap(values, &mut spare_values);
    }
}

fn count<K>(keys: &[K], counts: &mut [usize], digit: impl Fn(&K) -> usize) {
    for key in keys {
        counts[digit(key)] += 1;
    }
}

/// Scatters keys and values by one digit, stably, in pieces of `length` items.
fn scatter<K: Key, V: Copy + Send + Sync>(
    keys: &[K],
    values: &[V],
    mut to_keys: &mut [K],
    mut to_values: &mut [V],
    length: usize,
    digits: usize,
    digit: impl Fn(&K) -> usize + Sync,
) {
    let counts_of = |piece: &[K]| {
        let mut counts = vec![0; digits];
        count(piece, &mut counts, &digit);
        counts
    };
    let counts = parallel::each(keys.chunks(length).collect(), counts_of);
    // For each piece and digit, the places of its items: before those of the next pieces for the same digit.
    let mut places: Vec<Vec<(IterMut<'_, K>, IterMut<'_, V>)>> =
        counts.iter().map(|_| Vec::with_capacity(digits)).collect();
    for digit in 0..digits {
        for (places, counts) in places.iter_mut().zip(&counts) {
            let keys = split_off(&mut to_keys, counts[digit]);
            let values = split_off(&mut to_values, counts[digit]);
            places.push((keys, values));
        }
    }
    let pieces = keys.chunks(length).zip(values.chunks(length)).zip(places);
    parallel::each(pieces.collect(), |((keys, values), mut places)| {
        for (key, &value) in keys.iter().zip(values) {
            let (to_keys, to_values) = &mut places[digit(key)];
            if let (Some(to_key), Some(to_value)) = (to_keys.next(), to_values.next()) {
                *to_key = *key;
                *to_value = value;
            }
        }
    });
}

/// Splits off the first `count` items.
fn split_off<'a, T>(items: &mut &'a mut [T], count: usize) -> IterMut<'a, T> {
    let (first, rest) = core::mem::take(items).split_at_mut(count);
    *items = rest;
    first.iter_mut()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_stably_as_the_standard_library_does(keys in proptest::collection::vec(0u64..1 << 40, 0..300)) {
            let mut expected: Vec<(u64, usize)> = keys.iter().copied().zip(0..).collect();
            expected.sort_by_key(|&(key, _)| key);
            let (mut narrow, mut order) = (keys.clone(), (0..keys.len()).collect::<Vec<_>>());
            sort(&mut narrow, &mut order, 0..40);
            prop_assert_eq!(narrow.iter().copied().zip(order).collect::<Vec<_>>(), expected.clone());

            // The same keys, moved so that they straddle two words.
            let spread = |key: u64| -> WideKey { [0, 0, 0, 0, 0, 0, key >> 20, key << 44] };
            let (mut wide, mut order) = (keys.iter().map(|&key| spread(key)).collect::<Vec<_>>(), (0..keys.len()).collect::<Vec<_>>());
            sort(&mut wide, &mut order, 0..128);
            let wide: Vec<(u64, usize)> = wide.iter().map(|key| bits(key, 44, 40)).zip(order).collect();
            prop_assert_eq!(wide, expected);
        }
    }

    #[test]
    fn sorts_the_same_on_any_number_of_threads() {
        let mut state = 3u64;
        let mut key = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 40
        };
        let keys: Vec<u64> = (0..5 * parallel::PIECE + 3).map(|_| key()).collect();
        let mut expected: Vec<(u64, usize)> = keys.iter().copied().zip(0..).collect();
        expected.sort_by_key(|&(key, _)| key);
        for threads in [1, 2, 5] {
            let (mut keys, mut order) = (keys.clone(), (0..keys.len()).collect());
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sort(&mut keys, &mut order, 0..24));
            assert!(
                keys.into_iter().zip(order).eq(expected.iter().copied()),
                "{threads} threads"
            );
        }
    }
}
