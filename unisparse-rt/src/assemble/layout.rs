//! How the level coordinates of an element are held: the leading levels as the number of a bin, the others in a key.

use crate::level::{Domain, Kind};
use crate::radix::{self, WORDS, WideKey};
use crate::{Error, ErrorKind};

/// Which levels make the bin, and which bits of the key hold the others.
#[derive(Clone, Copy)]
pub(super) struct Layout<const M: usize> {
    pub(super) domains: [Domain; M],
    /// How many leading levels the bin tells.
    pub(super) leading: usize,
    /// How many bins there are.
    pub(super) bins: usize,
    /// Factors of the leading levels' coordinates in the number of the bin.
    pub(super) strides: [usize; M],
    pub(super) shift: [u32; M],
    pub(super) width: [u32; M],
    /// The bits of a key above which two of equal bins differ if they differ in the levels up to this one.
    after: [u32; M],
    /// How many bits the key has, and those of aligned levels below the ones that order it.
    pub(super) bits: u32,
    pub(super) aligned_bits: u32,
}

impl<const M: usize> Layout<M> {
    /// `kinds` of the first `depth` levels; those below are left out.
    pub(super) fn new(domains: [Domain; M], kinds: &[Kind; M], leading: usize, depth: usize) -> Self {
        let mut layout = Layout {
            domains,
            leading,
            bins: 1,
            strides: [0; M],
            shift: [0; M],
            width: [0; M],
            after: [0; M],
            bits: 0,
            aligned_bits: 0,
        };
        let bits_of = |level: usize| usize::BITS - domains[level].size.saturating_sub(1).leading_zeros();
        for level in (0..depth).rev().filter(|&level| kinds[level] == Kind::Aligned) {
            layout.shift[level] = layout.bits;
            layout.width[level] = bits_of(level);
            layout.bits += layout.width[level];
        }
        layout.aligned_bits = layout.bits;
        for level in (leading..depth).rev() {
            layout.after[level] = layout.bits;
            if kinds[level] != Kind::Aligned {
                layout.shift[level] = layout.bits;
            }
            if !kinds[level].is_determined() {
                layout.width[level] = bits_of(level);
                layout.bits += layout.width[level];
            }
        }
        layout.after[..leading].fill(layout.bits);
        for level in (0..leading).rev().filter(|&level| !kinds[level].is_determined()) {
            layout.strides[level] = layout.bins;
            layout.bins = layout.bins.saturating_mul(domains[level].size);
        }
        layout
    }

    /// How many bins there would be with so many leading levels.
    pub(super) fn bins(domains: &[Domain; M], kinds: &[Kind; M], leading: usize) -> usize {
        let free = (0..leading).filter(|&level| !kinds[level].is_determined());
        free.fold(1, |bins, level| domains[level].size.saturating_mul(bins))
    }

    /// The key of these level coordinates, where a word cannot hold it.
    pub(super) fn wide_key(&self, levels: &[i64; M]) -> WideKey {
        let mut key = WideKey::ZERO;
        for (level, &coordinate) in levels.iter().enumerate() {
            let offset = coordinate.wrapping_sub(self.domains[level].lo) as u64;
            let (shift, width) = (self.shift[level], self.width[level]);
            if width > 0 {
                let (word, at) = (WORDS - 1 - (shift / 64) as usize, shift % 64);
                key[word] |= offset << at;
                if at + width > 64 {
                    key[word - 1] |= offset >> (64 - at);
                }
            }
        }
        key
    }

    /// How many bits the number of a bin has.
    pub(super) fn bin_bits(&self) -> u32 {
        usize::BITS - self.bins.saturating_sub(1).leading_zeros()
    }

    /// What makes words of level coordinates.
    pub(super) fn coder(&self) -> Coder<M> {
        let mut factors = [0; M];
        for (level, factor) in factors.iter_mut().enumerate() {
            *factor = match (self.strides[level], self.width[level]) {
                (0, 0) => 0,
                (0, _) => 1u64.checked_shl(self.shift[level]).unwrap_or(0),
                (stride, _) => (stride as u64).checked_shl(self.bits).unwrap_or(0),
            };
        }
        let mut coder = Coder {
            factors,
            origin: 0,
            bits: self.bits,
        };
        coder.origin = coder.word(&self.domains.map(|domain| domain.lo)).wrapping_neg();
        coder
    }

    /// The bits of the key in that word.
    pub(super) fn key_mask(&self) -> u64 {
        low_bits(self.bits)
    }

    /// The coordinate of `level` less the lowest.
    #[inline]
    pub(super) fn offset<K: Key>(&self, bin: usize, key: K, level: usize) -> usize {
        match self.strides[level] {
            0 => key.field(self.shift[level], self.width[level]) as usize,
            stride => bin / stride % self.domains[level].size,
        }
    }

    /// Whether the key is the coordinate of `level` less the lowest, and nothing else.
    ///
    /// A level that the bin tells has no bits in the key, so equal widths alone do not say it: both can be zero.
    pub(super) fn is_key(&self, level: usize) -> bool {
        self.strides[level] == 0 && self.width[level] == self.bits
    }

    /// How many bins are equal in the first `depth` levels, if the bin tells all of those.
    pub(super) fn bins_within(&self, depth: usize) -> Option<usize> {
        // Without bins there are no strides to tell it by.
        let none = self.bins == 0 && depth < self.leading;
        if none || depth > 0 && self.after[depth - 1] < self.bits {
            return None;
        }
        let strides = self.strides[..depth].iter().rev();
        Some(strides.copied().find(|&stride| stride > 0).unwrap_or(self.bins.max(1)))
    }

    /// Bits of a key above which two of equal bins differ if they differ in the first `depth` levels.
    pub(super) fn shift_after(&self, depth: usize) -> u32 {
        depth.checked_sub(1).map_or(self.bits, |level| self.after[level])
    }

    /// Whether some key type holds a key of `format`.
    pub(super) fn check(&self, format: &str) -> Result<(), Error> {
        if self.bits <= WideKey::BITS {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Overflow,
            format!("format `{format}`"),
            None,
            format!("{} bits of coordinates", self.bits),
            format!("at most {}", WideKey::BITS),
        ))
    }
}

/// Level coordinates to words: the bin above the key. Every level has bits of its own, so that a word is a linear form.
#[derive(Clone, Copy)]
pub(super) struct Coder<const M: usize> {
    factors: [u64; M],
    /// What is added, so that the form of the lowest coordinates is zero. A sum, and no difference, of what stays the same
    /// in a loop is taken out of it.
    origin: u64,
    bits: u32,
}

impl<const M: usize> Coder<M> {
    /// The bin above the key.
    #[inline(always)]
    pub(super) fn word(&self, levels: &[i64; M]) -> u64 {
        self.word_of(M, levels)
    }

    /// The word of a layout of the first `depth` levels: the others would come in with factors of zero.
    #[inline(always)]
    pub(super) fn word_of(&self, depth: usize, levels: &[i64; M]) -> u64 {
        let terms = levels[..depth].iter().zip(&self.factors);
        terms.fold(self.origin, |word, (&level, &factor)| {
            word.wrapping_add((level as u64).wrapping_mul(factor))
        })
    }

    /// The bin in a word.
    #[inline(always)]
    pub(super) fn bin(&self, word: u64) -> usize {
        word.checked_shr(self.bits).unwrap_or(0) as usize
    }
}

/// So many bits from the lowest on.
pub(super) fn low_bits(count: u32) -> u64 {
    1u64.checked_shl(count).unwrap_or(0).wrapping_sub(1)
}

/// The part of an element's level coordinates that its bin does not tell, packed so that keys compare as they do.
pub(super) trait Key: Copy + PartialEq + PartialOrd + Send + Sync + 'static {
    const BITS: u32;
    const ZERO: Self;
    /// Bits `shift..shift + width`.
    fn field(self, shift: u32, width: u32) -> u64;
    /// Whether the two differ in a bit at or above `shift`.
    fn differs(self, other: Self, shift: u32) -> bool;
    fn of_word(word: u64) -> Self;
}

macro_rules! key {
    ($($word:ident),*) => {$(
        impl Key for $word {
            const BITS: u32 = $word::BITS;
            const ZERO: Self = 0;
            #[inline(always)]
            fn field(self, shift: u32, width: u32) -> u64 {
                let above = u64::from(self).checked_shr(shift).unwrap_or(0);
                above & u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0)
            }
            #[inline(always)]
            fn differs(self, other: Self, shift: u32) -> bool {
                (self ^ other).checked_shr(shift).unwrap_or(0) != 0
            }
            #[inline(always)]
            fn of_word(word: u64) -> Self {
                word as Self
            }
        }
    )*};
}

key!(u32, u64);

impl Key for WideKey {
    const BITS: u32 = u64::BITS * WORDS as u32;
    const ZERO: Self = [0; WORDS];
    fn field(self, shift: u32, width: u32) -> u64 {
        radix::bits(&self, shift, width)
    }
    fn differs(self, other: Self, shift: u32) -> bool {
        (0..WORDS).any(|word| {
            let low = u64::BITS * (WORDS - 1 - word) as u32;
            let mask = match shift.checked_sub(low) {
                None => u64::MAX,
                Some(shift) => u64::MAX.checked_shl(shift).unwrap_or(0),
            };
            (self[word] ^ other[word]) & mask != 0
        })
    }
    fn of_word(word: u64) -> Self {
        let mut key = Self::ZERO;
        key[WORDS - 1] = word;
        key
    }
}
