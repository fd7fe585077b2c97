//! The lengths of a tensor's arrays, from the numbers of nodes of its levels.

use super::case::Case;
use crate::array::Domain;
use crate::format::{Kind, Level, invariant_entries};

/// The lengths of all arrays.
pub(super) struct Arrays {
    /// Number of positions of each level.
    pub(super) positions: Vec<u128>,
    /// Number of entries of each level's `ptr` array.
    pub(super) pointers: Vec<u128>,
    /// Number of entries of each level's `idx` array, if it has one.
    pub(super) entries: Vec<u128>,
    pub(super) elements: u128,
    /// Padding bytes of packed arrays.
    pub(super) padding: u128,
    /// For the innermost loop whose passes differ in length, the number of passes with another length than the pass before.
    pub(super) changes: u128,
}

impl Arrays {
    pub(super) fn of(levels: &[Level], nodes: &Case, domains: &[Domain]) -> Self {
        let depth = levels.len();
        let mut arrays = Arrays {
            positions: vec![0; depth],
            pointers: vec![0; depth],
            entries: vec![0; depth],
            elements: nodes.elements,
            padding: 0,
            changes: nodes.changes,
        };
        let (mut above, mut level) = (1u128, 0);
        while level < depth {
            let mut last = level;
            above = match levels[level].kind {
                Kind::Fixed | Kind::Given | Kind::Aligned => above,
                Kind::Dense | Kind::Counted { pointed: false } => above.saturating_mul(domains[level].size as u128),
                Kind::Counted { pointed: true } => {
                    arrays.pointers[level] = above + 1;
                    nodes.counted[level]
                }
                Kind::Indexed { pointed, .. } => {
                    if pointed {
                        arrays.pointers[level] = above + 1;
                    }
                    last = chain_end(levels, level);
                    entries(levels, level, last, above, nodes, domains)
                }
            };
            arrays.positions[level..=last].fill(above);
            level = last + 1;
        }
        for level in 0..depth {
            arrays.entries[level] = match levels[level].invariant_from() {
                None => arrays.positions[level],
                Some(first) => {
                    let above = first.checked_sub(1).map_or(1, |above| arrays.positions[above]);
                    invariant_entries(levels, level, above, |below| domains[below].size as u128)
                }
            };
        }
        arrays
    }
}

/// Returns the last level of the chain of entries that starts at `first`.
fn chain_end(levels: &[Level], first: usize) -> usize {
    let ends = |level: &usize| matches!(levels[*level].kind, Kind::Indexed { copied: false, .. });
    (first..levels.len()).find(ends).unwrap_or(levels.len() - 1)
}

/// Returns the number of entries of a chain of levels, which is below `above` positions.
fn entries(levels: &[Level], first: usize, last: usize, above: u128, nodes: &Case, domains: &[Domain]) -> u128 {
    // From the last level up: the entries below a node without elements (`hole`), and the total (`all`).
    let (mut hole, mut all) = (1u128, nodes.distinct[last]);
    for level in (first..=last).rev() {
        let size = domains[level].size as u128;
        let parents = level
            .checked_sub(1)
            .map_or(nodes.elements.min(1), |above| nodes.distinct[above]);
        match levels[level].kind {
            Kind::Indexed { full: true, .. } => {
                let absent = parents.saturating_mul(size).saturating_sub(nodes.distinct[level]);
                all = all.saturating_add(absent.saturating_mul(hole));
                hole = hole.saturating_mul(size);
            }
            kind if kind.is_determined() => {}
            // A trimmed level has one entry if the full level above it requires one and the level has a coordinate.
            _ => {
                let possible = |level: usize| levels[level].kind == Kind::Aligned || domains[level].size > 0;
                hole = u128::from(level > first && (level..=last).all(possible));
            }
        }
    }
    let parents = first
        .checked_sub(1)
        .map_or(nodes.elements.min(1), |above| nodes.distinct[above]);
    all.saturating_add(above.saturating_sub(parents).saturating_mul(hole))
}
