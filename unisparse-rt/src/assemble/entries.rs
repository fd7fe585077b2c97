//! Entries of chains with a level that is not trimmed: some stand for coordinates below which nothing is stored.

use core::ops::Range;

use super::levels::Levels;
use super::sequence::each_key;
use crate::level::{Kind, Tree};
use crate::{Error, Limit};

/// Where an entry's coordinates come from.
#[derive(Clone, Copy)]
pub(super) enum Entry<const M: usize> {
    /// The first element below it.
    Element(usize),
    /// Nothing is stored below it.
    Hole([i64; M]),
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Levels<F, N, M> {
    /// Builds the entries of the levels `first..=last`, and gives how many each parent has.
    pub(super) fn build_entries(&mut self, first: usize, last: usize) -> Result<Vec<usize>, Error> {
        let every: u128 = (first..=last)
            .filter(|&level| F::LEVELS[level].kind.is_full())
            .map(|level| self.size(level) as u128)
            .fold(self.count as u128, u128::saturating_mul);
        let values = every.saturating_mul(size_of::<F::Scalar>() as u128);
        Limit::check(F::NAME, self.bytes.saturating_add(values), self.allowed)?;

        let mut ranges = vec![0..0; self.count];
        self.walk(self.built, |group| ranges[group.position] = group.elements);
        let mut entries = Vec::new();
        let mut counts = Vec::with_capacity(ranges.len());
        for range in ranges {
            let before = entries.len();
            let mut prefix = self.layout.domains.map(|domain| domain.lo);
            self.fill(first, first, last, range, &mut prefix, &mut entries);
            counts.push(entries.len() - before);
        }
        let stored = entries.iter().enumerate();
        let stored = stored.filter(|(_, entry)| matches!(entry, Entry::Element(_)));
        let positions = stored.map(|(position, _)| position).collect();
        self.finish_entries(last, entries.len(), Some(positions));
        self.entries = Some(entries);
        Ok(counts)
    }

    /// The entries of the levels `level..=last`, of the chain from `first`, below one parent, whose elements
    /// are `range`. A level that is not trimmed has an entry for each coordinate, a hole below it where
    /// nothing is stored.
    fn fill(
        &self,
        level: usize,
        first: usize,
        last: usize,
        range: Range<usize>,
        prefix: &mut [i64; M],
        entries: &mut Vec<Entry<M>>,
    ) {
        if level > last {
            entries.push(Entry::Element(range.start));
            return;
        }
        let domain = self.layout.domains[level];
        // Such formats have no bins.
        let offset = |element: usize| each_key!(&self.keys, keys => self.layout.offset(0, keys[element], level));
        match F::LEVELS[level].kind {
            Kind::Indexed { full: true, .. } => {
                let mut start = range.start;
                for coordinate in 0..domain.size {
                    let mut end = start;
                    while end < range.end && offset(end) == coordinate {
                        end += 1;
                    }
                    prefix[level] = domain.lo + coordinate as i64;
                    self.fill(level + 1, first, last, start..end, prefix, entries);
                    start = end;
                }
            }
            Kind::Fixed | Kind::Aligned => self.fill(level + 1, first, last, range, prefix, entries),
            _ if range.is_empty() => {
                // A hole, unless the chain's own parent is what has no children, or there is no coordinate.
                let possible = |level: usize| F::LEVELS[level].kind == Kind::Aligned || self.size(level) > 0;
                if level > first && (level..=last).all(possible) {
                    let mut hole = self.layout.domains.map(|domain| domain.lo);
                    hole[..level].copy_from_slice(&prefix[..level]);
                    entries.push(Entry::Hole(hole));
                }
            }
            _ => {
                let mut start = range.start;
                while start < range.end {
                    let coordinate = offset(start);
                    let mut end = start + 1;
                    while end < range.end && offset(end) == coordinate {
                        end += 1;
                    }
                    prefix[level] = domain.lo + coordinate as i64;
                    self.fill(level + 1, first, last, start..end, prefix, entries);
                    start = end;
                }
            }
        }
    }
}
