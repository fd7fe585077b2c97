//! Entries of levels as those of `Coo` that are not trimmed: coordinates without an element get an entry that is a hole.

use core::ops::Range;

use super::levels::{Entry, Levels};
use super::sequence::each_key;
use crate::error::Error;
use crate::format::Kind;
use crate::limit::Limit;

impl Levels {
    /// Builds the entries of the levels `first..=last`, and returns the number of entries below each parent.
    pub(super) fn build_entries(&mut self, first: usize, last: usize) -> Result<Vec<usize>, Error> {
        let every: u128 = (first..=last)
            .filter(|&level| self.table[level].kind.is_full())
            .map(|level| self.size(level) as u128)
            .fold(self.count as u128, u128::saturating_mul);
        let values = every.saturating_mul(self.value_size as u128);
        Limit::check(self.format, self.bytes.saturating_add(values), self.allowed)?;

        let mut ranges = vec![0..0; self.count];
        self.walk_dyn(self.built, &mut |group| ranges[group.position] = group.elements);
        let mut entries = Vec::new();
        let mut counts = Vec::with_capacity(ranges.len());
        for range in ranges {
            let before = entries.len();
            let mut prefix = self.lowest();
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

    /// Appends the entries of the levels `level..=last` below one parent, whose elements are `range`.
    ///
    /// The chain begins at `first`. A level that is not trimmed has an entry for each coordinate, and a hole below it where
    /// there is no element.
    fn fill(
        &self,
        level: usize,
        first: usize,
        last: usize,
        range: Range<usize>,
        prefix: &mut [i64],
        entries: &mut Vec<Entry>,
    ) {
        if level > last {
            entries.push(Entry::Element(range.start));
            return;
        }
        let domain = self.layout.levels[level].domain;
        // Formats with such levels have no bins.
        let offset = |element: usize| each_key!(&self.keys, keys => self.layout.levels[level].offset(0, keys[element]));
        match self.table[level].kind {
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
                // This is a hole, unless the parent of the chain itself has no children, or a level has no coordinates.
                let possible = |level: usize| self.table[level].kind == Kind::Aligned || self.size(level) > 0;
                if level > first && (level..=last).all(possible) {
                    let mut hole = self.lowest();
                    hole[..level].copy_from_slice(&prefix[..level]);
                    entries.push(Entry::Hole(hole.into()));
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
