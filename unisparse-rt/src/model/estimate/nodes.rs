//! Counts the tree nodes above elements in storage order, for all elements or for many subsets of them at once.

use core::ops::Range;

use super::keys::Keys;
use super::passes::Passes;
use crate::array::Domain;
use crate::format::{Kind, Level};

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
#[derive(Clone)]
pub(super) struct Case {
    pub(super) elements: u128,
    /// Number of nodes of each level, that is, of distinct coordinate prefixes that end at the level.
    pub(super) distinct: Vec<u128>,
    /// For each level, the sum of one plus the greatest coordinate over the parent nodes; for all elements, not the subset.
    pub(super) counted: Vec<u128>,
    /// For the innermost loop whose passes differ in length, the number of passes with another length than the pass before.
    pub(super) changes: u128,
}

/// The numbers of nodes by the rank that decides which cases contain them.
pub(super) struct Nodes {
    /// Whether cases contain the ranks above their bound, or the ranks up to it.
    above: bool,
    duplicates: bool,
    by_rank: Vec<OfRank>,
    /// The least and the greatest coordinate of each level; the least exceeds the greatest without elements.
    reached: Vec<[i64; 2]>,
    counted: Vec<u128>,
    /// Whether any level is counted.
    counts: bool,
    /// The best rank so far below each level's open node; that of all elements, if they have no ranks of their own.
    open: Vec<u32>,
    has_ranks: bool,
    /// The offsets of the last element, once there is one.
    last: Option<Vec<u64>>,
    /// The passes of the innermost loop whose passes differ in length.
    passes: Passes,
    /// The coordinates of some runs of consecutive elements, as offsets from the domains' starts, those of all levels for each element.
    runs: Vec<Vec<u64>>,
}

/// The contents added to the cases that contain some rank.
#[derive(Clone)]
struct OfRank {
    elements: u128,
    /// For each level, the number of nodes with this as the best rank below them.
    distinct: Vec<u128>,
}

/// Visits the level coordinates of all elements.
pub(super) type Visit<'a> = dyn Fn(&mut dyn FnMut(&[i64])) + 'a;

impl Nodes {
    pub(super) fn count(
        levels: &[Level],
        domains: &[Domain],
        count: usize,
        counting: &Counting,
        visit: &Visit<'_>,
    ) -> Self {
        let width = |(level, domain): (&Level, &Domain)| match level.kind.is_determined() {
            true => 0,
            false => usize::BITS - domain.size.saturating_sub(1).leading_zeros(),
        };
        let widths = levels.iter().zip(domains).map(width).collect();
        let mut reached = vec![[i64::MAX, i64::MIN]; levels.len()];
        let (mut keys, mut offsets) = (Keys::with_capacity(widths, count), vec![0; levels.len()]);
        visit(&mut |at| {
            for ([least, greatest], &at) in reached.iter_mut().zip(at) {
                (*least, *greatest) = ((*least).min(at), (*greatest).max(at));
            }
            read_offsets(levels, domains, at, &mut offsets);
            keys.push(&offsets);
        });
        let passes = |above, cases| Passes::new(levels, domains, above, cases);
        let counts = levels.iter().any(|level| matches!(level.kind, Kind::Counted { .. }));
        let mut nodes = Self::in_order(counting, passes, keys, (levels.len(), counts));
        nodes.reached = reached;
        nodes
    }

    /// Counts nodes by keys, after sorting the keys if they are not sorted.
    fn in_order(
        counting: &Counting,
        passes: impl FnOnce(bool, usize) -> Passes,
        mut keys: Keys,
        (depth, counts): (usize, bool),
    ) -> Self {
        let (above, given, cases) = match *counting {
            Counting::All => (true, &[][..], 1),
            Counting::Above(ranks, cases) => (true, ranks, cases),
            Counting::UpTo(ranks, cases) => (false, ranks, cases),
        };
        let mut sorted = Vec::new();
        let mut ranks = given;
        if !keys.are_sorted() {
            sorted.extend_from_slice(given);
            keys.sort(&mut sorted);
            ranks = &sorted;
        }
        let nothing = OfRank {
            elements: 0,
            distinct: vec![0; depth],
        };
        let mut nodes = Nodes {
            above,
            duplicates: false,
            by_rank: vec![nothing; cases + 1],
            reached: Vec::new(),
            counted: vec![0; depth],
            counts,
            open: vec![u32::from(above); depth],
            has_ranks: !ranks.is_empty(),
            last: None,
            passes: passes(above, cases),
            runs: Vec::new(),
        };
        let mut offsets = vec![0; depth];
        if let Counting::All = counting {
            for run in runs(keys.len()) {
                let mut all = Vec::with_capacity(run.len() * depth);
                for at in run {
                    keys.read(at, &mut offsets);
                    all.extend_from_slice(&offsets);
                }
                nodes.runs.push(all);
            }
        }
        for at in 0..keys.len() {
            // Without ranks, all elements are in the single case.
            let rank = ranks.get(at).copied().unwrap_or(u32::from(above));
            keys.read(at, &mut offsets);
            nodes.add(&offsets, rank);
        }
        nodes.close(0, 0);
        nodes.passes.finish();
        nodes
    }

    /// Adds the next element in order, unless it is the last one again.
    fn add(&mut self, key: &[u64], rank: u32) {
        let mut differs = 0;
        if let Some(last) = &self.last {
            let Some(level) = last.iter().zip(key).position(|(last, key)| last != key) else {
                self.duplicates = true;
                return;
            };
            differs = level;
        }
        self.by_rank[rank as usize].elements += 1;
        self.close(differs, differs + 1);
        if let Some(last) = self.last.as_ref().filter(|_| differs < self.passes.levels.start) {
            self.passes.skip(last, key);
        }
        if self.has_ranks {
            let (above, below) = self.open.split_at_mut(differs);
            below.fill(rank);
            for open in above {
                *open = if self.above { rank.max(*open) } else { rank.min(*open) };
            }
        }
        match &mut self.last {
            Some(last) => last.copy_from_slice(key),
            None => self.last = Some(key.to_vec()),
        }
    }

    /// Ends the nodes of levels `differs..` at the last element. Also ends the parents of levels `parents..`, whose greatest
    /// child coordinate is the last element's.
    fn close(&mut self, differs: usize, parents: usize) {
        let Some(last) = &self.last else { return };
        if self.has_ranks {
            for level in differs..last.len() {
                self.by_rank[self.open[level] as usize].distinct[level] += 1;
            }
        } else {
            let distinct = &mut self.by_rank[usize::from(self.above)].distinct;
            distinct[differs..].iter_mut().for_each(|nodes| *nodes += 1);
        }
        if differs < self.passes.levels.end {
            self.passes.push(self.open[self.passes.levels.end - 1]);
        }
        if differs < self.passes.levels.start {
            self.passes.end();
        }
        if self.counts {
            for (counted, &greatest) in self.counted.iter_mut().zip(last).skip(parents) {
                *counted += u128::from(greatest) + 1;
            }
        }
    }

    /// Returns whether a coordinate occurred twice.
    pub(super) fn duplicates(&self) -> bool {
        self.duplicates
    }

    /// Returns the least and the greatest coordinate of each level over all elements; the least exceeds the greatest without
    /// elements.
    pub(super) fn reached(&self) -> &[[i64; 2]] {
        &self.reached
    }

    /// Returns the coordinates of some runs of consecutive elements, those of all levels for each element; none if there are several
    /// cases. Those of determined levels are the starts of their domains.
    pub(super) fn runs(&self, domains: &[Domain]) -> Vec<Vec<i64>> {
        let coordinates = |run: &Vec<u64>| {
            let offsets = run.iter().zip(domains.iter().cycle());
            offsets
                .map(|(&offset, domain)| domain.lo.wrapping_add_unsigned(offset))
                .collect()
        };
        self.runs.iter().map(coordinates).collect()
    }

    /// Returns the coordinates of the elements of each run, including those of determined levels, in order.
    pub(super) fn find(&self, levels: &[Level], domains: &[Domain], visit: &Visit<'_>) -> Vec<Vec<i64>> {
        let depth = levels.len();
        let mut found: Vec<Vec<i64>> = vec![Vec::new(); self.runs.len()];
        let runs = self.runs.iter().filter(|run| !run.is_empty());
        let ends: Vec<[&[u64]; 2]> = runs.map(|run| [&run[..depth], &run[run.len() - depth..]]).collect();
        let mut offsets = vec![0; depth];
        visit(&mut |at| {
            read_offsets(levels, domains, at, &mut offsets);
            let run = ends
                .iter()
                .position(|[first, last]| (*first..=*last).contains(&&offsets[..]));
            if let Some(run) = run {
                found[run].extend_from_slice(at);
            }
        });
        let sorted = |run: Vec<i64>| {
            // Determined levels do not change the order: elements that agree on all levels above agree there, too.
            let mut elements: Vec<&[i64]> = run.chunks_exact(depth).collect();
            elements.sort_unstable();
            elements.concat()
        };
        found.into_iter().map(sorted).collect()
    }

    /// Returns the counts of each case, in the order of the bounds.
    pub(super) fn cases(&self) -> Vec<Case> {
        let mut so_far = Case {
            elements: 0,
            distinct: vec![0; self.counted.len()],
            counted: self.counted.clone(),
            changes: 0,
        };
        let mut all = Vec::with_capacity(self.by_rank.len());
        let mut add = |of: &OfRank| {
            so_far.elements += of.elements;
            for (sum, more) in so_far.distinct.iter_mut().zip(&of.distinct) {
                *sum += more;
            }
            all.push(so_far.clone());
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
        all
    }
}

/// Reads the offsets of level coordinates from the starts of the domains; those of determined levels are 0.
fn read_offsets(levels: &[Level], domains: &[Domain], at: &[i64], offsets: &mut [u64]) {
    for (level, offset) in offsets.iter_mut().enumerate() {
        *offset = match levels[level].kind.is_determined() {
            true => 0,
            false => at[level].wrapping_sub(domains[level].lo) as u64,
        };
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

#[cfg(test)]
mod tests {
    use super::{Counting, Nodes, runs};
    use crate::array::Domain;
    use crate::format::{Kind, Level};
    use crate::tests::level;

    const POINTED: Kind = Kind::Indexed {
        pointed: true,
        copied: false,
        full: false,
    };

    fn count(levels: &[Level; 3], counting: &Counting, elements: &[[i64; 3]]) -> Nodes {
        let domains = [Domain { lo: 0, size: 8 }; 3];
        Nodes::count(levels, &domains, elements.len(), counting, &|visit| {
            elements.iter().for_each(|at| visit(at));
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
                let levels = kinds.map(|kind| level("", "", kind, false));
                let counting = [Counting::Above(&ranks, CASES), Counting::UpTo(&ranks, CASES)];
                for (above, counting) in [true, false].into_iter().zip(counting) {
                    let cases = count(&levels, &counting, &elements).cases();
                    assert_eq!(cases.len(), CASES);
                    for (bound, case) in cases.iter().enumerate() {
                        let kept = |rank: u32| (rank as usize > bound) == above;
                        let alone = elements.iter().zip(&ranks).filter(|&(_, &rank)| kept(rank));
                        let alone: Vec<[i64; 3]> = alone.map(|(&at, _)| at).collect();
                        let alone = count(&levels, &Counting::All, &alone).cases().remove(0);
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
        let levels = [Kind::Dense, Kind::Dense, POINTED].map(|kind| level("", "", kind, false));
        // Passes of two, one, one, no and two nodes.
        let rows = [[0, 6, 2], [0, 6, 5], [0, 7, 1], [1, 0, 6], [1, 2, 1], [1, 2, 3]];
        let case = count(&levels, &Counting::All, &rows).cases().remove(0);
        assert_eq!((case.changes, case.distinct), (5, vec![2, 4, 6]));
    }

    #[test]
    fn runs_are_consecutive_elements() {
        let levels = [Kind::Dense, POINTED, POINTED].map(|kind| level("", "", kind, false));
        let all: Vec<[i64; 3]> = (0..300).map(|at| [at / 64 % 8, at / 8 % 8, at % 8]).collect();
        let found = count(&levels, &Counting::All, &all);
        assert_eq!(found.runs(&[Domain { lo: 0, size: 8 }; 3]), [all.concat()]);
        let few = runs(1 << 20);
        assert!(few.iter().all(|run| run.len() == 1 << 12 && run.end < 1 << 20));
        assert!(few.windows(2).all(|pair| pair[0].end < pair[1].start));
    }
}
