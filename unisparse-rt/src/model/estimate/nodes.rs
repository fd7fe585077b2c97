//! Counts the tree nodes above elements in storage order, for all elements or for many subsets of them at once.

use core::ops::Range;

use super::passes::Passes;
use crate::array::Domain;
use crate::format::Level;
use crate::machine::{parallel, radix};

/// The elements whose nodes are counted.
#[derive(Debug, Clone, Copy)]
pub enum Counting<'a> {
    /// All elements, as one case.
    All,
    /// Elements with a rank above 0, above 1, and so on: one case for each of this many bounds. The ranks are given in the order
    /// in which the elements are visited, and are at most the number of bounds.
    Above(&'a [u32], usize),
    /// Elements with a rank of at most 0, at most 1, and so on, otherwise as `Above`.
    UpTo(&'a [u32], usize),
}

/// The counts for one subset of the elements.
#[derive(Clone, Copy)]
pub(super) struct Case<const M: usize> {
    pub(super) elements: u128,
    /// Number of nodes of each level, that is, of distinct coordinate prefixes that end at the level.
    pub(super) distinct: [u128; M],
    /// For each level, the sum of one plus the greatest coordinate over the parent nodes; for all elements, not the subset.
    pub(super) counted: [u128; M],
    /// For the innermost loop whose passes differ in length, the number of passes with another length than the pass before.
    pub(super) changes: u128,
}

/// The numbers of nodes by the rank that decides which cases contain them.
pub(super) struct Nodes<const M: usize> {
    /// Whether cases contain the ranks above their bound, or the ranks up to it.
    above: bool,
    duplicates: bool,
    by_rank: Vec<OfRank<M>>,
    /// The least and the greatest coordinate of each level; the least exceeds the greatest without elements.
    reached: [[i64; 2]; M],
    counted: [u128; M],
    /// The best rank so far below each level's open node.
    open: [u32; M],
    /// The passes of the innermost loop whose passes differ in length.
    passes: Passes,
    /// The coordinates of some runs of consecutive elements, as offsets from the domains' starts.
    runs: Vec<Vec<[u64; M]>>,
}

/// The contents added to the cases that contain some rank.
#[derive(Clone, Copy)]
struct OfRank<const M: usize> {
    elements: u128,
    /// For each level, the number of nodes with this as the best rank below them.
    distinct: [u128; M],
}

/// Visits the level coordinates of all elements.
pub(super) type Visit<'a, const M: usize> = dyn Fn(&mut dyn FnMut([i64; M])) + 'a;

impl<const M: usize> Nodes<M> {
    pub(super) fn count(
        levels: &[Level; M],
        domains: &[Domain; M],
        count: usize,
        counting: &Counting,
        visit: &Visit<M>,
    ) -> Self {
        let free: [bool; M] = core::array::from_fn(|level| !levels[level].kind.is_determined());
        let bits = |level: usize| match free[level] {
            true => usize::BITS - domains[level].size.saturating_sub(1).leading_zeros(),
            false => 0,
        };
        let widths: [u32; M] = core::array::from_fn(bits);
        let offsets = |at: [i64; M]| -> [u64; M] {
            core::array::from_fn(|level| match free[level] {
                true => at[level].wrapping_sub(domains[level].lo) as u64,
                false => 0,
            })
        };
        let mut reached = [[i64::MAX, i64::MIN]; M];
        let mut reach = |at: &[i64; M]| {
            for ([least, greatest], &at) in reached.iter_mut().zip(at) {
                (*least, *greatest) = ((*least).min(at), (*greatest).max(at));
            }
        };
        let passes = |above, cases| Passes::new(levels, domains, above, cases);
        let mut nodes = if widths.iter().sum::<u32>() <= u64::BITS {
            let mut keys = Vec::with_capacity(count);
            visit(&mut |at| {
                reach(&at);
                keys.push(pack(&widths, &offsets(at)));
            });
            let sort = |keys: &mut Vec<u64>, ranks: &mut Vec<u32>| match ranks.is_empty() {
                true => radix::sort(keys, &mut vec![(); keys.len()], 0..widths.iter().sum()),
                false => radix::sort(keys, ranks, 0..widths.iter().sum()),
            };
            Self::in_order(counting, passes, keys, sort, |key| unpack(&widths, key))
        } else {
            let mut keys = Vec::with_capacity(count);
            visit(&mut |at| {
                reach(&at);
                keys.push(offsets(at));
            });
            let sort = |keys: &mut Vec<[u64; M]>, ranks: &mut Vec<u32>| {
                let mut order: Vec<usize> = (0..keys.len()).collect();
                for level in (0..M).rev() {
                    let mut of_level = order.iter().map(|&at| keys[at][level]).collect();
                    radix::sort(&mut of_level, &mut order, 0..widths[level]);
                }
                *keys = order.iter().map(|&at| keys[at]).collect();
                if !ranks.is_empty() {
                    *ranks = order.iter().map(|&at| ranks[at]).collect();
                }
            };
            Self::in_order(counting, passes, keys, sort, |key| key)
        };
        nodes.reached = reached;
        nodes
    }

    /// Counts nodes by keys, after sorting the keys if they are not sorted.
    fn in_order<K: Ord + Copy + Sync>(
        counting: &Counting,
        passes: impl Fn(bool, usize) -> Passes,
        mut keys: Vec<K>,
        sort: impl FnOnce(&mut Vec<K>, &mut Vec<u32>),
        offsets: impl Fn(K) -> [u64; M],
    ) -> Self {
        let (above, given, cases) = match *counting {
            Counting::All => (true, &[][..], 1),
            Counting::Above(ranks, cases) => (true, ranks, cases),
            Counting::UpTo(ranks, cases) => (false, ranks, cases),
        };
        let mut sorted = Vec::new();
        let mut ranks = given;
        if !parallel::all(keys.len().saturating_sub(1), |at| keys[at] <= keys[at + 1]) {
            sorted.extend_from_slice(given);
            sort(&mut keys, &mut sorted);
            ranks = &sorted;
        }
        let mut nodes = Nodes {
            above,
            duplicates: false,
            by_rank: vec![
                OfRank {
                    elements: 0,
                    distinct: [0; M],
                };
                cases + 1
            ],
            reached: [[i64::MAX, i64::MIN]; M],
            counted: [0; M],
            open: [0; M],
            passes: passes(above, cases),
            runs: Vec::new(),
        };
        if let Counting::All = counting {
            let run = |run: Range<usize>| keys[run].iter().map(|&key| offsets(key)).collect();
            nodes.runs = runs(keys.len()).into_iter().map(run).collect();
        }
        let mut last = None;
        for (at, &key) in keys.iter().enumerate() {
            // Without ranks, all elements are in the single case.
            let rank = ranks.get(at).copied().unwrap_or(u32::from(above));
            last = nodes.next(last, offsets(key), rank);
        }
        nodes.close(0, 0, last);
        nodes.passes.finish();
        nodes
    }

    /// Adds the next element in order; returns its key, or the last one for a duplicate.
    fn next(&mut self, last: Option<[u64; M]>, key: [u64; M], rank: u32) -> Option<[u64; M]> {
        let differs = match last {
            None => 0,
            Some(last) => (0..M).find(|&level| last[level] != key[level]).unwrap_or(M),
        };
        if differs == M && last.is_some() {
            self.duplicates = true;
            return last;
        }
        self.by_rank[rank as usize].elements += 1;
        self.close(differs, differs + 1, last);
        if let Some(last) = last.filter(|_| differs < self.passes.levels.start) {
            self.passes.skip(&last, &key);
        }
        for (level, open) in self.open.iter_mut().enumerate() {
            *open = match (level < differs, self.above) {
                (false, _) => rank,
                (true, true) => rank.max(*open),
                (true, false) => rank.min(*open),
            };
        }
        Some(key)
    }

    /// Ends the nodes of levels `differs..` at the last element. Also ends the parents of levels `parents..`, whose greatest
    /// child coordinate is the last element's.
    fn close(&mut self, differs: usize, parents: usize, last: Option<[u64; M]>) {
        let Some(last) = last else { return };
        for level in differs..M {
            self.by_rank[self.open[level] as usize].distinct[level] += 1;
        }
        if differs < self.passes.levels.end {
            self.passes.push(self.open[self.passes.levels.end - 1]);
        }
        if differs < self.passes.levels.start {
            self.passes.end();
        }
        for (counted, &greatest) in self.counted.iter_mut().zip(&last).skip(parents) {
            *counted += u128::from(greatest) + 1;
        }
    }

    /// Returns whether a coordinate occurred twice.
    pub(super) fn duplicates(&self) -> bool {
        self.duplicates
    }

    /// Returns the least and the greatest coordinate of each level over all elements; the least exceeds the greatest without
    /// elements.
    pub(super) fn reached(&self) -> [[i64; 2]; M] {
        self.reached
    }

    /// Returns the coordinates of some runs of consecutive elements, as offsets from the domains' starts; none if there are
    /// several cases.
    pub(super) fn runs(&self) -> &[Vec<[u64; M]>] {
        &self.runs
    }

    /// Returns the coordinates of the elements of each run, including those of determined levels, in order.
    pub(super) fn find(&self, levels: &[Level; M], domains: &[Domain; M], visit: &Visit<M>) -> Vec<Vec<[i64; M]>> {
        let offsets = |at: &[i64; M]| -> [u64; M] {
            core::array::from_fn(|level| match levels[level].kind.is_determined() {
                true => 0,
                false => at[level].wrapping_sub(domains[level].lo) as u64,
            })
        };
        let mut found = vec![Vec::new(); self.runs.len()];
        let ends: Vec<_> = self
            .runs
            .iter()
            .filter_map(|run| Some([*run.first()?, *run.last()?]))
            .collect();
        visit(&mut |at| {
            let key = offsets(&at);
            let run = ends.iter().position(|[first, last]| (first..=last).contains(&&key));
            if let Some(run) = run {
                found[run].push(at);
            }
        });
        for run in &mut found {
            run.sort_unstable_by_key(|at| offsets(at));
        }
        found
    }

    /// Returns the counts of each case, in the order of the bounds.
    pub(super) fn cases(&self) -> impl Iterator<Item = Case<M>> {
        let nothing = Case {
            elements: 0,
            distinct: [0; M],
            counted: self.counted,
            changes: 0,
        };
        let mut all = Vec::with_capacity(self.by_rank.len());
        let mut so_far = nothing;
        let mut add = |of: &OfRank<M>| {
            so_far.elements += of.elements;
            so_far.distinct = core::array::from_fn(|level| so_far.distinct[level] + of.distinct[level]);
            all.push(so_far);
        };
        match self.above {
            true => self.by_rank[1..].iter().rev().for_each(&mut add),
            false => self.by_rank[..self.by_rank.len() - 1].iter().for_each(&mut add),
        }
        if self.above {
            all.reverse();
        }
        for (case, changes) in all.iter_mut().zip(self.passes.changes()) {
            case.changes = changes;
        }
        all.into_iter()
    }
}

/// Returns a few runs of elements, evenly spaced, or one run of all if they are few.
fn runs(count: usize) -> Vec<Range<usize>> {
    /// Number of runs.
    const RUNS: usize = 4;
    /// Number of elements of a run.
    const LENGTH: usize = 1 << 12;
    let [runs, length] = match count <= RUNS * LENGTH {
        true => [1, count],
        false => [RUNS, LENGTH],
    };
    let starts = (0..runs).map(|run| (2 * run + 1) * (count / (2 * runs)) - length / 2);
    starts.map(|start| start..start + length).collect()
}

/// Packs offsets into one word, the first level in the highest bits.
fn pack<const M: usize>(widths: &[u32; M], offsets: &[u64; M]) -> u64 {
    let fields = widths.iter().zip(offsets);
    fields.fold(0, |key: u64, (&width, &offset)| {
        key.checked_shl(width).unwrap_or(0) | offset
    })
}

fn unpack<const M: usize>(widths: &[u32; M], mut key: u64) -> [u64; M] {
    let mut offsets = [0; M];
    for (offset, &width) in offsets.iter_mut().zip(widths).rev() {
        *offset = key & 1u64.checked_shl(width).map_or(u64::MAX, |bit| bit - 1);
        key = key.checked_shr(width).unwrap_or(0);
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::{Counting, Nodes, runs};
    use crate::array::Domain;
    use crate::format::{Kind, Level};

    const fn level(kind: Kind) -> Level {
        Level {
            name: "",
            pointer_name: "",
            expression: "",
            domain: "",
            kind,
            measured: false,
            invariant: None,
            invariant_over: &[],
            storage: "",
            why: "",
        }
    }

    const POINTED: Kind = Kind::Indexed {
        pointed: true,
        copied: false,
        full: false,
    };

    fn count(levels: &[Level; 3], counting: &Counting, elements: &[[i64; 3]]) -> Nodes<3> {
        let domains = [Domain { lo: 0, size: 8 }; 3];
        Nodes::count(levels, &domains, elements.len(), counting, &|visit| {
            elements.iter().for_each(|&at| visit(at));
        })
    }

    #[test]
    fn each_case_counts_what_it_has_alone() {
        const CASES: usize = 5;
        let mut state = 1u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % bound
        };
        let mut elements: Vec<[i64; 3]> = (0..150).map(|_| core::array::from_fn(|_| below(6) as i64)).collect();
        for ordered in [false, true] {
            if ordered {
                elements.sort_unstable();
            }
            elements.dedup();
            let ranks: Vec<u32> = elements
                .iter()
                .map(|at| ((at[0] + 2 * at[1] + at[2]) % 6) as u32)
                .collect();
            for kinds in [
                [Kind::Dense, Kind::Dense, POINTED],
                [Kind::Dense, POINTED, POINTED],
                [Kind::Dense, POINTED, Kind::Dense],
                [Kind::Dense; 3],
            ] {
                let levels = kinds.map(level);
                let counting = [Counting::Above(&ranks, CASES), Counting::UpTo(&ranks, CASES)];
                for (above, counting) in [true, false].into_iter().zip(counting) {
                    let cases: Vec<_> = count(&levels, &counting, &elements).cases().collect();
                    assert_eq!(cases.len(), CASES);
                    for (bound, case) in cases.iter().enumerate() {
                        let kept = |rank: u32| (rank as usize > bound) == above;
                        let alone = elements.iter().zip(&ranks).filter(|&(_, &rank)| kept(rank));
                        let alone: Vec<[i64; 3]> = alone.map(|(&at, _)| at).collect();
                        let alone = count(&levels, &Counting::All, &alone).cases().next().unwrap();
                        assert_eq!(case.elements, alone.elements);
                        assert_eq!(case.distinct, alone.distinct);
                        // Parents that are trimmed away are no passes.
                        if kinds != [Kind::Dense, POINTED, POINTED] {
                            assert_eq!(case.changes, alone.changes, "{above} {bound} {kinds:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn changes_are_those_of_the_lengths() {
        let levels = [Kind::Dense, Kind::Dense, POINTED].map(level);
        // Passes of two, one, one, no and two nodes.
        let rows = [[0, 6, 2], [0, 6, 5], [0, 7, 1], [1, 0, 6], [1, 2, 1], [1, 2, 3]];
        let case = count(&levels, &Counting::All, &rows).cases().next().unwrap();
        assert_eq!((case.changes, case.distinct), (5, [2, 4, 6]));
    }

    #[test]
    fn runs_are_consecutive_elements() {
        let levels = [Kind::Dense, POINTED, POINTED].map(level);
        let all: Vec<[i64; 3]> = (0..300).map(|at| [at / 64 % 8, at / 8 % 8, at % 8]).collect();
        let found = count(&levels, &Counting::All, &all);
        let expected: Vec<[u64; 3]> = all.iter().map(|at| at.map(|at| at as u64)).collect();
        assert_eq!(found.runs(), [expected]);
        let few = runs(1 << 20);
        assert!(few.iter().all(|run| run.len() == 1 << 12 && run.end < 1 << 20));
        assert!(few.windows(2).all(|pair| pair[0].end < pair[1].start));
    }
}
