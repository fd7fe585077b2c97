//! Layout of an element's level coordinates: a bin number for the leading levels, and a key for the others.

use super::depths::{binned_levels, target};
use super::forms::{LinearForm, Split, SplitLevels};
use super::keys::{Key, low_bits};
use crate::array::Domain;
use crate::error::{Error, ErrorKind};
use crate::format::{Kind, Level, Tree};
use crate::machine::radix::{WORDS, WideKey};

/// Assignment of the levels to the bin, and to bits of the key.
pub(super) struct Layout {
    pub(super) levels: Vec<LevelBits>,
    /// Number of leading levels that make the bin.
    pub(super) leading: usize,
    /// Number of bins.
    pub(super) bins: usize,
    /// Number of bits of the key.
    pub(super) bits: u32,
    /// Number of lowest bits of the key, which hold the aligned levels; the bits above order it.
    pub(super) aligned_bits: u32,
}

/// Part of the bin or of the key that holds the coordinate of a level.
#[derive(Clone, Copy)]
pub(super) struct LevelBits {
    pub(super) domain: Domain,
    /// Domain that the `idx` array is checked against.
    pub(super) declared: Domain,
    /// Stride of the coordinate in the bin number; 0 if the level is in the key.
    pub(super) stride: usize,
    pub(super) shift: u32,
    pub(super) width: u32,
    /// Lowest key bit in which two elements of a bin can differ if they differ in the levels up to this one.
    after: u32,
}

impl LevelBits {
    /// Returns the coordinate minus the lowest.
    #[inline]
    pub(super) fn offset<K: Key>(&self, bin: usize, key: K) -> usize {
        match self.stride {
            0 => key.field(self.shift, self.width) as usize,
            stride => bin / stride % self.domain.size,
        }
    }

    /// Returns the coordinate.
    #[inline]
    pub(super) fn coordinate<K: Key>(&self, bin: usize, key: K) -> i64 {
        self.domain.lo + self.offset(bin, key) as i64
    }
}

impl Layout {
    /// Creates a layout of the first `depth` levels, of which the first `leading` make the bin.
    pub(super) fn new(domains: &[Domain], levels: &[Level], leading: usize, depth: usize) -> Self {
        let absent = |&domain| LevelBits {
            domain,
            declared: domain,
            stride: 0,
            shift: 0,
            width: 0,
            after: 0,
        };
        let mut layout = Layout {
            levels: domains.iter().map(absent).collect(),
            leading,
            bins: 1,
            bits: 0,
            aligned_bits: 0,
        };
        for level in (0..depth).rev().filter(|&level| levels[level].kind == Kind::Aligned) {
            layout.levels[level].shift = layout.bits;
            layout.levels[level].width = bits_below(domains[level].size);
            layout.bits += layout.levels[level].width;
        }
        layout.aligned_bits = layout.bits;
        for level in (leading..depth).rev() {
            layout.levels[level].after = layout.bits;
            if levels[level].kind != Kind::Aligned {
                layout.levels[level].shift = layout.bits;
            }
            if !levels[level].kind.is_determined() {
                layout.levels[level].width = bits_below(domains[level].size);
                layout.bits += layout.levels[level].width;
            }
        }
        for level in (0..leading).rev() {
            // The key orders nothing of these levels.
            layout.levels[level].after = layout.bits;
            if !levels[level].kind.is_determined() {
                layout.levels[level].stride = layout.bins;
                layout.bins = layout.bins.saturating_mul(domains[level].size);
            }
        }
        layout
    }

    /// Creates a layout of dims with these extents, where the first one makes the bin if `binned`.
    pub(super) fn of_dims(extents: &[usize], binned: bool) -> Self {
        let leading = usize::from(binned).min(extents.len());
        let mut layout = Layout {
            levels: Vec::new(),
            leading,
            bins: 1,
            bits: 0,
            aligned_bits: 0,
        };
        for (dim, &size) in extents.iter().enumerate().rev() {
            let (domain, in_key) = (Domain { lo: 0, size }, dim >= leading);
            layout.levels.push(LevelBits {
                domain,
                declared: domain,
                stride: usize::from(!in_key),
                shift: layout.bits,
                width: if in_key { bits_below(size) } else { 0 },
                after: layout.bits,
            });
            if in_key {
                layout.bits += bits_below(size);
            } else {
                layout.bins = size;
            }
        }
        layout.levels.reverse();
        layout
    }

    /// Returns the number of bins that the first `leading` levels would make.
    pub(super) fn bins(domains: &[Domain], levels: &[Level], leading: usize) -> usize {
        let free = (0..leading).filter(|&level| !levels[level].kind.is_determined());
        free.fold(1, |bins, level| domains[level].size.saturating_mul(bins))
    }

    /// Returns the number of bits of a word where the first `leading` levels make these `bins`.
    pub(super) fn word_bits(domains: &[Domain], levels: &[Level], leading: usize, bins: usize) -> u32 {
        let in_key = |&(number, (level, _)): &(usize, (&Level, &Domain))| match level.kind {
            Kind::Aligned => true,
            kind => number >= leading && !kind.is_determined(),
        };
        let keyed = levels.iter().zip(domains).enumerate().filter(in_key);
        let key: u32 = keyed.map(|(_, (_, domain))| bits_below(domain.size)).sum();
        key + bits_below(bins)
    }

    /// Returns the key of these level coordinates, for keys that exceed a word.
    pub(super) fn wide_key(&self, coordinates: &[i64]) -> WideKey {
        let mut key = WideKey::ZERO;
        for (level, &coordinate) in self.levels.iter().zip(coordinates) {
            let offset = coordinate.wrapping_sub(level.domain.lo) as u64;
            if level.width > 0 {
                let (word, at) = (WORDS - 1 - (level.shift / 64) as usize, level.shift % 64);
                key[word] |= offset << at;
                if at + level.width > 64 {
                    key[word - 1] |= offset >> (64 - at);
                }
            }
        }
        key
    }

    /// Returns the number of bits of a bin number.
    pub(super) fn bin_bits(&self) -> u32 {
        bits_below(self.bins)
    }

    /// Returns the form of an element's word: the bin above the key.
    pub(super) fn form<const M: usize>(&self) -> LinearForm<M> {
        let mut form = LinearForm::zero();
        for (number, level) in self.levels.iter().enumerate() {
            form.add(number, self.factor(level), level.domain.lo);
        }
        form
    }

    /// Returns the factor of a level's coordinate in the word.
    pub(super) fn factor(&self, level: &LevelBits) -> u64 {
        match (level.stride, level.width) {
            (0, 0) => 0,
            (0, _) => 1u64.checked_shl(level.shift).unwrap_or(0),
            (stride, _) => (stride as u64).checked_shl(self.bits).unwrap_or(0),
        }
    }

    /// Returns the forms of an element's bin and key, if the usual levels of a format `F` make the bin.
    pub(super) fn split<F: Tree<N, M>, const N: usize, const M: usize>(&self) -> Option<Split<M>> {
        let usual = const { binned_levels(target::<F, N, M>().1.levels) };
        let is_usual = self.leading == usual && self.bits < u64::BITS;
        is_usual.then(|| self.split_levels(const { &SplitLevels::<M>::of::<F, N>() }))
    }

    /// Returns the forms of the bin and the key of an element's block, for a layout of the levels that determine blocks of a format `F`.
    pub(super) fn split_block<F: Tree<N, M>, const N: usize, const M: usize>(&self) -> Split<M> {
        self.split_levels(const { &SplitLevels::<M>::of_block::<F, N>() })
    }

    fn split_levels<const M: usize>(&self, levels: &SplitLevels<M>) -> Split<M> {
        let (mut bin, mut key) = (LinearForm::zero(), LinearForm::zero());
        for (number, level) in self.levels.iter().enumerate() {
            if levels.bin.has[number] {
                bin.add(number, level.stride as u64, level.domain.lo);
            } else if levels.key.has[number] {
                key.add(number, 1 << level.shift, level.domain.lo);
            }
        }
        Split { bin, key }
    }

    /// Returns the bin of a word.
    #[inline(always)]
    pub(super) fn bin(&self, word: u64) -> usize {
        word.checked_shr(self.bits).unwrap_or(0) as usize
    }

    /// Returns the mask of the key in a word.
    pub(super) fn key_mask(&self) -> u64 {
        low_bits(self.bits)
    }

    /// Returns whether the key is the coordinate of `level` minus the lowest, and nothing else.
    ///
    /// A level of the bin has no bits in the key, so equal widths alone are not enough: both can be zero.
    pub(super) fn is_key(&self, level: usize) -> bool {
        self.levels[level].stride == 0 && self.levels[level].width == self.bits
    }

    /// Returns the number of bins with equal coordinates in the first `depth` levels, if the bin determines all of these.
    pub(super) fn bins_within(&self, depth: usize) -> Option<usize> {
        // If there are zero bins, the strides do not show which levels the bin determines.
        let none = self.bins == 0 && depth < self.leading;
        if none || depth > 0 && self.levels[depth - 1].after < self.bits {
            return None;
        }
        let strides = self.levels[..depth].iter().rev().map(|level| level.stride);
        Some({ strides }.find(|&stride| stride > 0).unwrap_or(self.bins.max(1)))
    }

    /// Returns the lowest key bit in which elements of a bin can differ if they differ in the first `depth` levels.
    pub(super) fn shift_after(&self, depth: usize) -> u32 {
        depth.checked_sub(1).map_or(self.bits, |level| self.levels[level].after)
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

/// Returns the number of bits of the numbers below `size`.
pub(crate) fn bits_below(size: usize) -> u32 {
    usize::BITS - size.saturating_sub(1).leading_zeros()
}
