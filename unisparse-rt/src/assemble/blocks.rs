//! Formats whose lowest levels are dense: where a value goes follows from its block, so only blocks are ordered.
//!
//! A first visit of the source marks which blocks there are, a second one puts every value in its place. Elements are
//! held nowhere in between.

use super::coded::Coded;
use super::layout::{Coder, Layout};
use super::short::{SHORT, ranks};
use crate::level::Tree;
use crate::pages;

/// The blocks of a source that goes through the bins in order: a block is a coordinate of `level`, the first below the
/// levels that the bin tells. Gives where those of each bin start, and their coordinates less the lowest.
pub(super) fn blocks<F: Tree<N, M>, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    layout: &Layout<M>,
    level: usize,
) -> (Vec<u32>, Vec<u32>) {
    let (coder, mask) = (layout.coder(), layout.key_mask());
    let mut keys = pages::with_capacity(source.count());
    let mut starts = pages::filled(0u32, layout.bins + 1);
    let (mut marks, mut bin) = (Marks::new(layout.domains[level].size), 0);
    source.for_each(|levels, _| {
        let word = coder.word(&levels);
        let next = coder.bin(word);
        if next != bin {
            debug_assert!(bin < next);
            marks.take(|offset| keys.push(offset as u32));
            starts[bin + 1..=next].fill(keys.len() as u32);
            bin = next;
        }
        marks.set((word & mask) as usize);
    });
    marks.take(|offset| keys.push(offset as u32));
    if let Some(rest) = starts.get_mut(bin + 1..) {
        rest.fill(keys.len() as u32);
    }
    keys.shrink_to_fit();
    (starts, keys)
}

/// The numbers of the blocks of elements that come in the order of their bins.
pub(super) struct Blocks<'a, const M: usize> {
    coder: Coder<M>,
    mask: u64,
    starts: &'a [u32],
    keys: &'a [u32],
    /// The bin at hand, and the numbers of its blocks.
    bin: usize,
    of: Vec<u32>,
}

impl<'a, const M: usize> Blocks<'a, M> {
    /// Of the blocks that [`blocks`] found.
    pub(super) fn new(layout: &Layout<M>, level: usize, starts: &'a [u32], keys: &'a [u32]) -> Self {
        Blocks {
            coder: layout.coder(),
            mask: layout.key_mask(),
            starts,
            keys,
            bin: usize::MAX,
            of: pages::filled(0u32, layout.domains[level].size),
        }
    }
}

/// Where blocks have numbers.
pub(super) trait Numbered<const M: usize> {
    /// The number of the block that holds these coordinates.
    fn of(&mut self, levels: &[i64; M]) -> usize;
}

/// One block.
pub(super) struct Root;

impl<const M: usize> Numbered<M> for Root {
    #[inline(always)]
    fn of(&mut self, _: &[i64; M]) -> usize {
        0
    }
}

impl<const M: usize> Numbered<M> for Blocks<'_, M> {
    #[inline(always)]
    fn of(&mut self, levels: &[i64; M]) -> usize {
        let word = self.coder.word(levels);
        let bin = self.coder.bin(word);
        if bin != self.bin {
            self.bin = bin;
            for block in self.starts[bin]..self.starts[bin + 1] {
                self.of[self.keys[block as usize] as usize] = block;
            }
        }
        self.of[(word & self.mask) as usize] as usize
    }
}

/// A set of numbers below a bound, to be gone through in order: each bit of a row says whether a word of the row below
/// is not empty. The rows above the first are filled in only to go through many.
struct Marks {
    rows: Vec<Vec<u64>>,
    /// The numbers as they were found, and one more that counts for nothing.
    found: Vec<u32>,
    count: usize,
}

impl Marks {
    fn new(bound: usize) -> Self {
        let mut rows = Vec::new();
        let mut len = bound;
        loop {
            len = len.div_ceil(64);
            rows.push(vec![0; len]);
            if len <= 1 {
                let (found, count) = (vec![0; SHORT], 0);
                return Marks { rows, found, count };
            }
        }
    }

    /// Without branches that depend on the number: most come several times.
    #[inline(always)]
    fn set(&mut self, number: usize) {
        let (word, bit) = (&mut self.rows[0][number / 64], 1 << (number % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        if self.count == self.found.len() {
            self.grow();
        }
        self.found[self.count] = number as u32;
        self.count += usize::from(is_new);
    }

    #[cold]
    fn grow(&mut self) {
        self.found.resize(2 * self.found.len(), 0);
    }

    /// Visits the numbers in ascending order, and forgets them.
    fn take(&mut self, mut visit: impl FnMut(usize)) {
        let found = &mut self.found[..core::mem::take(&mut self.count)];
        if found.len() <= SHORT {
            found.iter().for_each(|&number| self.rows[0][number as usize / 64] = 0);
            let mut sorted = [0; SHORT];
            let ranks = ranks(found, 0);
            for (&rank, &number) in ranks.iter().zip(&*found) {
                sorted[rank as usize] = number;
            }
            return sorted[..found.len()].iter().for_each(|&number| visit(number as usize));
        }
        for &number in &*found {
            let mut at = number as usize / 64;
            for row in &mut self.rows[1..] {
                let word = &mut row[at / 64];
                let before = *word;
                *word |= 1 << (at % 64);
                if before != 0 {
                    break;
                }
                at /= 64;
            }
        }
        let top = self.rows.len() - 1;
        self.take_below(top, 0, &mut visit);
    }

    fn take_below(&mut self, row: usize, word: usize, visit: &mut impl FnMut(usize)) {
        let Some(held) = self.rows[row].get_mut(word) else {
            return;
        };
        let mut bits = core::mem::take(held);
        while bits != 0 {
            let at = 64 * word + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            match row {
                0 => visit(at),
                _ => self.take_below(row - 1, at, visit),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn marks_are_gone_through_in_order_and_forgotten(
            numbers in proptest::collection::vec(0usize..300_000, 0..200),
            others in proptest::collection::vec(0usize..300_000, 0..200),
        ) {
            let mut marks = Marks::new(300_000);
            for numbers in [numbers, others] {
                numbers.iter().for_each(|&number| marks.set(number));
                let mut found = Vec::new();
                marks.take(|number| found.push(number));
                prop_assert_eq!(found, numbers.into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn no_numbers_below_nothing() {
        Marks::new(0).take(|_| unreachable!());
    }
}
