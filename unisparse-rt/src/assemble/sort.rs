//! Elements in any order: parted by the highest bits, then each part sorted in cache, by radix all the way.

use super::coded::Coded;
use super::layout::{Key, Layout};
use super::sequence::Sequence;
use crate::level::Tree;
use crate::radix::{self, WideKey};
use crate::{Scalar, pages};

/// Elements of a part: few enough for the cache of a core, enough to pay for the histograms.
const PART: usize = 1 << 12;
/// Bits of the number of a part: one write stream for each.
const PART_BITS: u32 = 11;

/// `O(elements * bits / 11)` in three visits of memory: two of the source, one of the parts.
pub(super) fn sort<F: Tree<N, M>, K: Key, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    layout: &Layout<M>,
) -> Sequence<F::Scalar, K> {
    let parts = Parts::new(source.count(), layout);
    if parts.shift <= u32::BITS {
        parts.of::<F, u32, N, M>(source, layout).sorted(parts.shift, layout)
    } else {
        parts.of::<F, u64, N, M>(source, layout).sorted(parts.shift, layout)
    }
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
        let mut next = vec![0usize; self.count + 1];
        source.for_each(|levels, _| next[part(layout.whole_word(&levels)) + 1] += 1);
        for at in 1..next.len() {
            next[at] += next[at - 1];
        }
        let (bounds, len) = (next.clone(), next[self.count]);
        let (mut locals, mut values) = (pages::filled(L::default(), len), pages::filled(F::Scalar::ZERO, len));
        source.for_each(|levels, value| {
            let word = layout.whole_word(&levels);
            let next = &mut next[part(word)];
            locals[*next] = L::of_word(word);
            values[*next] = value;
            *next += 1;
        });
        Parted { bounds, locals, values }
    }
}

/// Elements part by part.
struct Parted<T, L> {
    /// Where the elements of each part start, and the end.
    bounds: Vec<usize>,
    locals: Vec<L>,
    values: Vec<T>,
}

impl<T: Scalar, L: Local> Parted<T, L> {
    /// All elements in order.
    fn sorted<K: Key, const M: usize>(mut self, shift: u32, layout: &Layout<M>) -> Sequence<T, K> {
        let len = self.locals.len();
        let (mut keys, mut values) = (pages::filled(K::ZERO, len), pages::filled(T::ZERO, len));
        let mut starts = Vec::new();
        if layout.leading > 0 {
            starts = pages::filled(0u32, layout.bins + 1);
        }
        let mut scratch = Scratch::default();
        for (number, bound) in self.bounds.windows(2).enumerate() {
            let range = bound[0]..bound[1];
            let high = (number as u64).checked_shl(shift).unwrap_or(0);
            let (locals, parted) = (&mut self.locals[range.clone()], &mut self.values[range.clone()]);
            let (locals, parted) = scratch.sort(locals, parted, layout.aligned_bits, shift);
            let placed = keys[range.clone()].iter_mut().zip(&mut values[range]);
            for ((&local, &value), (to_key, to_value)) in locals.iter().zip(parted.iter()).zip(placed) {
                let word = high | local.below(shift);
                *to_key = K::of_word(word & layout.key_mask());
                *to_value = value;
                if layout.leading > 0 {
                    starts[word.checked_shr(layout.bits).unwrap_or(0) as usize + 1] += 1;
                }
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        Sequence { starts, keys, values }
    }
}

/// The bits of a word below the number of its part; more where they do no harm.
trait Local: Copy + Default + Send + Sync {
    fn of_word(word: u64) -> Self;
    /// The bits below `shift`.
    fn below(self, shift: u32) -> u64;
    fn digit(self, shift: u32, mask: usize) -> usize;
}

macro_rules! local {
    ($($word:ident),*) => {$(
        impl Local for $word {
            #[inline(always)]
            fn of_word(word: u64) -> Self {
                word as Self
            }
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
    /// The items in the order of their bits `low..high`: there or in the scratch. Stable.
    fn sort<'a>(&'a mut self, locals: &'a mut [L], values: &'a mut [T], low: u32, high: u32) -> (&'a [L], &'a [T]) {
        let len = locals.len();
        if len < 2 || high == low {
            return (locals, values);
        }
        let widest = if len < PART / 4 { 8 } else { 11 };
        let passes = (high - low).div_ceil(widest);
        let width = (high - low).div_ceil(passes);
        let digits = 1usize << width;
        if self.locals.len() < len {
            self.locals.resize(len, L::default());
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
        }
        (from.0, from.1)
    }
}

/// The bits of the digit of one pass: the last one may be narrower.
fn mask_of(pass: u32, low: u32, high: u32, width: u32) -> usize {
    (1 << width.min(high - low - pass * width)) - 1
}
