//! The numbers of nodes above one set of elements.

use super::keys::Keys;
use super::passes::{Passes, Uneven};
use crate::format::{Kind, Level};

/// The counts for one set of elements.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) elements: u128,
    /// Number of nodes of each level, that is, of distinct coordinate prefixes that end at the level.
    pub(super) distinct: Vec<u128>,
    /// For each counted level, the sum of one plus the greatest coordinate over the parent nodes; for all elements, not the subset.
    pub(super) counted: Vec<u128>,
    /// For the innermost loop whose passes differ in length, the number of passes with another length than the pass before.
    pub(super) changes: u128,
}

impl Case {
    /// Counts all elements, but for counted levels, and returns whether any occurs twice.
    pub(super) fn of_all(keys: &Keys, uneven: &Uneven) -> (bool, Self) {
        let depth = keys.depth();
        // For each level, the number of elements that differ there first from the element before.
        let (mut first, mut passes) = (vec![0u64; depth + 1], Passes::default());
        let (start, end) = (uneven.levels.start, uneven.levels.end);
        if keys.len() > 0 && end > 0 {
            passes.push();
        }
        keys.differences(
            #[inline(always)]
            |at, level| {
                first[level] += 1;
                if level < start {
                    passes.end();
                    if uneven.skips_before(keys, at) {
                        passes.compare();
                    }
                }
                if level < end {
                    passes.push();
                }
            },
        );
        passes.finish();
        let duplicates = first[depth];
        // A node begins with the first element, and where an element differs from the one before at its level or above.
        let mut nodes = u128::from(keys.len() > 0);
        let distinct = first[..depth].iter().map(|&more| {
            nodes += u128::from(more);
            nodes
        });
        let case = Case {
            elements: (keys.len() as u64 - duplicates).into(),
            distinct: distinct.collect(),
            counted: Vec::new(),
            changes: passes.changes,
        };
        (duplicates > 0, case)
    }
}

/// Returns, for each counted level, the sum of one plus the greatest coordinate over the parent nodes.
pub(super) fn counted(keys: &Keys, levels: &[Level]) -> Vec<u128> {
    let mut counted = vec![0; levels.len()];
    let is_counted = |level: &usize| matches!(levels[*level].kind, Kind::Counted { .. });
    for level in (0..levels.len()).filter(is_counted) {
        let mut sum = 0;
        // The greatest coordinate below a parent is that of its last element.
        let mut end = |at: usize| sum += u128::from(keys.offset(at, level)) + 1;
        keys.differences(|at, differs| {
            if differs < level {
                end(at - 1);
            }
        });
        if keys.len() > 0 {
            end(keys.len() - 1);
        }
        counted[level] = sum;
    }
    counted
}
