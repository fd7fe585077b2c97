//! Counts the nodes of many subsets of the elements at once, by the rank of each element.

use super::case::Case;
use super::keys::Keys;
use super::passes::{RankedPasses, Uneven};

/// The numbers of nodes by the rank that decides which cases contain them.
pub(super) struct Ranked<'a> {
    /// Whether cases contain the ranks above their bound, or the ranks up to it.
    above: bool,
    uneven: &'a Uneven,
    by_rank: Vec<OfRank>,
    /// The best rank so far below each level's open node.
    open: Vec<u32>,
    /// The passes of the innermost loop whose passes differ in length.
    passes: RankedPasses,
}

/// The contents added to the cases that contain some rank.
#[derive(Clone)]
struct OfRank {
    elements: u128,
    /// For each level, the number of nodes with this as the best rank below them.
    distinct: Vec<u128>,
}

impl<'a> Ranked<'a> {
    /// Sorts the keys, and returns whether any occurs twice, and the counts of each case but for counted levels, in the order of the bounds.
    pub(super) fn count(
        keys: &mut Keys,
        uneven: &'a Uneven,
        above: bool,
        (given, cases): (&[u32], usize),
    ) -> (bool, Vec<Case>) {
        let (mut ranks, mut sorted) = (given, Vec::new());
        if !keys.are_sorted() {
            sorted.extend_from_slice(given);
            keys.sort(&mut sorted);
            ranks = &sorted;
        }
        let (depth, mut duplicates) = (keys.depth(), false);
        let nothing = OfRank {
            elements: 0,
            distinct: vec![0; depth],
        };
        let mut ranked = Ranked {
            above,
            uneven,
            by_rank: vec![nothing; cases + 1],
            open: Vec::new(),
            passes: RankedPasses::new(above, cases),
        };
        if let Some(&first) = ranks.first() {
            ranked.by_rank[first as usize].elements += 1;
            ranked.open = vec![first; depth];
        }
        keys.differences(|at, differs| match differs == depth {
            true => duplicates = true,
            false => ranked.add(keys, at, differs, ranks[at]),
        });
        ranked.close(0);
        ranked.passes.finish();
        (duplicates, ranked.cases(depth))
    }

    /// Adds the element at this place, which differs from the one before at a level.
    fn add(&mut self, keys: &Keys, at: usize, differs: usize, rank: u32) {
        self.by_rank[rank as usize].elements += 1;
        self.close(differs);
        if differs < self.uneven.levels.start && self.uneven.skips_before(keys, at) {
            self.passes.compare();
        }
        let (above, below) = self.open.split_at_mut(differs);
        below.fill(rank);
        for open in above {
            *open = if self.above { rank.max(*open) } else { rank.min(*open) };
        }
    }

    /// Ends the open nodes of levels `differs..`, if there are any.
    fn close(&mut self, differs: usize) {
        if self.open.is_empty() {
            return;
        }
        for (level, &rank) in self.open.iter().enumerate().skip(differs) {
            self.by_rank[rank as usize].distinct[level] += 1;
        }
        if differs < self.uneven.levels.end {
            self.passes.push(self.open[self.uneven.levels.end - 1]);
        }
        if differs < self.uneven.levels.start {
            self.passes.end();
        }
    }

    /// Returns the counts of each case, in the order of the bounds.
    fn cases(&self, depth: usize) -> Vec<Case> {
        let mut so_far = Case {
            elements: 0,
            distinct: vec![0; depth],
            counted: Vec::new(),
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
