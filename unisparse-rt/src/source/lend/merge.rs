//! `Merge` and `Split` (the paper's rules 10 and 11): equal prefixes stored as one node, or repeated for each child.

use crate::element::Index;
use crate::machine::pages;

/// A bitmap of the entries that start a run. There are `count` entries; the first starts a run and has no bit.
pub(crate) struct Marks {
    words: Vec<u64>,
    count: usize,
}

impl Marks {
    pub(crate) fn new(count: usize) -> Self {
        Marks {
            words: vec![0; count.div_ceil(64)],
            count,
        }
    }

    /// Marks the entries whose coordinate differs from their predecessor's.
    pub(crate) fn changes<I: Index>(&mut self, idx: &[I]) {
        mark_changes(idx, &mut self.words);
    }

    /// Marks the first entry of each parent.
    pub(crate) fn parents(&mut self, ptr: &[u32]) {
        for start in ptr.iter().map(|&start| start as usize) {
            if (1..self.count).contains(&start) {
                self.mark(start);
            }
        }
    }

    fn mark(&mut self, entry: usize) {
        self.words[(entry - 1) / 64] |= 1 << ((entry - 1) % 64);
    }

    /// Marks the entries of `idx` whose coordinate differs from their predecessor's. Returns the starts of all runs followed by
    /// the end, and the first entry of each run.
    pub(crate) fn runs<I: Index>(mut self, idx: &[I]) -> (Vec<u32>, Vec<I>) {
        let (mut starts, mut firsts) = (Vec::new(), Vec::new());
        if let Some(&first) = idx.first() {
            (starts, firsts) = (vec![0], vec![first]);
        }
        // Each block is read twice in a row, so it is loaded from memory only once.
        for (block, words) in self.words.chunks_mut(BLOCK / 64).enumerate() {
            let entries = &idx[block * BLOCK..idx.len().min((block + 1) * BLOCK + 1)];
            mark_changes(entries, words);
            for (before, &word) in (0..).step_by(64).zip(&*words) {
                pages::reserve(&mut starts, 64);
                pages::reserve(&mut firsts, 64);
                let mut left = word;
                while left != 0 {
                    let at = before + left.trailing_zeros() as usize + 1;
                    starts.push((block * BLOCK + at) as u32);
                    firsts.push(entries[at]);
                    left &= left - 1;
                }
            }
        }
        starts.push(self.count as u32);
        (starts, firsts)
    }
}

/// Number of entries per block.
const BLOCK: usize = 1 << 12;

/// Sets the bit of each entry but the first whose coordinate differs from its predecessor's.
fn mark_changes<I: Index>(entries: &[I], words: &mut [u64]) {
    let Some(later) = entries.get(1..) else { return };
    let (befores, afters) = (entries.chunks_exact(64), later.chunks_exact(64));
    for ((before, after), word) in befores.zip(afters).zip(&mut *words) {
        for at in (0..64).step_by(8) {
            // Eight bytes of zero or one; the product gathers them in its highest byte. Eight lanes, branch-free.
            let differ: [u8; 8] = core::array::from_fn(|lane| u8::from(before[at + lane] != after[at + lane]));
            let byte = u64::from_le_bytes(differ).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            *word |= byte << at;
        }
    }
    for at in later.len() / 64 * 64..later.len() {
        words[at / 64] |= u64::from(entries[at] != later[at]) << (at % 64);
    }
}

/// `Merge` on an `idx` array: returns the first entry of each run.
pub(crate) fn first_of_each<I: Index>(idx: &[I], starts: &[u32]) -> Vec<I> {
    let firsts = starts.split_last().map_or(&[][..], |(_, firsts)| firsts);
    let mut entries = pages::with_capacity(firsts.len());
    entries.extend(firsts.iter().map(|&start| idx[start as usize]));
    entries
}

/// `Merge` on the `ptr` array above: replaces pointers to entries by pointers to runs. Every parent starts with a run.
pub(crate) fn to_runs(ptr: &[u32], starts: &[u32]) -> Vec<u32> {
    let mut run = 0;
    let of_run = ptr.iter().map(|&start| {
        while starts[run] < start {
            run += 1;
        }
        run as u32
    });
    let mut pointers = pages::with_capacity(ptr.len());
    pointers.extend(of_run);
    pointers
}

/// `Split` on an `idx` array: repeats each entry once per child.
pub(crate) fn for_each_child<I: Index>(idx: &[I], ptr: &[u32]) -> Vec<I> {
    let mut copies = pages::with_capacity(ptr.last().map_or(0, |&end| end as usize));
    for (&coordinate, &end) in idx.iter().zip(ptr.iter().skip(1)) {
        copies.resize(end as usize, coordinate);
    }
    copies
}

/// `Split` on the `ptr` array above: replaces pointers to entries by pointers to children.
pub(crate) fn to_children(ptr: &[u32], children: &[u32]) -> Vec<u32> {
    ptr.iter().map(|&start| children[start as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::lend::tests::numbers;

    /// Generates the entries of two levels, sorted below each of several parents: pointers and pairs.
    fn entries(seed: u64) -> (Vec<u32>, Vec<[u16; 2]>) {
        let mut draw = numbers(seed);
        let (mut ptr, mut pairs) = (vec![0], Vec::new());
        for _ in 0..draw(9) {
            let mut below: Vec<[u16; 2]> = (0..draw(90)).map(|_| [draw(7) as u16, draw(40) as u16]).collect();
            below.sort_unstable();
            below.dedup();
            pairs.extend(below);
            ptr.push(pairs.len() as u32);
        }
        (ptr, pairs)
    }

    #[test]
    fn merging_is_what_grouping_neighbours_is_and_splitting_undoes_it() {
        for seed in 0..400 {
            let (ptr, pairs) = entries(seed);
            let idx: Vec<u16> = pairs.iter().map(|pair| pair[0]).collect();
            // One node for each parent and distinct coordinate, with its number of entries.
            let (mut nodes, mut counts, mut of_parents) = (Vec::new(), Vec::new(), vec![0]);
            for parent in ptr.windows(2) {
                let below = &idx[parent[0] as usize..parent[1] as usize];
                for run in below.chunk_by(|left, right| left == right) {
                    nodes.push(run[0]);
                    counts.push(run.len());
                }
                of_parents.push(nodes.len() as u32);
            }
            let mut marks = Marks::new(idx.len());
            marks.parents(&ptr);
            let (starts, firsts) = marks.runs(&idx);
            assert_eq!(firsts, nodes);
            let found: Vec<usize> = starts.windows(2).map(|pair| (pair[1] - pair[0]) as usize).collect();
            assert_eq!(found, counts);
            assert_eq!(first_of_each(&idx, &starts), nodes);
            let runs = to_runs(&ptr, &starts);
            assert_eq!(runs, of_parents);
            assert_eq!(for_each_child(&nodes, &starts), idx);
            assert_eq!(to_children(&runs, &starts), ptr);
        }
    }

    #[test]
    fn marks_are_right_at_every_place() {
        assert_eq!(Marks::new(0).runs::<u8>(&[]), (vec![0], vec![]));
        for count in (1..200).chain([4095, 4096, 4097, 4098, 8192, 8193, 8194]) {
            let far = [count - 1, 4095, 4096, 4097, 8192]
                .into_iter()
                .filter(|&only| only < count);
            for only in (1..count.min(200)).chain(far).filter(|&only| only > 0) {
                let idx: Vec<u8> = (0..count).map(|at| u8::from(at >= only)).collect();
                let mut marks = Marks::new(count);
                marks.changes(&idx);
                assert_eq!(
                    marks.runs(&vec![0u8; count]),
                    (vec![0, only as u32, count as u32], vec![0, 0])
                );
                assert_eq!(
                    Marks::new(count).runs(&idx),
                    (vec![0, only as u32, count as u32], vec![0, 1])
                );
            }
        }
    }
}
