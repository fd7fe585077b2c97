//! Elements in any order: parted by the highest bits, then each part sorted in cache, by radix all the way.

use core::ops::Range;

use super::coded::{Coded, pieces};
use super::counts::Places;
use super::layout::{Key, Layout};
use super::sequence::Sequence;
use crate::level::Tree;
use crate::pieces::balanced;
use crate::radix::{self, WideKey};
use crate::report::advance;
use crate::shared::Shared;
use crate::{Scalar, pages, parallel};

/// Elements of a part: few enough for the cache of a core, enough to pay for the histograms.
const PART: usize = 1 << 12;
/// Bits of the number of a part, at most: each part is a write stream, and a core follows a few hundred.
const PART_BITS: u32 = 8;

/// `O(elements * bits / 11)` in three visits of memory: two of the source, one of the parts.
pub(super) fn sort<F: Tree<N, M>, K: Local, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    layout: &Layout<M>,
) -> Sequence<F::Scalar, K> {
    let parts = Parts::new(source.count(), layout);
    parts
        .of(source, layout)
        .sorted(layout.aligned_bits..parts.shift, layout)
}

/// Elements of each bin in the order they come in, bin after bin: sorted by the bin alone.
pub(super) fn sort_by_bin<F: Tree<N, M>, K: Local, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    layout: &Layout<M>,
) -> Sequence<F::Scalar, K> {
    let parts = Parts::new(source.count(), layout);
    let low = layout.bits.min(parts.shift);
    parts.of(source, layout).sorted(low..parts.shift, layout)
}

/// Whether elements that so many are sorted as, and their keys, fit words of 32 bits.
pub(super) fn is_narrow<const M: usize>(elements: usize, layout: &Layout<M>) -> bool {
    Parts::new(elements, layout).shift.max(layout.bits) <= u32::BITS
}

/// Keys of more than a word: `O(elements * bits / 11)`, each digit a pass over all.
pub(super) fn sort_wide<F: Tree<N, M>, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    layout: &Layout<M>,
) -> Sequence<F::Scalar, WideKey> {
    let (mut keys, mut values) = (Vec::with_capacity(source.count()), Vec::with_capacity(source.count()));
    source.for_each(|levels, value| {
        keys.push(layout.key(&levels));
        values.push(value);
    });
    if !keys.is_sorted() {
        radix::sort(&mut keys, &mut values, layout.bits);
    }
    Sequence {
        starts: Vec::new(),
        keys,
        values,
    }
}

/// How the words of elements, the bin above the key, are parted.
struct Parts {
    /// Bits below the number of the part.
    shift: u32,
    count: usize,
}

impl Parts {
    fn new<const M: usize>(elements: usize, layout: &Layout<M>) -> Self {
        let bits = layout.bits + layout.bin_bits();
        let wanted = (elements / PART).checked_ilog2().unwrap_or(0).min(PART_BITS);
        let shift = bits.saturating_sub(wanted).max(layout.aligned_bits);
        Parts {
            shift,
            count: 1 << (bits - shift),
        }
    }

    /// The elements of each part, in the order they come in.
    fn of<F: Tree<N, M>, L: Local, const N: usize, const M: usize>(
        &self,
        source: &impl Coded<F, N, M>,
        layout: &Layout<M>,
    ) -> Parted<F::Scalar, L> {
        let part = |word: u64| word.checked_shr(self.shift).unwrap_or(0) as usize;
        let pieces = pieces::<F, N, M>(source);
        let counts = parallel::each(pieces.clone(), |piece| {
            let mut counts = vec![0u32; self.count];
            source.for_each_between(piece, |levels, _| counts[part(layout.whole_word(&levels))] += 1);
            counts
        });
        advance(1, 3);
        let places = Places::new(counts);
        let total = places.starts[self.count] as usize;
        let (mut locals, mut values) = (pages::filled(L::ZERO, total), pages::filled(F::Scalar::ZERO, total));
        let (all_locals, all_values) = (Shared::new(&mut locals), Shared::new(&mut values));
        let bounds = places.fill(|number, mut piece| {
            source.for_each_between(pieces[number].clone(), |levels, value| {
                let word = layout.whole_word(&levels);
                let at = piece.take(part(word));
                // SAFETY: the place is this element's alone.
                unsafe {
                    all_locals.set(at, L::of_word(word));
                    all_values.set(at, value);
                }
            });
        });
        advance(2, 3);
        Parted { bounds, locals, values }
    }
}

/// Elements part by part.
struct Parted<T, L> {
    /// Where the elements of each part start, and the end.
    bounds: Vec<u32>,
    locals: Vec<L>,
    values: Vec<T>,
}

impl<T: Scalar, L: Local> Parted<T, L> {
    /// All elements in the order of these bits below the number of the part, where they are: those become keys.
    fn sorted<const M: usize>(mut self, bits: Range<u32>, layout: &Layout<M>) -> Sequence<T, L> {
        let shift = bits.end;
        let mut starts = Vec::new();
        if layout.leading > 0 {
            starts = pages::filled(0u32, layout.bins + 1);
        }
        let counts = starts.get_mut(1..).unwrap_or_default();
        // How many bins a part has, if none is in two.
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
        let key_mask = layout.key_mask();
        parallel::each(pieces, |(parts, mut locals, mut values, counts)| {
            let mut scratch = Scratch::default();
            let first_bin = bins_of_part.map_or(0, |bins| bins.saturating_mul(parts.start));
            for part in parts {
                let len = bound(part + 1) - bound(part);
                let (locals, values) = (first(&mut locals, len), first(&mut values, len));
                scratch.sort(locals, values, bits.start, shift);
                let high = (part as u64).checked_shl(shift).unwrap_or(0);
                for local in locals {
                    let word = high | local.below(shift);
                    *local = L::of_word(word & key_mask);
                    if bins_of_part.is_some() {
                        counts[word.checked_shr(layout.bits).unwrap_or(0) as usize - first_bin] += 1;
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

/// Takes the first items off, all if there are fewer.
fn first<'a, T>(items: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let count = count.min(items.len());
    let (first, rest) = core::mem::take(items).split_at_mut(count);
    *items = rest;
    first
}

/// What elements are sorted as: the bits of a word below the number of its part, and more where they do no harm.
pub(super) trait Local: Key {
    /// The bits below `shift`.
    fn below(self, shift: u32) -> u64;
    fn digit(self, shift: u32, mask: usize) -> usize;
}

macro_rules! local {
    ($($word:ident),*) => {$(
        impl Local for $word {
            #[inline(always)]
            fn below(self, shift: u32) -> u64 {
                u64::from(self) & 1u64.checked_shl(shift).unwrap_or(0).wrapping_sub(1)
            }
            #[inline(always)]
            fn digit(self, shift: u32, mask: usize) -> usize {
                (self >> shift) as usize & mask
            }
        }
    )*};
}

local!(u32, u64);

/// Room to sort parts in, one after another.
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

impl<L: Local, T: Scalar> Scratch<L, T> {
    /// Brings items into the order of their bits `low..high`. Stable.
    fn sort(&mut self, locals: &mut [L], values: &mut [T], low: u32, high: u32) {
        let len = locals.len();
        if len < 2 || high == low {
            return;
        }
        let widest = if len < PART / 4 { 8 } else { 12 };
        let passes = (high - low).div_ceil(widest);
        let width = (high - low).div_ceil(passes);
        let digits = 1usize << width;
        if self.locals.len() < len {
            self.locals.resize(len, L::ZERO);
            self.values.resize(len, T::ZERO);
        }
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

/// The bits of the digit of one pass: the last one may be narrower.
#[inline(always)]
fn mask_of(pass: u32, low: u32, high: u32, width: u32) -> usize {
    (1 << width.min(high - low - pass * width)) - 1
}
