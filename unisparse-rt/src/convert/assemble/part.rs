//! The stable sort of one part of a radix sort, in the cache of a core.

use core::ops::Range;

use super::keys::Local;
use super::small_sort::{self, SHORT};
use crate::element::Stored;

/// Target number of elements in a part: few enough for the cache of a core, enough to pay for the histograms.
pub(super) const PART: usize = 1 << 12;
/// Maximum number of bins per element of a part for which one pass sorts by bin.
const MOST_BINS: usize = 4;

/// Workspace for sorting one part after another.
pub(super) struct Scratch<L, T> {
    locals: Vec<L>,
    values: Vec<T>,
    counts: Vec<u32>,
}

impl<L, T> Default for Scratch<L, T> {
    fn default() -> Self {
        Scratch {
            locals: Vec::new(),
            values: Vec::new(),
            counts: Vec::new(),
        }
    }
}

impl<L: Local, T: Stored> Scratch<L, T> {
    /// Grows the workspace to at least `len` items.
    fn reserve(&mut self, len: usize) {
        if self.locals.len() < len {
            self.locals.resize(len, L::ZERO);
            self.values.resize(len, T::FILL);
        }
    }

    /// Sorts items by `bits`, stably, strips them to keys, and adds the number of items in each bin to `counts`.
    ///
    /// Bits from `key` up are the bin, those below are the key.
    pub(super) fn sort_by_bin(
        &mut self,
        locals: &mut [L],
        values: &mut [T],
        counts: &mut [u32],
        bits: Range<u32>,
        key: u32,
    ) {
        let len = locals.len();
        if let [count] = counts {
            *count += len as u32;
            return self.sort(locals, values, bits.start, key);
        }
        let orders_keys = bits.start < key;
        if counts.len() > MOST_BINS * len.max(PART) || orders_keys && len > SHORT / 2 * counts.len() {
            // A table of bin starts would be far larger than the items, or bins are not short: use one radix sort instead.
            self.sort(locals, values, bits.start, bits.end);
            for local in locals {
                counts[local.bin(key)] += 1;
                *local = local.key(key);
            }
            return;
        }
        self.reserve(len);
        locals.iter().for_each(|local| counts[local.bin(key)] += 1);
        let mut total = 0;
        self.counts.clear();
        self.counts.extend(counts.iter().map(|&count| {
            total += count;
            total - count
        }));
        let (keys, items, next) = (&mut self.locals[..len], &mut self.values[..len], &mut self.counts[..]);
        for (&local, &value) in locals.iter().zip(&*values) {
            let next = &mut next[local.bin(key)];
            (keys[*next as usize], items[*next as usize]) = (local.key(key), value);
            *next += 1;
        }
        locals.copy_from_slice(keys);
        values.copy_from_slice(items);
        if !orders_keys {
            return;
        }
        let (mut locals, mut values) = (locals, values);
        for &count in &*counts {
            let (locals, values) = (first(&mut locals, count as usize), first(&mut values, count as usize));
            self.sort(locals, values, bits.start, key);
        }
    }

    /// Sorts items by their bits `low..high`, stably.
    pub(super) fn sort(&mut self, locals: &mut [L], values: &mut [T], low: u32, high: u32) {
        let len = locals.len();
        if len < 2 || high == low {
            return;
        }
        self.reserve(len.max(SHORT));
        if len <= SHORT {
            return small_sort::sort(locals, values, low, (&mut self.locals, &mut self.values));
        }
        let widest = if len < PART / 4 { 8 } else { 12 };
        let passes = (high - low).div_ceil(widest);
        let width = (high - low).div_ceil(passes);
        let digits = 1usize << width;
        self.counts.clear();
        self.counts.resize(digits * passes as usize, 0);
        let counts = &mut self.counts[..];
        for local in &*locals {
            for pass in 0..passes {
                let digit = local.digit(low + pass * width, mask_of(pass, low, high, width));
                counts[pass as usize * digits + digit] += 1;
            }
        }
        let mut in_scratch = false;
        let (mut from, mut to) = ((locals, values), (&mut self.locals[..len], &mut self.values[..len]));
        for pass in 0..passes {
            let shift = low + pass * width;
            let mask = mask_of(pass, low, high, width);
            let next = &mut counts[pass as usize * digits..][..digits];
            if next[from.0[0].digit(shift, mask)] as usize == len {
                continue;
            }
            let mut total = 0;
            for next in next.iter_mut() {
                total += core::mem::replace(next, total);
            }
            for (&local, &value) in from.0.iter().zip(from.1.iter()) {
                let next = &mut next[local.digit(shift, mask)];
                to.0[*next as usize] = local;
                to.1[*next as usize] = value;
                *next += 1;
            }
            core::mem::swap(&mut from, &mut to);
            in_scratch = !in_scratch;
        }
        if in_scratch {
            to.0.copy_from_slice(from.0);
            to.1.copy_from_slice(from.1);
        }
    }
}

/// Returns the mask for the digit of one pass; the last digit may be narrower.
#[inline(always)]
fn mask_of(pass: u32, low: u32, high: u32, width: u32) -> usize {
    (1 << width.min(high - low - pass * width)) - 1
}

/// Splits off the first `count` items, or all if there are fewer.
pub(super) fn first<'a, T>(items: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let count = count.min(items.len());
    let (first, rest) = core::mem::take(items).split_at_mut(count);
    *items = rest;
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_by_bin_as_a_stable_sort_does(
            words in proptest::collection::vec(any::<u32>(), 0..600),
            (low, key, high) in (0u32..4, 0u32..9, 0u32..16).prop_map(|(low, key, bins)| (low, low + key, low + key + bins)),
        ) {
            let items: Vec<(u32, usize)> = words.iter().map(|word| word & !(u32::MAX << high)).zip(0..).collect();
            let mut expected = items.clone();
            // Where no bits of the key are sorted by, the elements of a bin keep their order.
            expected.sort_by_key(|&(word, _)| word >> if low < key { low } else { key });
            let (mut locals, mut values): (Vec<u32>, Vec<u64>) = items.iter().map(|&(word, at)| (word, at as u64)).unzip();
            let mut counts = vec![0; 1 << (high - key)];
            Scratch::default().sort_by_bin(&mut locals, &mut values, &mut counts, low..high, key);
            let keys = expected.iter().map(|&(word, _)| word & !(u32::MAX << key));
            prop_assert!(locals.into_iter().eq(keys));
            prop_assert!(values.into_iter().eq(expected.iter().map(|&(_, at)| at as u64)));
            for (bin, &count) in counts.iter().enumerate() {
                prop_assert_eq!(expected.iter().filter(|(word, _)| (word >> key) as usize == bin).count(), count as usize);
            }
        }
    }
}
