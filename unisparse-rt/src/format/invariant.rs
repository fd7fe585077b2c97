//! Positions in the `idx` arrays of levels whose coordinates are invariant over some levels above.

use super::kind::Kind;
use super::level::{Level, LevelArrays};
use crate::array::Domain;

impl Level {
    /// Returns the first level that the `idx` array leaves out, if it leaves out any.
    pub(crate) fn invariant_from(&self) -> Option<usize> {
        self.invariant_over.first().copied()
    }
}

/// Returns the levels below the first one that the `idx` array of `level` leaves out whose coordinates, with the position
/// above that level, give the position in the array.
pub(crate) fn below_invariant(levels: &[Level], level: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
    let over = levels[level].invariant_over;
    let first = levels[level].invariant_from().unwrap_or(level);
    (first..level).filter(move |above| !levels[*above].kind.is_determined() && !over.contains(above))
}

/// Returns the number of entries of the `idx` array of an invariant level; `above` is the number of positions above the first
/// level that it leaves out.
pub(crate) fn invariant_entries(levels: &[Level], level: usize, above: u128, size: impl Fn(usize) -> u128) -> u128 {
    below_invariant(levels, level).fold(above, |count, below| count.saturating_mul(size(below)))
}

/// Returns the greatest number of coordinates of a level below one parent.
pub(crate) fn greatest_size(level: &Level, arrays: &LevelArrays<'_>, domain: Domain) -> usize {
    match (level.kind, arrays.ptr) {
        (Kind::Counted { .. }, Some(ptr)) => {
            let count = |parent: usize| (ptr.at(parent + 1) - ptr.at(parent)) as usize;
            (0..ptr.len().saturating_sub(1)).map(count).max().unwrap_or(0)
        }
        _ => domain.size,
    }
}
