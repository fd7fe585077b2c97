//! Positions of values in formats of blocks: the number of the block times its size, plus an offset that is linear in the coordinates.

use core::ops::Range;

use super::depths::{block_levels, has_counted, target};
use super::forms::LinearForm;
use super::levels::Levels;
use super::sequence::ElementKeys;
use super::words::{Coded, visit};
use crate::format::{Tree, below_invariant};
use crate::machine::scratch::Table;

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

    /// Visits each element of a piece with its position and its level coordinates. `WHOLE` says that all levels with positions of their
    /// own are built. Without optimisation, visits share one loop for each value of `WHOLE`.
    #[inline(always)]
    pub(super) fn visit<F: Tree<N, M>, C: Coded<F, N, M>, const N: usize, const WHOLE: bool>(
        &self,
        elements: &C,
        piece: Range<usize>,
        mut take: impl FnMut(usize, [i64; M], F::Scalar),
    ) {
        if cfg!(optimised) {
            self.each::<F, C, N, WHOLE>(elements, piece, take);
        } else {
            let take: &mut dyn FnMut(usize, [i64; M], F::Scalar) = &mut take;
            self.each::<F, C, N, WHOLE>(elements, piece, take);
        }
    }

    #[inline(always)]
    fn each<F: Tree<N, M>, C: Coded<F, N, M>, const N: usize, const WHOLE: bool>(
        &self,
        elements: &C,
        piece: Range<usize>,
        mut take: impl FnMut(usize, [i64; M], F::Scalar),
    ) {
        let depth = const { block_levels(target::<F, N, M>().1.levels) };
        // Local copies, so that the loop keeps them in registers.
        let split = self.levels.layout.split_block::<F, N, M>();
        let (above, within, size) = (self.above.form, self.within.form, self.within.size);
        let parents = if self.starts.is_some() {
            &self.above
        } else {
            &self.within
        };
        let origin = parents.form.origin;
        // One block needs no table.
        let mut table = (depth > 0).then(|| Table::new(self.blocks));
        let table = table.as_mut().map_or(&mut [][..], Table::words);
        let mut blocks = Blocks::new(self.levels, table, (parents.size, origin));
        let mut first = |levels: &[i64; M]| match depth {
            0 => origin,
            1 => blocks.first_in_bin(split.key_of_block::<F, N>(levels)),
            _ => blocks.first(split.bin_of_block::<F, N>(levels), split.key_of_block::<F, N>(levels)),
        };
        match self.starts {
            Some(starts) if const { has_counted(target::<F, N, M>().1.levels) } => {
                visit(elements, piece, |levels, value| {
                    let parent = first(&levels).wrapping_add(above.place_in_block::<F, N, false>(&levels));
                    let start = (starts[parent as usize] as u64).wrapping_mul(size);
                    let place = within.place_in_block::<F, N, WHOLE>(&levels);
                    let position = start.wrapping_add(within.origin).wrapping_add(place);
                    take(position as usize, levels, value);
                });
            }
            _ => visit(elements, piece, |levels, value| {
                let position = first(&levels).wrapping_add(within.place_in_block::<F, N, WHOLE>(&levels));
                take(position as usize, levels, value);
            }),
        }
    }
}

/// Where each block begins, for elements that come in the order of their bins.
struct Blocks<'a> {
    starts: &'a [u32],
    keys: &'a [u32],
    /// Number of positions of each block, and the position in the first one of coordinates that are all zero, modulo 2^64.
    size: u64,
    origin: u64,
    /// Current bin.
    bin: usize,
    /// The same position in each block of the current bin, by the key of the block; arbitrary for keys that no block has.
    table: &'a mut [u64],
}

impl<'a> Blocks<'a> {
    /// Prepares to look up the blocks in `levels` in a `table` that has a word for each key.
    fn new(levels: &'a Levels, table: &'a mut [u64], (size, origin): (u64, u64)) -> Self {
        let keys: &[u32] = match &levels.keys {
            ElementKeys::Narrow(keys) => keys,
            _ => &[],
        };
        let mut blocks = Blocks {
            starts: &levels.starts,
            keys,
            size,
            origin,
            bin: usize::MAX,
            table,
        };
        if levels.layout.bins == 1 && !keys.is_empty() {
            blocks.enter(0);
        }
        blocks
    }

    /// Returns the first position of a block from its bin and its key.
    #[inline(always)]
    fn first(&mut self, bin: usize, key: usize) -> u64 {
        if bin != self.bin {
            self.enter(bin);
        }
        self.first_in_bin(key)
    }

    /// Returns the first position of a block of the current bin from its key.
    #[inline(always)]
    fn first_in_bin(&self, key: usize) -> u64 {
        self.table[key]
    }

    /// Makes a bin current and fills in where its blocks begin.
    fn enter(&mut self, bin: usize) {
        self.bin = bin;
        for block in self.starts[bin]..self.starts[bin + 1] {
            self.table[self.keys[block as usize] as usize] =
                u64::from(block).wrapping_mul(self.size).wrapping_add(self.origin);
        }
    }
}
