//! Checks the arrays of a format without queries against each other.

use core::ops::Range;

use super::checked::Checked;
use crate::array::{Domain, IndexArray};
use crate::error::{Error, ErrorKind};
use crate::format::{Kind, Level, LevelArrays};

/// Checks the arrays of a format without queries against each other.
pub(super) fn check(tensor: &dyn Checked) -> Result<(), Error> {
    let (levels, arrays) = (tensor.levels(), tensor.arrays());
    let mut chain = None;
    let mut holes: Vec<Vec<bool>> = vec![Vec::new(); levels.len()];
    for (level, spec) in levels.iter().enumerate() {
        if let Kind::Indexed { copied, .. } = spec.kind {
            let first = chain.unwrap_or(level);
            chain = copied.then_some(first);
            if !copied {
                let chain = Chain {
                    arrays: &arrays,
                    domains: &tensor.domains()?,
                    levels,
                    first,
                    last: level,
                    holes: Vec::new(),
                };
                holes[first..=level].fill(chain.ascending()?);
            }
        }
    }
    positions(tensor, &holes)
}

/// Levels whose entries are parallel arrays.
struct Chain<'a> {
    arrays: &'a [LevelArrays<'a>],
    domains: &'a [Domain],
    levels: &'a [Level],
    first: usize,
    last: usize,
    holes: Vec<bool>,
}

impl Chain<'_> {
    /// Checks that the entries ascend strictly below each parent and include every coordinate of a full level. Returns which
    /// entries may belong to nodes without children.
    fn ascending(mut self) -> Result<Vec<bool>, Error> {
        let Some(length) = self.arrays[self.last].idx.map(IndexArray::len) else {
            return Ok(Vec::new());
        };
        let full = (self.first..=self.last).any(|level| self.is_full(level));
        self.holes.resize(if full { length } else { 0 }, false);
        let ptr = self.arrays[self.first].ptr;
        for parent in 0..ptr.map_or(1, |ptr| ptr.len() - 1) {
            let range = ptr.map_or(0..length, |ptr| ptr.at(parent) as usize..ptr.at(parent + 1) as usize);
            for position in range.start + 1..range.end {
                let before = (self.first..=self.last).map(|level| self.at(level, position - 1));
                if !before.lt((self.first..=self.last).map(|level| self.at(level, position))) {
                    return Err(self.not_ascending(position));
                }
            }
            if full {
                self.complete(self.first, range)?;
            }
        }
        Ok(self.holes)
    }

    #[cold]
    fn not_ascending(&self, position: usize) -> Error {
        let down = |&level: &usize| self.at(level, position) < self.at(level, position - 1);
        let level = (self.first..=self.last).find(down).unwrap_or(self.last);
        let [index, before] = [position, position - 1].map(|position| self.at(level, position));
        Error::new(
            ErrorKind::Order,
            format!("`{}_idx`", self.levels[level].name),
            Some(position),
            format!("index {index} after {before}"),
            "entries that ascend strictly below each parent",
        )
    }

    fn at(&self, level: usize, position: usize) -> i64 {
        self.arrays[level].idx.map_or(0, |idx| idx.at(position))
    }

    fn is_full(&self, level: usize) -> bool {
        matches!(self.levels[level].kind, Kind::Indexed { full: true, .. })
    }

    /// Returns whether `range`, the entries below a node above `level`, may be the single entry of a node without children: it
    /// has the lowest coordinates.
    fn is_hole(&self, level: usize, range: &Range<usize>) -> bool {
        let lowest = |level: usize| {
            self.arrays[level]
                .idx
                .is_none_or(|idx| idx.at(range.start) == self.domains[level].lo)
        };
        let above = (self.first..level)
            .rev()
            .find(|&above| self.levels[above].kind != Kind::Fixed);
        above.is_some_and(|above| self.is_full(above))
            && !self.is_full(level)
            && range.len() == 1
            && (level..=self.last).all(lowest)
    }

    /// Checks, from `level` down, that every coordinate of a full level has an entry in `range`.
    fn complete(&mut self, level: usize, range: Range<usize>) -> Result<(), Error> {
        if level > self.last {
            return Ok(());
        }
        if self.is_hole(level, &range) {
            self.holes[range.start] = true;
            return Ok(());
        }
        if self.levels[level].kind == Kind::Fixed {
            return self.complete(level + 1, range);
        }
        let mut expected = self.domains[level].lo;
        let mut start = range.start;
        while start < range.end {
            let found = self.at(level, start);
            if self.is_full(level) && found != expected {
                return Err(self.missing(level, start, format!("index {found}"), expected));
            }
            let end = (start..range.end)
                .find(|&at| self.at(level, at) != found)
                .unwrap_or(range.end);
            self.complete(level + 1, start..end)?;
            (start, expected) = (end, expected + 1);
        }
        // If a level has no coordinates at all, there are no holes either.
        let possible = self.domains[level..=self.last].iter().all(|domain| domain.size > 0);
        if self.is_full(level) && possible && expected != self.domains[level].end() {
            return Err(self.missing(level, range.end, "the end of the entries".to_owned(), expected));
        }
        Ok(())
    }

    fn missing(&self, level: usize, position: usize, found: String, expected: i64) -> Error {
        Error::new(
            ErrorKind::Structure,
            format!("`{}_idx`", self.levels[level].name),
            Some(position),
            found,
            format!("{expected}: the level is not trimmed, every coordinate has an entry"),
        )
    }
}

/// Checks that every position without a coordinate inside the shape is zero, and that every entry of each level, except the
/// `holes`, has an element below it.
fn positions(tensor: &dyn Checked, holes: &[Vec<bool>]) -> Result<(), Error> {
    let (levels, arrays) = (tensor.levels(), tensor.arrays());
    let lengths = arrays.iter().map(|arrays| arrays.idx.map_or(0, IndexArray::len));
    let mut used: Vec<Vec<bool>> = lengths.map(|length| vec![false; length]).collect();
    tensor.visit(None, &mut |position| {
        for (used, &at) in used.iter_mut().zip(position.path) {
            if let Some(used) = used.get_mut(at) {
                *used = true;
            }
        }
    })?;
    for (level, used) in used.iter().enumerate() {
        let stray = |position: usize| !used[position] && !holes[level].get(position).is_some_and(|&hole| hole);
        if let Some(position) = (0..used.len()).find(|&position| stray(position)) {
            let idx = arrays[level].idx.map_or(0, |idx| idx.at(position));
            return Err(Error::new(
                ErrorKind::Structure,
                format!("`{}_idx`", levels[level].name),
                Some(position),
                format!("index {idx} with no coordinate of the shape below it"),
                "only indices that lead to an element: the level is trimmed",
            ));
        }
    }
    Ok(())
}
