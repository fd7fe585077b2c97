//! The walk over the positions of a tensor's levels. It is compiled once for all formats; where code is optimised, it is inlined for
//! each, as an element takes twice as long otherwise.

use core::ops::Range;

use crate::array::{Domain, IndexArray, first_where};
use crate::format::{Kind, Level, LevelArrays, below_invariant};

/// The position of the walk on one level.
#[derive(Clone, Copy, Default)]
pub(super) struct Cursor {
    /// The first position below the parent.
    start: usize,
    pub(super) position: usize,
    end: usize,
    pub(super) coordinate: i64,
}

/// The levels of a tensor, and where a walk over their positions is.
pub(super) struct Walk<'w, 'a> {
    pub(super) levels: &'static [Level],
    pub(super) arrays: &'w [LevelArrays<'a>],
    pub(super) domains: &'w [Domain],
    pub(super) given: &'w [i64],
    /// The least and the greatest coordinate to visit on each level, where only some are visited.
    pub(super) bounds: &'w [Option<[i64; 2]>],
    /// Number of levels visited.
    pub(super) depth: usize,
    pub(super) cursors: &'w mut [Cursor],
}

impl Walk<'_, '_> {
    /// Moves to the first position of the last level, or, if that was `started`, to the next one. Returns false past the end.
    #[cfg_attr(optimised, inline(always))]
    pub(super) fn advance(&mut self, started: bool) -> bool {
        let mut level = 0;
        if started {
            // Ascend to the lowest level that has a next position.
            match self.ascend(self.depth) {
                Some(found) => level = found + 1,
                None => return false,
            }
        }
        // Descend again, advancing past nodes without children.
        while level < self.depth {
            if self.enter(level) {
                level += 1;
                continue;
            }
            match self.ascend(level) {
                Some(found) => level = found + 1,
                None => return false,
            }
        }
        true
    }

    /// Moves to the next position on the lowest level above `level` that has one, and returns that level.
    #[cfg_attr(optimised, inline(always))]
    fn ascend(&mut self, mut level: usize) -> Option<usize> {
        while level > 0 {
            level -= 1;
            self.cursors[level].position += 1;
            if self.read(level) {
                return Some(level);
            }
        }
        None
    }

    /// Moves the cursor of `level` to its first position below the parent. Returns false if there is none.
    #[cfg_attr(optimised, inline(always))]
    fn enter(&mut self, level: usize) -> bool {
        let parent = if level == 0 {
            0
        } else {
            self.cursors[level - 1].position
        };
        let size = self.domains[level].size;
        let (start, end) = match (self.levels[level].kind, self.arrays[level].ptr) {
            (Kind::Fixed | Kind::Given | Kind::Aligned, _) => (parent, parent + 1),
            (Kind::Dense, _) | (Kind::Counted { .. }, None) => (parent * size, parent * size + size),
            (_, Some(ptr)) => (ptr.at(parent) as usize, ptr.at(parent + 1) as usize),
            (_, None) if is_root(self.levels, level) => (0, self.arrays[level].idx.map_or(0, IndexArray::len)),
            (_, None) => (parent, parent + 1),
        };
        self.cursors[level] = Cursor {
            start,
            position: start,
            end,
            coordinate: 0,
        };
        if let Some(bounds) = self.bounds[level] {
            self.narrow(level, bounds);
        }
        self.read(level)
    }

    /// Leaves out the positions below the parent whose coordinates are outside the bounds, if these are ordered.
    fn narrow(&mut self, level: usize, bounds: [i64; 2]) {
        let Cursor { start, end, .. } = self.cursors[level];
        let lowest = match self.levels[level].kind {
            Kind::Dense => self.domains[level].lo,
            Kind::Given => self.given[level],
            _ => 0,
        };
        let within = (level, start..end, lowest, bounds);
        let within = narrowed(self.levels, self.arrays, self.bounds, within);
        (self.cursors[level].position, self.cursors[level].end) = (within.start, within.end);
    }

    /// Reads the coordinate at the cursor of `level`. Returns false past its end.
    #[cfg_attr(optimised, inline(always))]
    fn read(&mut self, level: usize) -> bool {
        let cursor = self.cursors[level];
        if cursor.position >= cursor.end {
            return false;
        }
        self.cursors[level].coordinate = match self.levels[level].kind {
            Kind::Fixed => 0,
            Kind::Given => self.given[level],
            Kind::Dense => self.domains[level].lo + (cursor.position - cursor.start) as i64,
            Kind::Counted { .. } => (cursor.position - cursor.start) as i64,
            Kind::Indexed { .. } | Kind::Aligned => {
                let position = self.invariant_position(level).unwrap_or(cursor.position);
                self.arrays[level].idx.map_or(0, |idx| idx.at(position))
            }
        };
        true
    }

    /// Returns the current position in the `idx` array of a level that is invariant over some levels above.
    #[cfg_attr(optimised, inline(always))]
    pub(super) fn invariant_position(&self, level: usize) -> Option<usize> {
        let first = self.levels[level].invariant_from()?;
        let mut position = match first {
            0 => 0,
            _ => self.cursors[first - 1].position,
        };
        for below in below_invariant(self.levels, level) {
            let cursor = self.cursors[below];
            position = position * self.domains[below].size + (cursor.position - cursor.start);
        }
        Some(position)
    }
}

/// Returns whether no level above `level` has positions of its own.
const fn is_root(levels: &[Level], level: usize) -> bool {
    let mut above = 0;
    while above < level {
        if !levels[above].kind.is_determined() {
            return false;
        }
        above += 1;
    }
    true
}

/// Returns the range of the positions of a level below a parent whose coordinates are within its bounds, if these are ordered.
///
/// The coordinate at the first position is `lowest`, unless there is an `idx` array.
fn narrowed(
    levels: &[Level],
    arrays: &[LevelArrays],
    bounds: &[Option<[i64; 2]>],
    (level, positions, lowest, [least, greatest]): (usize, Range<usize>, i64, [i64; 2]),
) -> Range<usize> {
    let Range { start, end } = positions;
    let from = |coordinate: i128| {
        let position = start as i128 + coordinate - i128::from(lowest);
        position.clamp(start as i128, end as i128) as usize
    };
    match (levels[level].kind, arrays[level].idx) {
        (Kind::Dense | Kind::Counted { .. }, _) => from(least.into())..from(i128::from(greatest) + 1),
        (Kind::Indexed { .. }, Some(idx)) if levels[level].invariant_from().is_none() => {
            let positions = between(idx, start..end, [least, greatest]);
            narrowed_chain(levels, arrays, bounds, (level, positions))
        }
        (Kind::Given, _) if !(least..=greatest).contains(&lowest) => end..end,
        _ => start..end,
    }
}

/// Narrows positions of a level further: while it has one coordinate there, the entries of the next level of a chain ascend
/// beside it.
fn narrowed_chain(
    levels: &[Level],
    arrays: &[LevelArrays],
    bounds: &[Option<[i64; 2]>],
    (mut level, mut positions): (usize, Range<usize>),
) -> Range<usize> {
    loop {
        let has_one = bounds[level].is_some_and(|[least, greatest]| least == greatest);
        let next = levels.get(level + 1).filter(|next| {
            matches!(next.kind, Kind::Indexed { pointed: false, .. }) && next.invariant_from().is_none()
        });
        level += 1;
        let Some((bounds, idx)) = next.and_then(|_| bounds[level].zip(arrays[level].idx)) else {
            return positions;
        };
        if !has_one {
            return positions;
        }
        positions = between(idx, positions, bounds);
    }
}

/// Returns those of ascending entries that are from the least to the greatest.
fn between(idx: &dyn IndexArray, positions: Range<usize>, [least, greatest]: [i64; 2]) -> Range<usize> {
    let start = first_where(positions.clone(), |position| idx.at(position) >= least);
    start..first_where(start..positions.end, |position| idx.at(position) > greatest)
}
