//! Positions of values in formats of blocks: the number of the block times its size, plus an offset that is linear in the coordinates.

use core::ops::Range;

use super::depths::{block_levels, has_counted, target};
use super::layout::LinearForm;
use super::levels::Levels;
use super::sequence::ElementKeys;
use super::words::{Coded, visit};
use crate::format::{Tree, below_invariant};
use crate::machine::pages;

/// Positions of elements at the level built last: a block, and a place within it, which is a linear form of the
/// coordinates.
///
/// A counted level splits the place within the block: one form for the levels above it, another for the counted level and
/// those below it.
pub(super) struct Placement<'a, const M: usize> {
    levels: &'a Levels,
    /// Number of blocks that a bin may have.
    blocks: usize,
    /// First position of each parent at a counted level.
    starts: Option<&'a [usize]>,
    /// The bin of the block above its key.
    block: LinearForm<M>,
    above: BlockOffset<M>,
    within: BlockOffset<M>,
}

/// Place below a parent.
struct BlockOffset<const M: usize> {
    form: LinearForm<M>,
    /// Number of positions below each parent.
    size: u64,
}

impl<const M: usize> BlockOffset<M> {
    /// Returns the place within some levels; the size of a `counted` level differs below each parent, so that it is not a
    /// factor of the positions below each parent.
    fn within(range: Range<usize>, levels: &Levels, counted: Option<usize>) -> Self {
        let (mut form, mut size) = (LinearForm::zero(), 1u64);
        let free = |level: &usize| !levels.table[*level].kind.is_determined();
        for level in range.rev().filter(free) {
            let domain = levels.layout.levels[level].domain;
            form.add(level, size, domain.lo);
            if counted != Some(level) {
                size = size.wrapping_mul(domain.size as u64);
            }
        }
        BlockOffset { form, size }
    }
}

impl<'a, const M: usize> Placement<'a, M> {
    /// Prepares positions in the blocks that the first `depth` levels determine.
    ///
    /// `counted` is a counted level that was built, with its first position below each parent.
    pub(super) fn new(levels: &'a Levels, depth: usize, counted: Option<(usize, &'a [usize])>) -> Self {
        let level = counted.map(|(level, _)| level);
        let split = level.unwrap_or(depth);
        Placement {
            levels,
            blocks: depth.checked_sub(1).map_or(0, |level| levels.size(level)),
            starts: counted.map(|(_, starts)| starts),
            block: levels.layout.form_of_block(depth),
            above: BlockOffset::within(depth..split, levels, None),
            within: BlockOffset::within(split..levels.built, levels, level),
        }
    }

    /// Returns the place below a position of the level built last in the `idx` array of a level that is invariant over the
    /// next one, and the number of its entries below each position.
    pub(super) fn invariant(levels: &Levels, level: usize) -> (LinearForm<M>, usize) {
        let (mut form, mut size) = (LinearForm::zero(), 1u64);
        for below in below_invariant(levels.table, level).rev() {
            let domain = levels.layout.levels[below].domain;
            form.add(below, size, domain.lo);
            size = size.wrapping_mul(domain.size as u64);
        }
        (form, size as usize)
    }

    /// Visits each element of a piece with its position and its level coordinates. Without optimisation, all visits share one loop.
    #[inline(always)]
    pub(super) fn visit<F: Tree<N, M>, C: Coded<F, N, M>, const N: usize>(
        &self,
        elements: &C,
        piece: Range<usize>,
        mut take: impl FnMut(usize, [i64; M], F::Scalar),
    ) {
        if cfg!(optimised) {
            self.each(elements, piece, take);
        } else {
            let take: &mut dyn FnMut(usize, [i64; M], F::Scalar) = &mut take;
            self.each(elements, piece, take);
        }
    }

    #[inline(always)]
    fn each<F: Tree<N, M>, C: Coded<F, N, M>, const N: usize>(
        &self,
        elements: &C,
        piece: Range<usize>,
        mut take: impl FnMut(usize, [i64; M], F::Scalar),
    ) {
        let depth = const { block_levels(target::<F, N, M>().1.levels) };
        // Local copies, so that the loop keeps them in registers.
        let (form, above, within) = (self.block, self.above.form, self.within.form);
        let (above_size, within_size) = (self.above.size, self.within.size);
        let mut blocks = Blocks::new(self.levels, self.blocks);
        let mut block = |levels: &[i64; M]| match depth {
            0 => 0,
            1 => blocks.number_in_bin(form.word_of_block::<F, N>(levels)),
            _ => blocks.number(form.word_of_block::<F, N>(levels)),
        };
        let below = |parent: u64, size: u64, place: u64| parent.wrapping_mul(size).wrapping_add(place);
        match self.starts {
            Some(starts) if const { has_counted(target::<F, N, M>().1.levels) } => {
                visit(elements, piece, |levels, value| {
                    let parent = below(block(&levels), above_size, above.word_in_block::<F, N>(&levels));
                    let first = starts[parent as usize] as u64;
                    let position = below(first, within_size, within.word_in_block::<F, N>(&levels));
                    take(position as usize, levels, value);
                });
            }
            _ => visit(elements, piece, |levels, value| {
                let position = below(block(&levels), within_size, within.word_in_block::<F, N>(&levels));
                take(position as usize, levels, value);
            }),
        }
    }
}

/// Numbering of the blocks, for elements that come in the order of their bins.
struct Blocks<'a> {
    starts: &'a [u32],
    keys: &'a [u32],
    /// Number of bits of a key, which is below the bin, and their mask.
    bits: u32,
    mask: u64,
    /// Current bin.
    bin: usize,
    /// Number of each block of the current bin, by coordinate minus the lowest.
    of: Vec<u32>,
}

impl<'a> Blocks<'a> {
    /// Creates the numbering of the blocks in `levels`, whose coordinates minus the lowest are below `size`.
    fn new(levels: &'a Levels, size: usize) -> Self {
        let keys: &[u32] = match &levels.keys {
            ElementKeys::Narrow(keys) => keys,
            _ => &[],
        };
        let mut blocks = Blocks {
            starts: &levels.starts,
            keys,
            bits: levels.layout.bits,
            mask: levels.layout.key_mask(),
            bin: usize::MAX,
            of: pages::filled(0u32, size),
        };
        if levels.layout.bins == 1 && size > 0 {
            blocks.enter(0);
        }
        blocks
    }

    /// Returns the number of a block from its bin above its key.
    #[inline(always)]
    fn number(&mut self, word: u64) -> u64 {
        let bin = word.checked_shr(self.bits).unwrap_or(0) as usize;
        if bin != self.bin {
            self.enter(bin);
        }
        self.number_in_bin(word & self.mask)
    }

    /// Returns the number of a block of the current bin from its key.
    #[inline(always)]
    fn number_in_bin(&self, key: u64) -> u64 {
        u64::from(self.of[key as usize])
    }

    /// Makes a bin current and numbers its blocks.
    fn enter(&mut self, bin: usize) {
        self.bin = bin;
        for block in self.starts[bin]..self.starts[bin + 1] {
            self.of[self.keys[block as usize] as usize] = block;
        }
    }
}
