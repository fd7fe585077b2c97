//! Finds and orders the nonempty blocks of a format whose lowest levels are dense.

use super::histogram::accumulate;
use super::layout::Layout;
use super::small_sort::{SHORT, ranks};
use crate::machine::pages;

/// Number of blocks up to which they are marked by flags, which take less time to set than marks as long as they stay in the nearest
/// cache.
const FLAGS: usize = 1 << 15;
/// Number of blocks for each element up to which they are marked by flags: with more, clearing the flags takes longer.
const FLAGS_PER_ELEMENT: usize = 8;

/// Marks the blocks of elements that come in the order of their bins.
pub(crate) struct Marker {
    found: Found,
    marks: Marks,
    /// One flag for each block, in place of the marks, where one level determines them and they are few.
    flags: Vec<bool>,
    /// Current bin.
    bin: usize,
}

impl Marker {
    /// Prepares marks for the blocks of this many elements, which the first `depth` levels determine.
    pub(super) fn new(layout: &Layout, depth: usize, elements: usize) -> Self {
        let size = layout.levels[depth - 1].domain.size;
        let has_flags = depth == 1 && size <= elements.saturating_mul(FLAGS_PER_ELEMENT).min(FLAGS);
        Marker {
            found: Found::default(),
            marks: Marks::new(if has_flags { 0 } else { size }),
            flags: vec![false; if has_flags { size } else { 0 }],
            bin: 0,
        }
    }

    /// Marks the block with this key in a bin.
    #[inline(always)]
    pub(super) fn mark(&mut self, bin: usize, key: usize) {
        if bin != self.bin {
            self.enter(bin);
        }
        self.marks.members().insert(key);
    }

    /// Returns the flags of the blocks, if blocks are marked by flags.
    pub(super) fn flags(&mut self) -> Option<&mut [bool]> {
        if self.flags.is_empty() {
            return None;
        }
        Some(&mut self.flags)
    }

    /// Returns the blocks of the current bin, by their keys.
    pub(super) fn blocks(&mut self) -> Members<'_> {
        self.marks.members()
    }

    fn enter(&mut self, bin: usize) {
        debug_assert!(self.bin < bin);
        self.found.take(self.bin, &mut self.marks);
        self.bin = bin;
    }

    pub(super) fn finish(mut self) -> Found {
        if !self.flags.is_empty() {
            return Found::flagged(&self.flags);
        }
        self.found.take(self.bin, &mut self.marks);
        self.found
    }
}

/// Blocks found in a piece of the elements.
#[derive(Default)]
pub(super) struct Found {
    /// Nonempty bins, each with its number of blocks.
    bins: Vec<(u32, u32)>,
    keys: Vec<u32>,
}

impl Found {
    /// Returns the blocks of the only bin whose flags are set.
    fn flagged(flags: &[bool]) -> Self {
        /// Number of flags that are skipped at once if none is set.
        const SKIPPED: usize = 64;
        let mut keys: Vec<u32> = Vec::new();
        for (chunk, flags) in flags.chunks(SKIPPED).enumerate() {
            if flags.contains(&true) {
                let set = flags.iter().enumerate().filter(|&(_, &is_set)| is_set);
                keys.extend(set.map(|(at, _)| (chunk * SKIPPED + at) as u32));
            }
        }
        let bins = if keys.is_empty() {
            Vec::new()
        } else {
            vec![(0, keys.len() as u32)]
        };
        Found { bins, keys }
    }

    /// Takes the blocks of a bin, if there are any. Bin numbers have 32 bits.
    fn take(&mut self, bin: usize, marks: &mut Marks) {
        let before = self.keys.len();
        pages::reserve(&mut self.keys, marks.found.len());
        marks.take(|key| self.keys.push(key as u32));
        if self.keys.len() > before {
            pages::reserve(&mut self.bins, 1);
            self.bins.push((bin as u32, (self.keys.len() - before) as u32));
        }
    }

    /// Returns the start of each of `bins` bins, and the coordinate of each block minus the lowest.
    pub(super) fn starts_and_keys(self, bins: usize) -> (Vec<u32>, Vec<u32>) {
        let mut starts = pages::filled(0u32, bins + 1);
        for &(bin, blocks) in &self.bins {
            starts[bin as usize + 1] = blocks;
        }
        accumulate(&mut starts);
        let mut keys = self.keys;
        keys.shrink_to_fit();
        (starts, keys)
    }

    /// Appends the blocks of the next piece, whose first bin may be the last bin of this one.
    pub(super) fn join(mut self, next: Self) -> Self {
        let (mut keys, mut bins) = (&next.keys[..], &next.bins[..]);
        if let (Some((last, of_last)), Some(((first, of_first), rest))) = (self.bins.last_mut(), bins.split_first()) {
            if last == first {
                let (of_first, other) = keys.split_at(*of_first as usize);
                let mine = self.keys.split_off(self.keys.len() - *of_last as usize);
                let before = self.keys.len();
                self.keys.extend(union(&mine, of_first));
                *of_last = (self.keys.len() - before) as u32;
                (keys, bins) = (other, rest);
            }
        }
        self.keys.extend_from_slice(keys);
        self.bins.extend_from_slice(bins);
        self
    }
}

/// Merges two ascending lists; a number in both occurs once in the result.
fn union<'a>(mut left: &'a [u32], mut right: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    core::iter::from_fn(move || {
        let least = match (left.first(), right.first()) {
            (Some(left), Some(right)) => *left.min(right),
            (Some(only), None) | (None, Some(only)) => *only,
            (None, None) => return None,
        };
        for list in [&mut left, &mut right] {
            *list = list.strip_prefix(&[least]).unwrap_or(list);
        }
        Some(least)
    })
}

/// Set of numbers below a bound, visited in ascending order: a hierarchical bitmap.
struct Marks {
    words: Vec<u64>,
    /// Summary rows: each bit says whether a word of the row below is not empty. Filled in only to visit many numbers.
    above: Vec<Vec<u64>>,
    /// The numbers, in the order they were found.
    found: Vec<u32>,
}

/// The members of a set, borrowed so that a loop keeps their place in registers.
pub(super) struct Members<'a> {
    words: &'a mut [u64],
    found: &'a mut Vec<u32>,
}

impl Members<'_> {
    #[inline(always)]
    pub(super) fn insert(&mut self, number: usize) {
        let (word, bit) = (&mut self.words[number / 64], 1 << (number % 64));
        if *word & bit == 0 {
            *word |= bit;
            self.found.push(number as u32);
        }
    }
}

impl Marks {
    fn new(bound: usize) -> Self {
        let words = vec![0; bound.div_ceil(64)];
        let (mut above, mut len) = (Vec::new(), words.len());
        while len > 1 {
            len = len.div_ceil(64);
            above.push(vec![0; len]);
        }
        let found = Vec::with_capacity(SHORT);
        Marks { words, above, found }
    }

    #[inline(always)]
    fn members(&mut self) -> Members<'_> {
        Members {
            words: &mut self.words,
            found: &mut self.found,
        }
    }

    /// Visits the numbers in ascending order, and clears the set.
    fn take(&mut self, mut visit: impl FnMut(usize)) {
        if self.found.len() <= SHORT {
            let (ranks, mut sorted) = (ranks(&self.found, 0), [0; SHORT]);
            for (&rank, &number) in ranks.iter().zip(&self.found) {
                self.words[number as usize / 64] = 0;
                sorted[rank as usize] = number as usize;
            }
            sorted[..self.found.len()].iter().for_each(|&number| visit(number));
            return self.found.clear();
        }
        for number in self.found.drain(..) {
            let mut at = number as usize / 64;
            for row in &mut self.above {
                let word = &mut row[at / 64];
                let before = *word;
                *word |= 1 << (at % 64);
                if before != 0 {
                    break;
                }
                at /= 64;
            }
        }
        self.take_below(self.above.len(), 0, &mut visit);
    }

    /// Visits the numbers below a word of a row; `height` is 0 for the numbers, or one more than the summary row.
    fn take_below(&mut self, height: usize, word: usize, visit: &mut impl FnMut(usize)) {
        let row = match height.checked_sub(1) {
            None => &mut self.words,
            Some(above) => &mut self.above[above],
        };
        let mut bits = core::mem::take(&mut row[word]);
        while bits != 0 {
            let at = 64 * word + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            match height {
                0 => visit(at),
                _ => self.take_below(height - 1, at, visit),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Domain;
    use crate::format::Kind;
    use crate::tests::level;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn marks_are_gone_through_in_order_and_forgotten(
            numbers in proptest::collection::vec(0usize..300_000, 0..200),
            others in proptest::collection::vec(0usize..300_000, 0..200),
        ) {
            let mut marks = Marks::new(300_000);
            for numbers in [numbers[..numbers.len().min(SHORT)].to_vec(), numbers, others] {
                numbers.iter().for_each(|&number| marks.members().insert(number));
                let mut found = Vec::new();
                marks.take(|number| found.push(number));
                prop_assert_eq!(found, numbers.into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn flags_and_marks_find_the_same_blocks() {
        let level = level("", "", Kind::Dense, false);
        let layout = |size| Layout::new(&[Domain { lo: -3, size }], &[level], 0, 1);
        let keys = [900u32, 3, 64, 63, 3, 0, 900];
        let mut flagged = Marker::new(&layout(1000), 1, 1000);
        let flags = flagged.flags().expect("there are few blocks");
        keys.iter().for_each(|&key| flags[key as usize] = true);
        let mut marked = Marker::new(&layout(1000), 1, 7);
        assert!(marked.flags().is_none());
        keys.iter().for_each(|&key| marked.blocks().insert(key as usize));
        for found in [flagged.finish(), marked.finish()] {
            assert_eq!((found.bins, found.keys), (vec![(0, 5)], vec![0, 3, 63, 64, 900]));
        }
        let nothing = Marker::new(&layout(10), 1, 10).finish();
        assert!(nothing.bins.is_empty() && nothing.keys.is_empty());
    }

    #[test]
    fn blocks_of_pieces_are_joined() {
        let found = |bins: &[(u32, &[u32])]| Found {
            bins: bins.iter().map(|(bin, keys)| (*bin, keys.len() as u32)).collect(),
            keys: bins.iter().flat_map(|(_, keys)| keys.to_vec()).collect(),
        };
        let pieces = [
            found(&[(0, &[3, 5]), (2, &[1, 4, 9])]),
            found(&[]),
            found(&[(2, &[0, 4, 10])]),
            found(&[(2, &[4]), (3, &[7])]),
            found(&[(5, &[7])]),
        ];
        let joined = pieces.into_iter().reduce(Found::join).unwrap();
        assert_eq!(joined.bins, [(0, 2), (2, 5), (3, 1), (5, 1)]);
        assert_eq!(joined.keys, [3, 5, 0, 1, 4, 9, 10, 7, 7]);
    }

    #[test]
    fn no_numbers_below_nothing() {
        let mut none = Marks::new(0);
        none.take(|_| unreachable!());
    }
}
