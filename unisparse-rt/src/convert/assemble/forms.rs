//! Integers of an element as linear forms of its level coordinates: its word, its bin and its key, its place in a block.

use super::depths::{binned_levels, block_levels, target};
use crate::format::{Kind, Level, LevelForm, Tree, only_dim};

/// Linear form of level coordinates, modulo 2^64: zero at the lowest coordinates.
#[derive(Clone, Copy)]
pub(super) struct LinearForm<const M: usize> {
    factors: [u64; M],
    /// Constant term. Compilers hoist the sum of loop-invariant terms, but not a difference.
    pub(super) origin: u64,
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
        self.sum(self.origin, const { stored_levels(&F::LEVELS) }, None, levels)
    }

    /// Returns the place of these coordinates without the constant term, for a form of the levels below those that determine the block.
    /// In a `WHOLE` block, where all of these levels are built, the last one has the factor 1.
    #[inline(always)]
    pub(super) fn place_in_block<F: Tree<N, M>, const N: usize, const WHOLE: bool>(&self, levels: &[i64; M]) -> u64 {
        let free = const { free_levels(&F::LEVELS, block_levels(target::<F, N, M>().1.levels)) };
        let unit = const { if WHOLE { last_free_level(&F::LEVELS) } else { None } };
        self.sum(0, free, unit, levels)
    }

    /// Returns the form of these levels, whose factor is 1 if there is only one.
    #[inline(always)]
    fn of_set(&self, set: LevelSet<M>, levels: &[i64; M]) -> u64 {
        match set.only() {
            Some(level) if set.is_dim => levels[level] as u64,
            only => self.sum(self.origin, set.has, only, levels),
        }
    }

    /// Returns `start` plus the terms of the levels that are `kept`, of which one may be known to have the factor 1. A loop without
    /// closures, as each format has copies of it.
    #[inline(always)]
    fn sum(&self, start: u64, kept: [bool; M], unit: Option<usize>, levels: &[i64; M]) -> u64 {
        let (mut sum, mut level) = (start, 0);
        while level < M {
            if kept[level] {
                let is_unit = matches!(unit, Some(unit) if unit == level);
                let factor = if is_unit { 1 } else { self.factors[level] };
                sum = sum.wrapping_add((levels[level] as u64).wrapping_mul(factor));
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

/// Returns which of the levels from `first` on have coordinates of their own.
const fn free_levels<const M: usize>(levels: &[Level; M], first: usize) -> [bool; M] {
    let (mut free, mut level) = ([false; M], first);
    while level < M {
        free[level] = !levels[level].kind.is_determined();
        level += 1;
    }
    free
}

/// Returns the last level with coordinates of its own.
const fn last_free_level<const M: usize>(levels: &[Level; M]) -> Option<usize> {
    let mut level = M;
    while level > 0 {
        level -= 1;
        if !levels[level].kind.is_determined() {
            return Some(level);
        }
    }
    None
}

/// The bin and the key of an element, or of its block, as two linear forms, in which a single level has the factor 1.
#[derive(Clone, Copy)]
pub(super) struct Split<const M: usize> {
    pub(super) bin: LinearForm<M>,
    pub(super) key: LinearForm<M>,
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

    /// Returns the bin of the block with these coordinates of a format `F`.
    #[inline(always)]
    pub(super) fn bin_of_block<F: Tree<N, M>, const N: usize>(&self, levels: &[i64; M]) -> usize {
        self.bin
            .of_set(const { SplitLevels::<M>::of_block::<F, N>().bin }, levels) as usize
    }

    /// Returns the key of the block with these coordinates of a format `F`.
    #[inline(always)]
    pub(super) fn key_of_block<F: Tree<N, M>, const N: usize>(&self, levels: &[i64; M]) -> usize {
        self.key
            .of_set(const { SplitLevels::<M>::of_block::<F, N>().key }, levels) as usize
    }
}

/// The levels of a format that make the bin, and those that make the key.
pub(super) struct SplitLevels<const M: usize> {
    pub(super) bin: LevelSet<M>,
    pub(super) key: LevelSet<M>,
}

impl<const M: usize> SplitLevels<M> {
    /// Returns what is usual for elements.
    pub(super) const fn of<F: Tree<N, M>, const N: usize>() -> Self {
        Self::first::<F, N>(M, binned_levels(target::<F, N, M>().1.levels))
    }

    /// Returns those of a block: the key is the last level that determines it.
    pub(super) const fn of_block<F: Tree<N, M>, const N: usize>() -> Self {
        let depth = block_levels(target::<F, N, M>().1.levels);
        Self::first::<F, N>(depth, depth.saturating_sub(1))
    }

    /// Returns those of the first `depth` levels, of which the first `leading` make the bin.
    const fn first<F: Tree<N, M>, const N: usize>(depth: usize, leading: usize) -> Self {
        let (mut bin, mut key, mut level) = (LevelSet::EMPTY, LevelSet::EMPTY, 0);
        while level < depth {
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
pub(super) struct LevelSet<const M: usize> {
    pub(super) has: [bool; M],
    count: usize,
    /// The level added last.
    last: usize,
    /// Whether there is only one, which holds a dim itself: its lowest coordinate is zero.
    is_dim: bool,
}

impl<const M: usize> LevelSet<M> {
    const EMPTY: Self = LevelSet {
        has: [false; M],
        count: 0,
        last: 0,
        is_dim: false,
    };

    const fn add(&mut self, level: usize) {
        self.has[level] = true;
        self.count += 1;
        self.last = level;
    }

    /// Returns the level, if there is only one.
    const fn only(&self) -> Option<usize> {
        if self.count == 1 { Some(self.last) } else { None }
    }

    /// Returns the dim whose coordinate is the only level's, if there is only one and it holds a dim itself.
    const fn dim(&self, levels: &[LevelForm]) -> Option<usize> {
        match self.only() {
            Some(level) => only_dim(&levels[level].form),
            None => None,
        }
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
