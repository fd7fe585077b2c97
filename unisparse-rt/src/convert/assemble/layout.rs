//! Layout of an element's level coordinates: a bin number for the leading levels, and a key for the others.

use super::depths::{binned_levels, block_levels, target};
use super::keys::{Key, low_bits};
use crate::array::Domain;
use crate::error::{Error, ErrorKind};
use crate::format::{Kind, Level, LevelForm, Tree, only_dim};
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

    /// Returns the form of the word of a block that the first `depth` levels determine. The key of a block of one level is its coordinate
    /// minus the lowest, even where that is always zero and has no bits.
    pub(super) fn form_of_block<const M: usize>(&self, depth: usize) -> LinearForm<M> {
        if depth != 1 {
            return self.form();
        }
        let mut form = LinearForm::zero();
        form.add(0, 1, self.levels[0].domain.lo);
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
        self.split_levels(usual, const { &SplitLevels::<M>::of::<F, N>() })
    }

    /// As [`split`](Layout::split), for a format whose first `usual` levels make the bin.
    fn split_levels<const M: usize>(&self, usual: usize, levels: &SplitLevels<M>) -> Option<Split<M>> {
        if self.leading != usual || self.bits >= u64::BITS {
            return None;
        }
        let (mut bin, mut key) = (LinearForm::zero(), LinearForm::zero());
        for (number, level) in self.levels.iter().enumerate() {
            if levels.bin.has[number] {
                bin.add(number, level.stride as u64, level.domain.lo);
            } else if levels.key.has[number] {
                key.add(number, 1 << level.shift, level.domain.lo);
            }
        }
        Some(Split { bin, key })
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

/// Linear form of level coordinates, modulo 2^64: zero at the lowest coordinates.
#[derive(Clone, Copy)]
pub(super) struct LinearForm<const M: usize> {
    factors: [u64; M],
    /// Constant term. Compilers hoist the sum of loop-invariant terms, but not a difference.
    origin: u64,
}

impl<const M: usize> LinearForm<M> {
    /// Creates the form that is zero.
    pub(super) fn zero() -> Self {
        LinearForm {
            factors: [0; M],
            origin: 0,
        }
    }

    /// Adds the coordinate of `level` minus the `lowest`, times `factor`.
    pub(super) fn add(&mut self, level: usize, factor: u64, lowest: i64) {
        self.factors[level] = self.factors[level].wrapping_add(factor);
        self.origin = self.origin.wrapping_sub((lowest as u64).wrapping_mul(factor));
    }

    /// Returns the word of these coordinates of a format `F`.
    #[inline(always)]
    pub(super) fn word<F: Tree<N, M>, const N: usize>(&self, levels: &[i64; M]) -> u64 {
        // The factors of levels that hold no coordinates are zero.
        self.sum(const { stored_levels(&F::LEVELS) }, levels)
    }

    /// Returns the word of these coordinates, for a [form of a block](Layout::form_of_block).
    #[inline(always)]
    pub(super) fn word_of_block<F: Tree<N, M>, const N: usize>(&self, levels: &[i64; M]) -> u64 {
        let depth = const { block_levels(target::<F, N, M>().1.levels) };
        if depth == 1 {
            debug_assert_eq!(self.factors[0], 1, "a single level is the key");
            return self.origin.wrapping_add(levels[0] as u64);
        }
        self.sum(
            const { free_levels(&F::LEVELS, 0, block_levels(target::<F, N, M>().1.levels)) },
            levels,
        )
    }

    /// Returns the word of these coordinates, for a form of the levels below those that determine the block.
    #[inline(always)]
    pub(super) fn word_in_block<F: Tree<N, M>, const N: usize>(&self, levels: &[i64; M]) -> u64 {
        let free = const { free_levels(&F::LEVELS, block_levels(target::<F, N, M>().1.levels), M) };
        self.sum(free, levels)
    }

    /// Returns the form of these levels, whose factor is 1 if there is only one.
    #[inline(always)]
    fn of_set(&self, set: LevelSet<M>, levels: &[i64; M]) -> u64 {
        let (mut sum, mut level) = (if set.is_dim { 0 } else { self.origin }, 0);
        while level < M {
            if set.has[level] {
                let factor = if set.count == 1 { 1 } else { self.factors[level] };
                sum = sum.wrapping_add((levels[level] as u64).wrapping_mul(factor));
            }
            level += 1;
        }
        sum
    }

    /// Returns the form of the levels that are `kept`. A loop without closures, as each format has copies of it.
    #[inline(always)]
    fn sum(&self, kept: [bool; M], levels: &[i64; M]) -> u64 {
        let (mut sum, mut level) = (self.origin, 0);
        while level < M {
            if kept[level] {
                sum = sum.wrapping_add((levels[level] as u64).wrapping_mul(self.factors[level]));
            }
            level += 1;
        }
        sum
    }
}

/// Returns which levels hold coordinates.
const fn stored_levels<const M: usize>(levels: &[Level; M]) -> [bool; M] {
    let (mut stored, mut level) = ([false; M], 0);
    while level < M {
        stored[level] = !levels[level].kind.holds_nothing();
        level += 1;
    }
    stored
}

/// Returns which of the levels from `first` on, and before `end`, have coordinates of their own.
const fn free_levels<const M: usize>(levels: &[Level; M], first: usize, end: usize) -> [bool; M] {
    let (mut free, mut level) = ([false; M], first);
    while level < end {
        free[level] = !levels[level].kind.is_determined();
        level += 1;
    }
    free
}

/// The bin and the key of an element as two linear forms, in which a single level has the factor 1.
pub(super) struct Split<const M: usize> {
    bin: LinearForm<M>,
    key: LinearForm<M>,
}

impl<const M: usize> Split<M> {
    /// Returns the bin of these coordinates of a format `F`.
    #[inline(always)]
    pub(super) fn bin<F: Tree<N, M>, const N: usize>(&self, levels: &[i64; M]) -> usize {
        self.bin.of_set(const { SplitLevels::<M>::of::<F, N>().bin }, levels) as usize
    }

    /// Returns the key of these coordinates of a format `F`.
    #[inline(always)]
    pub(super) fn key<F: Tree<N, M>, const N: usize>(&self, levels: &[i64; M]) -> u64 {
        self.key.of_set(const { SplitLevels::<M>::of::<F, N>().key }, levels)
    }
}

/// The levels of a format that usually make the bin and the key.
struct SplitLevels<const M: usize> {
    bin: LevelSet<M>,
    key: LevelSet<M>,
}

impl<const M: usize> SplitLevels<M> {
    const fn of<F: Tree<N, M>, const N: usize>() -> Self {
        let leading = binned_levels(target::<F, N, M>().1.levels);
        let (mut bin, mut key, mut level) = (LevelSet::EMPTY, LevelSet::EMPTY, 0);
        while level < M {
            let kind = F::LEVELS[level].kind;
            if matches!(kind, Kind::Aligned) || !kind.is_determined() && level >= leading {
                key.add(level);
            } else if !kind.is_determined() {
                bin.add(level);
            }
            level += 1;
        }
        let levels = target::<F, N, M>().0.levels;
        (bin.is_dim, key.is_dim) = (bin.dim(levels).is_some(), key.dim(levels).is_some());
        SplitLevels { bin, key }
    }
}

/// Some levels of a format.
#[derive(Clone, Copy)]
struct LevelSet<const M: usize> {
    has: [bool; M],
    count: usize,
    /// Whether there is only one, which holds a dim itself: its lowest coordinate is zero.
    is_dim: bool,
}

impl<const M: usize> LevelSet<M> {
    const EMPTY: Self = LevelSet {
        has: [false; M],
        count: 0,
        is_dim: false,
    };

    const fn add(&mut self, level: usize) {
        self.has[level] = true;
        self.count += 1;
    }

    /// Returns the dim whose coordinate is the only level's, if there is only one and it holds a dim itself.
    const fn dim(&self, levels: &[LevelForm]) -> Option<usize> {
        let mut level = 0;
        while level < M {
            if self.count == 1 && self.has[level] {
                return only_dim(&levels[level].form);
            }
            level += 1;
        }
        None
    }
}

/// Returns the dim whose coordinate is the bin, if one level usually makes the bin and holds the dim itself.
pub(super) const fn bin_dim<F: Tree<N, M>, const N: usize, const M: usize>() -> Option<usize> {
    SplitLevels::<M>::of::<F, N>().bin.dim(target::<F, N, M>().0.levels)
}

/// Returns the dim whose coordinate is the key, if one level usually makes the key and holds the dim itself.
pub(super) const fn key_dim<F: Tree<N, M>, const N: usize, const M: usize>() -> Option<usize> {
    SplitLevels::<M>::of::<F, N>().key.dim(target::<F, N, M>().0.levels)
}

/// Returns the number of bits of the numbers below `size`.
pub(super) fn bits_below(size: usize) -> u32 {
    usize::BITS - size.saturating_sub(1).leading_zeros()
}
