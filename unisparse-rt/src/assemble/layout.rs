//! Layout of an element's level coordinates: a bin number for the leading levels, and a key for the others.

use crate::level::{Domain, Kind};
use crate::radix::{self, WORDS, WideKey};
use crate::{Error, ErrorKind};

/// Assignment of the levels to the bin, and to bits of the key.
#[derive(Clone, Copy)]
pub(super) struct Layout<const M: usize> {
    pub(super) domains: [Domain; M],
    /// Number of leading levels that make the bin.
    pub(super) leading: usize,
    /// Number of bins.
    pub(super) bins: usize,
    /// Strides of the leading levels' coordinates in the bin number.
    pub(super) strides: [usize; M],
    pub(super) shift: [u32; M],
    pub(super) width: [u32; M],
    /// For each level, the lowest key bit in which two elements of a bin can differ if they differ in the levels up to it.
    after: [u32; M],
    /// Number of bits of the key.
    pub(super) bits: u32,
    /// Number of lowest bits of the key, which hold the aligned levels; the bits above order it.
    pub(super) aligned_bits: u32,
}

impl<const M: usize> Layout<M> {
    /// Creates a layout of the first `depth` levels, of which the first `leading` make the bin.
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

    /// Returns the number of bins that the first `leading` levels would make.
    pub(super) fn bins(domains: &[Domain; M], kinds: &[Kind; M], leading: usize) -> usize {
        let free = (0..leading).filter(|&level| !kinds[level].is_determined());
        free.fold(1, |bins, level| domains[level].size.saturating_mul(bins))
    }

    /// Returns the key of these level coordinates, for keys that exceed a word.
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

    /// Returns the number of bits of a bin number.
    pub(super) fn bin_bits(&self) -> u32 {
        usize::BITS - self.bins.saturating_sub(1).leading_zeros()
    }

    /// Returns the encoder from level coordinates to words.
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

    /// Returns the mask of the key in a word.
    pub(super) fn key_mask(&self) -> u64 {
        low_bits(self.bits)
    }

    /// Returns the coordinate of `level` minus the lowest.
    #[inline]
    pub(super) fn offset<K: Key>(&self, bin: usize, key: K, level: usize) -> usize {
        match self.strides[level] {
            0 => key.field(self.shift[level], self.width[level]) as usize,
            stride => bin / stride % self.domains[level].size,
        }
    }

    /// Returns whether the key is the coordinate of `level` minus the lowest, and nothing else.
    ///
    /// A level of the bin has no bits in the key, so equal widths alone are not enough: both can be zero.
    pub(super) fn is_key(&self, level: usize) -> bool {
        self.strides[level] == 0 && self.width[level] == self.bits
    }

    /// Returns the number of bins with equal coordinates in the first `depth` levels, if the bin determines all of these.
    pub(super) fn bins_within(&self, depth: usize) -> Option<usize> {
        // If there are zero bins, the strides do not show which levels the bin determines.
        let none = self.bins == 0 && depth < self.leading;
        if none || depth > 0 && self.after[depth - 1] < self.bits {
            return None;
        }
        let strides = self.strides[..depth].iter().rev();
        Some(strides.copied().find(|&stride| stride > 0).unwrap_or(self.bins.max(1)))
    }

    /// Returns the lowest key bit in which elements of a bin can differ if they differ in the first `depth` levels.
    pub(super) fn shift_after(&self, depth: usize) -> u32 {
        depth.checked_sub(1).map_or(self.bits, |level| self.after[level])
    }

    /// Checks that some key type holds a key of `format`.
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

/// Encoder of level coordinates as words: the bin above the key.
///
/// Every level has bits of its own, so a word is a linear form.
#[derive(Clone, Copy)]
pub(super) struct Coder<const M: usize> {
    factors: [u64; M],
    /// Constant term, chosen so that the form is zero at the lowest coordinates. Compilers hoist the sum of loop-invariant
    /// terms, but not a difference.
    origin: u64,
    bits: u32,
}

impl<const M: usize> Coder<M> {
    /// Returns the word of these coordinates: the bin above the key.
    #[inline(always)]
    pub(super) fn word(&self, levels: &[i64; M]) -> u64 {
        self.word_of(M, levels)
    }

    /// Returns the word for a layout of the first `depth` levels; the factors of the others would be zero.
    #[inline(always)]
    pub(super) fn word_of(&self, depth: usize, levels: &[i64; M]) -> u64 {
        let terms = levels[..depth].iter().zip(&self.factors);
        terms.fold(self.origin, |word, (&level, &factor)| {
            word.wrapping_add((level as u64).wrapping_mul(factor))
        })
    }

    /// Returns the bin of a word.
    #[inline(always)]
    pub(super) fn bin(&self, word: u64) -> usize {
        word.checked_shr(self.bits).unwrap_or(0) as usize
    }
}

/// Returns a mask of the lowest `count` bits.
pub(super) fn low_bits(count: u32) -> u64 {
    1u64.checked_shl(count).unwrap_or(0).wrapping_sub(1)
}

/// Level coordinates that the bin does not determine, packed so that keys compare as the coordinates do.
pub(super) trait Key: Copy + PartialEq + PartialOrd + Send + Sync + 'static {
    const BITS: u32;
    const ZERO: Self;
    /// Returns the bits `shift..shift + width`.
    fn field(self, shift: u32, width: u32) -> u64;
    /// Returns whether two keys differ in a bit at or above `shift`.
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
