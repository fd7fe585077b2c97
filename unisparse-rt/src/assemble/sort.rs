//! Sorting of elements that come in another order: they are counted, then scattered to their places.
//!
//! If the elements of each bin come in order, one counting sort by bin suffices, in two visits of the source. Otherwise,
//! and where the elements hit many bins in no order, they are partitioned by their highest bits, and each part is sorted
//! in cache: by bins of a few elements, which are sorted by comparison, or by radix.

use core::ops::Range;

use super::combine::{Combined, part_bits};
use super::counts::{Piece, Places, Recent};
use super::layout::{Key, Layout, low_bits};
use super::sequence::Sequence;
use super::short::{self, SHORT};
use super::words::Elements;
use crate::pieces::balanced;
use crate::radix::{self, WideKey};
use crate::report::advance;
use crate::shared::Cells;
use crate::{Stored, pages, parallel};

/// Target number of elements in a part: few enough for the cache of a core, enough to pay for the histograms.
const PART: usize = 1 << 12;
/// Maximum number of bins per element of a part for which one pass sorts by bin.
const MOST_BINS: usize = 4;

/// Sorts the elements by bin, stably. `O(elements + bins)`.
pub(super) fn scatter<T: Stored, K: Local>(elements: &dyn Elements<T>, layout: &Layout) -> Sequence<T, K> {
    let pieces = elements.pieces();
    let counts = count(elements, &pieces, layout, layout.bits);
    advance(1, 2);
    let shift = part_shift::<T>(elements.count(), layout);
    let bits = shift.saturating_sub(layout.bits);
    if bits > 0 && shift <= K::BITS && are_scattered(elements, layout) {
        let coarser = |counts: &Vec<u32>| {
            let mut sums = pages::with_capacity(counts.len().div_ceil(1 << bits));
            sums.extend(counts.chunks(1 << bits).map(|counts| counts.iter().sum::<u32>()));
            sums
        };
        let counts = counts.iter().map(coarser).collect();
        return Parted::new(elements, &pieces, layout, shift, counts).sorted(layout.bits..shift, layout);
    }
    let Parted { bounds, locals, values } = Parted::new(elements, &pieces, layout, layout.bits, counts);
    Sequence {
        starts: bounds,
        keys: locals,
        values,
    }
}

/// Sorts the elements by bin and key. `O(elements * bits / 12)`.
pub(super) fn sort<T: Stored, K: Local>(elements: &dyn Elements<T>, layout: &Layout) -> Sequence<T, K> {
    let shift = part_shift::<T>(elements.count(), layout);
    let pieces = elements.pieces();
    let counts = count(elements, &pieces, layout, shift);
    advance(1, 3);
    let parted = Parted::new(elements, &pieces, layout, shift, counts);
    advance(2, 3);
    parted.sorted(layout.aligned_bits..shift, layout)
}

/// Returns whether the keys of this many elements, and the bits they are sorted by within a part, fit 32 bits.
pub(super) fn is_narrow<T: Stored>(elements: usize, layout: &Layout) -> bool {
    is_countable(elements) && part_shift::<T>(elements, layout).max(layout.bits) <= u32::BITS
}

/// Returns whether the places of this many elements fit 32 bits, with which parts and bins are counted.
pub(super) fn is_countable(elements: usize) -> bool {
    u32::try_from(elements).is_ok()
}

/// Sorts elements whose keys exceed a word, or whose number exceeds 32 bits.
///
/// `O(elements * bits / 11)`: each digit takes one pass over all elements.
pub(super) fn sort_wide<T: Stored>(elements: &dyn Elements<T>, layout: &Layout) -> Sequence<T, WideKey> {
    let (mut keys, mut values) = (
        Vec::with_capacity(elements.count()),
        Vec::with_capacity(elements.count()),
    );
    elements.coordinates(&mut |levels, value| {
        keys.push(layout.wide_key(levels));
        values.push(value);
    });
    if !keys.is_sorted() {
        radix::sort(&mut keys, &mut values, 0..layout.bits);
    }
    Sequence {
        starts: Vec::new(),
        keys,
        values,
    }
}

/// Returns the number of bits of a word (the bin above the key) that are below the number of its part.
fn part_shift<T: Stored>(elements: usize, layout: &Layout) -> u32 {
    let bits = layout.bits + layout.bin_bits();
    let wanted = (elements / PART).checked_ilog2().unwrap_or(0).min(part_bits::<T>());
    bits.saturating_sub(wanted).max(layout.aligned_bits).min(u64::BITS - 1)
}

/// Counts the elements of each piece by their bits from `shift` up.
fn count<T: Stored>(elements: &dyn Elements<T>, pieces: &[Range<usize>], layout: &Layout, shift: u32) -> Vec<Vec<u32>> {
    let greatest = (layout.bins.saturating_sub(1) as u64)
        .checked_shl(layout.bits)
        .unwrap_or(0)
        | layout.key_mask();
    let buckets = bucket(greatest, shift) + 1;
    parallel::each(pieces.to_vec(), |piece| {
        let mut counts = pages::filled(0u32, buckets);
        elements.tally(piece, layout, shift, &mut counts);
        counts
    })
}

/// Returns whether consecutive elements tend to hit distant bins, whose counters are not cached.
fn are_scattered<T: Stored>(elements: &dyn Elements<T>, layout: &Layout) -> bool {
    let mut recent = Recent::new();
    let borders = elements.borders(256);
    for piece in borders.windows(2).step_by(64) {
        elements.valued_words(piece[0]..piece[1], layout, &mut |words, _| {
            words.iter().for_each(|&word| recent.look_at(layout.bin(word)));
        });
    }
    recent.are_far()
}

#[inline(always)]
fn bucket(word: u64, shift: u32) -> usize {
    debug_assert!(shift < u64::BITS);
    word.wrapping_shr(shift) as usize
}

/// Elements partitioned by their highest bits.
struct Parted<T, L> {
    /// Start of each part, and the end of the last.
    bounds: Vec<u32>,
    locals: Vec<L>,
    values: Vec<T>,
}

impl<T: Stored, L: Local> Parted<T, L> {
    /// Partitions the elements by their bits from `shift` up, stably; `counts` has a histogram for each piece.
    fn new(
        elements: &dyn Elements<T>,
        pieces: &[Range<usize>],
        layout: &Layout,
        shift: u32,
        counts: Vec<Vec<u32>>,
    ) -> Self {
        let places = Places::new(counts);
        let total = places.starts.last().map_or(0, |&total| total as usize);
        let (mut locals, mut values) = (pages::filled(L::ZERO, total), pages::filled(T::FILL, total));
        let (all_locals, all_values) = (Cells::new(&mut locals), Cells::new(&mut values));
        if Combined::<L, T>::is_worthwhile(total, places.starts.len() - 1) {
            let bounds = places.fill(false, |number, piece| {
                let mut combined = Combined::new(piece, (all_locals, all_values));
                elements.valued_words(pieces[number].clone(), layout, &mut |words, values| {
                    for (&word, &value) in words.iter().zip(values) {
                        combined.put(bucket(word, shift), L::of_word(word & low_bits(shift)), value);
                    }
                });
                combined.finish();
            });
            return Parted { bounds, locals, values };
        }
        let bounds = places.fill(Writer::<T, L>::may_meet(), |number, piece| {
            let mut writer = Writer {
                piece,
                shift,
                locals: all_locals,
                values: all_values,
            };
            L::scatter(elements, pieces[number].clone(), layout, &mut writer);
        });
        Parted { bounds, locals, values }
    }

    /// Sorts the elements of each part in place by `bits`, which end at the part number, and strips their words to keys.
    fn sorted(mut self, bits: Range<u32>, layout: &Layout) -> Sequence<T, L> {
        let shift = bits.end;
        let mut starts = Vec::new();
        if layout.leading > 0 {
            starts = pages::filled(0u32, layout.bins + 1);
        }
        let counts = starts.get_mut(1..).unwrap_or_default();
        // The number of bins in a part, if no bin spans two parts.
        let bins_of_part = shift.checked_sub(layout.bits).map(|bits| 1usize << bits);
        if bins_of_part.is_none() && layout.leading > 0 {
            for (part, bound) in self.bounds.windows(2).enumerate() {
                counts[(part << shift) >> layout.bits] += bound[1] - bound[0];
            }
        }
        let bins_of_part = bins_of_part.filter(|_| layout.leading > 0);
        let bound = |part: usize| self.bounds[part] as usize;
        let groups = balanced(self.bounds.len() - 1, parallel::pieces(self.locals.len()), bound);
        let (mut locals, mut values, mut counts) = (&mut self.locals[..], &mut self.values[..], counts);
        let mut pieces = Vec::new();
        for group in groups.windows(2) {
            let len = bound(group[1]) - bound(group[0]);
            let bins = bins_of_part.map_or(0, |bins| bins.saturating_mul(group[1] - group[0]));
            pieces.push((
                group[0]..group[1],
                first(&mut locals, len),
                first(&mut values, len),
                first(&mut counts, bins),
            ));
        }
        parallel::each(pieces, |(parts, mut locals, mut values, mut counts)| {
            let mut scratch = Scratch::default();
            for part in parts {
                let len = bound(part + 1) - bound(part);
                let (locals, values) = (first(&mut locals, len), first(&mut values, len));
                if let Some(bins) = bins_of_part {
                    scratch.sort_by_bin(locals, values, first(&mut counts, bins), bits.clone(), layout.bits);
                } else {
                    scratch.sort(locals, values, bits.start, shift);
                    // The low bits of the part number are the high bits of the key; its other bits belong to the bin.
                    let high = (part as u64).checked_shl(shift).unwrap_or(0);
                    for local in locals {
                        *local = L::of_word((high | local.word()) & layout.key_mask());
                    }
                }
            }
        });
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        Sequence {
            starts,
            keys: self.locals,
            values: self.values,
        }
    }
}

/// Writer of the elements of a piece to their places.
pub(crate) struct Writer<'a, T, L> {
    piece: Piece<'a>,
    shift: u32,
    locals: Cells<'a, L>,
    values: Cells<'a, T>,
}

impl<T: Stored, L: Local> Writer<'_, T, L> {
    /// Returns whether pieces may write to the same place: all writes are atomic.
    fn may_meet() -> bool {
        Cells::<L>::is_atomic() && Cells::<T>::is_atomic()
    }

    /// Returns the same writer, borrowed.
    pub(super) fn reborrow(&mut self) -> Writer<'_, T, L> {
        Writer {
            piece: self.piece.reborrow(),
            ..*self
        }
    }

    /// Writes an element to the next place of its bucket.
    #[inline(always)]
    pub(super) fn write(&mut self, word: u64, value: T) {
        let bucket = bucket(word, self.shift);
        let place = if Self::may_meet() {
            self.piece.next(bucket)
        } else {
            self.piece.take(bucket)
        };
        // SAFETY: the writes are atomic, or the place is this element's alone.
        unsafe {
            self.locals.set(place, L::of_word(word & low_bits(self.shift)));
            self.values.set(place, value);
        }
    }
}

/// Splits off the first `count` items, or all if there are fewer.
fn first<'a, T>(items: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let count = count.min(items.len());
    let (first, rest) = core::mem::take(items).split_at_mut(count);
    *items = rest;
    first
}

/// Representation of an element while it is sorted: the bits of its word below the number of its part.
pub(super) trait Local: Key {
    fn word(self) -> u64;
    fn digit(self, shift: u32, mask: usize) -> usize;
    /// Returns the bits from `shift` up; `shift` is less than the number of bits.
    fn above(self, shift: u32) -> Self;
    /// Returns the number of the bin, which is above the lowest `bits` bits.
    fn bin(self, bits: u32) -> usize;
    /// Returns the key, which is in the lowest `bits` bits.
    fn key(self, bits: u32) -> Self;
    /// Writes the elements of a piece to their places.
    fn scatter<T: Stored>(
        elements: &dyn Elements<T>,
        piece: Range<usize>,
        layout: &Layout,
        writer: &mut Writer<T, Self>,
    );
}

macro_rules! local {
    ($($word:ident $scatter:expr),*) => {$(
        impl Local for $word {
            #[inline(always)]
            fn word(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn digit(self, shift: u32, mask: usize) -> usize {
                (self >> shift) as usize & mask
            }
            #[inline(always)]
            fn above(self, shift: u32) -> Self {
                self >> shift
            }
            #[inline(always)]
            fn bin(self, bits: u32) -> usize {
                (self >> bits) as usize
            }
            #[inline(always)]
            fn key(self, bits: u32) -> Self {
                self & !($word::MAX << bits)
            }
            fn scatter<T: Stored>(
                elements: &dyn Elements<T>,
                piece: Range<usize>,
                layout: &Layout,
                writer: &mut Writer<T, Self>,
            ) {
                $scatter(elements, piece, layout, writer);
            }
        }
    )*};
}

local!(u32 <dyn Elements<_>>::scatter, u64 scatter_words);

/// Writes the elements of a piece to their places, by chunks of words: keys of 64 bits are rare.
fn scatter_words<T: Stored>(
    elements: &dyn Elements<T>,
    piece: Range<usize>,
    layout: &Layout,
    writer: &mut Writer<T, u64>,
) {
    elements.valued_words(piece, layout, &mut |words, values| {
        for (&word, &value) in words.iter().zip(values) {
            writer.write(word, value);
        }
    });
}

/// Workspace for sorting one part after another.
struct Scratch<L, T> {
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
    fn sort_by_bin(&mut self, locals: &mut [L], values: &mut [T], counts: &mut [u32], bits: Range<u32>, key: u32) {
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
    fn sort(&mut self, locals: &mut [L], values: &mut [T], low: u32, high: u32) {
        let len = locals.len();
        if len < 2 || high == low {
            return;
        }
        self.reserve(len.max(SHORT));
        if len <= SHORT {
            return short::sort(locals, values, low, (&mut self.locals, &mut self.values));
        }
        let widest = if len < PART / 4 { 8 } else { 12 };
        let passes = (high - low).div_ceil(widest);
        let width = (high - low).div_ceil(passes);
        let digits = 1usize << width;
        self.counts.clear();
        self.counts.resize(digits * passes as usize, 0);
        for local in &*locals {
            for pass in 0..passes {
                let digit = local.digit(low + pass * width, mask_of(pass, low, high, width));
                self.counts[pass as usize * digits + digit] += 1;
            }
        }
        let mut in_scratch = false;
        let (mut from, mut to) = ((locals, values), (&mut self.locals[..len], &mut self.values[..len]));
        for pass in 0..passes {
            let shift = low + pass * width;
            let mask = mask_of(pass, low, high, width);
            let next = &mut self.counts[pass as usize * digits..][..digits];
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
