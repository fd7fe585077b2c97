//! The level coordinates of elements as keys that sort in storage order.

use core::ops::Range;

use crate::array::Domain;
use crate::convert::assemble::{bits_below, low_bits};
use crate::format::Level;
use crate::machine::{parallel, radix};

/// The offsets of elements from the starts of the levels' domains: one word for each element if it holds them, or one for each level.
/// Those of determined levels are 0.
pub(super) struct Keys {
    /// Where each level's offset is in a word, the first level in the highest bits.
    fields: Vec<Field>,
    /// Number of bits of all offsets.
    bits: u32,
    words: Vec<u64>,
    /// The level that a bit of a word belongs to, by the number of bits above it; after the last bit, the number of levels.
    level_of_bit: [u8; u64::BITS as usize + 1],
}

/// The bits of a level's offset.
#[derive(Clone, Copy)]
struct Field {
    lowest: i64,
    shift: u32,
    /// One bit for each bit of the offset.
    mask: u64,
}

impl Field {
    /// Returns the offset in a word.
    #[inline]
    fn of(self, word: u64) -> u64 {
        word.checked_shr(self.shift).unwrap_or(0) & self.mask
    }

    fn width(self) -> u32 {
        self.mask.count_ones()
    }
}

impl Keys {
    /// Prepares keys for this many elements.
    pub(super) fn with_capacity(levels: &[Level], domains: &[Domain], count: usize) -> Self {
        let width = |(level, domain): (&Level, &Domain)| match level.kind.is_determined() {
            true => 0,
            false => bits_below(domain.size),
        };
        let (mut fields, mut bits) = (Vec::new(), 0);
        for (level, domain) in levels.iter().zip(domains).rev() {
            let width = width((level, domain));
            fields.push(Field {
                lowest: domain.lo,
                shift: bits,
                mask: low_bits(width),
            });
            bits += width;
        }
        fields.reverse();
        let mut keys = Keys {
            words: Vec::with_capacity(if bits <= u64::BITS { count } else { 0 }),
            level_of_bit: [levels.len() as u8; u64::BITS as usize + 1],
            fields,
            bits,
        };
        if keys.is_packed() {
            for (level, field) in keys.fields.iter().enumerate() {
                let first = (u64::BITS - field.shift - field.width()) as usize;
                keys.level_of_bit[first..][..field.width() as usize].fill(level as u8);
            }
        }
        keys
    }

    /// Returns whether a word holds all offsets of an element.
    fn is_packed(&self) -> bool {
        self.bits <= u64::BITS && self.fields.len() < usize::from(u8::MAX)
    }

    /// Appends elements, given by their coordinates at each level.
    pub(super) fn append(&mut self, coordinates: &[&[i64]]) {
        let (start, count) = (
            self.words.len(),
            coordinates.first().map_or(0, |of_level| of_level.len()),
        );
        let stride = self.stride();
        self.words.resize(start + count * stride, 0);
        for (level, (field, of_level)) in self.fields.iter().zip(coordinates).enumerate() {
            let Field { lowest, shift, mask } = *field;
            if mask == 0 {
                continue;
            }
            let offset = |&at: &i64| at.wrapping_sub(lowest) as u64;
            if stride == 1 {
                let words = self.words[start..].iter_mut().zip(*of_level);
                words.for_each(|(word, at)| *word |= offset(at).wrapping_shl(shift));
            } else {
                let words = self.words[start + level..].iter_mut().step_by(stride);
                words.zip(*of_level).for_each(|(word, at)| *word = offset(at));
            }
        }
    }

    /// Returns the number of words of an element.
    fn stride(&self) -> usize {
        if self.is_packed() { 1 } else { self.fields.len() }
    }

    /// Returns the number of levels.
    pub(super) fn depth(&self) -> usize {
        self.fields.len()
    }

    /// Returns the number of elements.
    pub(super) fn len(&self) -> usize {
        self.words.len() / self.stride().max(1)
    }

    fn key(&self, at: usize) -> &[u64] {
        &self.words[at * self.stride()..][..self.stride()]
    }

    /// Returns the offset of an element at a level.
    #[inline]
    pub(super) fn offset(&self, at: usize, level: usize) -> u64 {
        if !self.is_packed() {
            return self.key(at)[level];
        }
        self.fields[level].of(self.words[at])
    }

    /// Returns the coordinates of a run of elements, those of all levels for each element. Those of determined levels are the starts of
    /// their domains.
    pub(super) fn coordinates(&self, run: Range<usize>) -> Vec<i64> {
        let mut coordinates = vec![0; run.len() * self.depth()];
        for (level, field) in self.fields.iter().enumerate() {
            let of_level = coordinates.iter_mut().skip(level).step_by(self.depth());
            let of_level = of_level.zip(self.words[run.start * self.stride()..].chunks_exact(self.stride()));
            let coordinate = |offset| field.lowest.wrapping_add_unsigned(offset);
            match self.is_packed() {
                true => of_level.for_each(|(at, key)| *at = coordinate(field.of(key[0]))),
                false => of_level.for_each(|(at, key)| *at = coordinate(key[level])),
            }
        }
        coordinates
    }

    /// Calls `visit` for each element but the first with the first level at which it differs from the element before; with the number of
    /// levels if it does not.
    #[inline(always)]
    pub(super) fn differences(&self, mut visit: impl FnMut(usize, usize)) {
        if !self.is_packed() {
            let depth = self.depth();
            for at in 1..self.len() {
                let pairs = self.key(at - 1).iter().zip(self.key(at));
                visit(at, { pairs }.position(|(left, right)| left != right).unwrap_or(depth));
            }
            return;
        }
        for (at, pair) in self.words.windows(2).enumerate() {
            let first = (pair[0] ^ pair[1]).leading_zeros() as usize;
            visit(at + 1, usize::from(self.level_of_bit[first]));
        }
    }

    /// Returns whether no element comes before the one before it.
    pub(super) fn are_sorted(&self) -> bool {
        let pairs = self.len().saturating_sub(1);
        if self.is_packed() {
            return parallel::all(pairs, |at| self.words[at] <= self.words[at + 1]);
        }
        parallel::all(pairs, |at| self.key(at) <= self.key(at + 1))
    }

    /// Sorts the elements stably, and with them the `values`, one for each element.
    pub(super) fn sort<V: Copy + Send + Sync>(&mut self, values: &mut Vec<V>) {
        if self.is_packed() {
            return radix::sort(&mut self.words, values, 0..self.bits);
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        for (level, field) in self.fields.iter().enumerate().rev() {
            let mut of_level = order.iter().map(|&at| self.key(at)[level]).collect();
            radix::sort(&mut of_level, &mut order, 0..field.width());
        }
        self.words = order.iter().flat_map(|&at| self.key(at).iter().copied()).collect();
        *values = order.iter().map(|&at| values[at]).collect();
    }
}
