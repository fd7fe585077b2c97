//! Trip counts of the innermost loop of varying length: how often the count changes (mispredicted branches).

use core::ops::Range;

use super::keys::Keys;
use crate::array::Domain;
use crate::format::{Kind, Level};
use crate::model::profile::uneven;

/// The innermost loop whose passes may differ in length.
pub(super) struct Uneven {
    /// The levels of the loop.
    pub(super) levels: Range<usize>,
    /// The sizes of the levels above it, if passes without nodes are passes, too: if all these levels are dense.
    parents: Option<Vec<u64>>,
}

impl Uneven {
    pub(super) fn of(levels: &[Level], domains: &[Domain]) -> Self {
        let uneven = uneven(levels);
        let over = &levels[..uneven.start];
        let dense = over
            .iter()
            .all(|level| level.kind == Kind::Dense || level.kind.is_determined());
        // A determined level has the offset 0.
        let size = |(level, domain): (&Level, &Domain)| match level.kind {
            Kind::Dense => domain.size as u64,
            _ => 1,
        };
        Uneven {
            parents: dense.then(|| over.iter().zip(domains).map(size).collect()),
            levels: uneven,
        }
    }

    /// Returns whether there is a pass without nodes between an element and the element before it, which is in another pass.
    pub(super) fn skips_before(&self, keys: &Keys, at: usize) -> bool {
        let Some(sizes) = &self.parents else { return false };
        let number = |at: usize| {
            let levels = sizes.iter().enumerate();
            levels.fold(0u128, |number, (level, &size)| {
                number
                    .saturating_mul(size.into())
                    .saturating_add(keys.offset(at, level).into())
            })
        };
        number(at) - number(at - 1) > 1
    }
}

/// Counts over the passes of all elements.
#[derive(Default)]
pub(super) struct Passes {
    /// Number of nodes of the open pass, and of the pass before it.
    length: usize,
    before: usize,
    /// Number of passes that differ in length from the pass before.
    pub(super) changes: u128,
}

impl Passes {
    /// Adds a node to the open pass.
    #[inline(always)]
    pub(super) fn push(&mut self) {
        self.length += 1;
    }

    /// Ends the open pass, if it has nodes.
    #[inline(always)]
    pub(super) fn end(&mut self) {
        if self.length > 0 {
            self.compare();
        }
    }

    /// Compares the length of the open pass with that of the pass before, and opens the next one.
    #[inline(always)]
    pub(super) fn compare(&mut self) {
        self.changes += u128::from(self.length != self.before);
        self.before = core::mem::take(&mut self.length);
    }

    /// Ends the last pass, whose length is another than that of what follows.
    pub(super) fn finish(&mut self) {
        self.end();
        self.compare();
    }
}

/// Counts over the passes for each of several cases. The length of a pass in a case is the number of its nodes whose rank the
/// case contains.
pub(super) struct RankedPasses {
    /// Whether cases contain the ranks above their bound, or the ranks up to it.
    above: bool,
    /// The ranks below the nodes in the open pass.
    pass: Vec<u32>,
    /// Those of the pass before it.
    before: Vec<u32>,
    /// For each case, the number of passes that differ in length from the pass before, less that of the case before.
    changes: Vec<i64>,
}

impl RankedPasses {
    pub(super) fn new(above: bool, cases: usize) -> Self {
        RankedPasses {
            above,
            pass: Vec::new(),
            before: Vec::new(),
            changes: vec![0; cases + 1],
        }
    }

    /// Adds a node to the open pass.
    pub(super) fn push(&mut self, rank: u32) {
        self.pass.push(rank);
    }

    /// Ends the open pass, if it has nodes.
    pub(super) fn end(&mut self) {
        if !self.pass.is_empty() {
            self.compare();
        }
    }

    /// Ends the last pass, whose length is another than that of what follows.
    pub(super) fn finish(&mut self) {
        self.end();
        self.compare();
    }

    /// Compares the length of the open pass with that of the pass before, and opens the next one. The lengths in the cases are
    /// constant from each rank to the next.
    pub(super) fn compare(&mut self) {
        let above = self.above;
        let order = |left: &u32, right: &u32| if above { right.cmp(left) } else { left.cmp(right) };
        self.pass.sort_unstable_by(order);
        let (mut new, mut old) = (&self.pass[..], &self.before[..]);
        let (mut longer, mut from) = (0, 0);
        let last = if above { 0 } else { self.changes.len() as u32 - 1 };
        loop {
            let next = new
                .first()
                .into_iter()
                .chain(old.first())
                .min_by(|left, right| order(left, right));
            let to = next.copied().unwrap_or(last);
            let [start, end] = [from.min(to) as usize, from.max(to) as usize];
            for (sign, at) in [(1, start), (-1, end)] {
                self.changes[at] += if longer == 0 { 0 } else { sign };
            }
            let Some(&rank) = next else { break };
            let equal = |ranks: &[u32]| ranks.iter().take_while(|&&other| other == rank).count();
            let counts = [equal(new), equal(old)];
            (new, old) = (&new[counts[0]..], &old[counts[1]..]);
            longer += counts[0] as i64 - counts[1] as i64;
            from = rank;
        }
        core::mem::swap(&mut self.pass, &mut self.before);
        self.pass.clear();
    }

    /// Returns the number of changes in each case.
    pub(super) fn changes(&self) -> impl Iterator<Item = u128> + '_ {
        self.changes.iter().scan(0, |changes, more| {
            *changes += more;
            Some(u128::try_from(*changes).unwrap_or(0))
        })
    }
}
