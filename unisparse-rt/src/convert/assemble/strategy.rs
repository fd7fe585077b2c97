//! Choice of how elements get into storage order, from the order of the source and the sizes.
//!
//! The part that depends on types alone is a function of encodings: the assembly calls it in constants, and plans print
//! its result.

use super::depths::{binned_levels, block_levels, has_blocks};
use super::keys::is_countable;
use super::layout::Layout;
use super::sorted::Sorted;
use crate::array::Domain;
use crate::format::{Kind, Level, Storage};

impl Sorted {
    /// Returns the way to take, given whether the sizes permit placing elements and scattering them.
    pub(crate) const fn way(&self, may_place: bool, may_scatter: bool) -> Way {
        if may_place && self.placed {
            Way::Place
        } else if self.relation.implied >= self.needed {
            Way::Append
        } else if may_scatter && self.relation.sorted < self.ordered {
            Way::Scatter
        } else {
            Way::Sort
        }
    }
}

/// Ways to bring elements into storage order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// Only the blocks are ordered: each element is written to its place in its block.
    Place,
    /// The elements come in storage order and are appended.
    Append,
    /// The elements are scattered into bins, stably.
    Scatter,
    /// The elements are sorted.
    Sort,
}

impl Way {
    /// Returns the name of the step that brings all elements into order.
    pub(crate) const fn step(self) -> &'static str {
        match self {
            Way::Place => "mark the blocks",
            Way::Append => "append the elements",
            Way::Scatter => "scatter the elements into bins",
            Way::Sort => "sort the elements",
        }
    }

    /// Returns whether [`Sorted::way`] can return this way, for some sizes, if the type of the elements guarantees this order.
    pub(super) const fn is_possible(self, sorted: &Option<Sorted>, storage: &Storage) -> bool {
        let Some(sorted) = sorted else {
            return !matches!(self, Way::Place) || has_blocks(storage);
        };
        let ways = [
            sorted.way(true, true),
            sorted.way(false, true),
            sorted.way(false, false),
        ];
        let mut at = 0;
        while at < ways.len() {
            if ways[at] as u8 == self as u8 {
                return true;
            }
            at += 1;
        }
        false
    }
}

/// Choices made for one source.
pub(super) struct Choice {
    pub(super) way: Way,
    pub(super) layout: Layout,
}

impl Choice {
    /// Chooses for `count` elements with coordinates within `domains`, if arrays may have `allowed` bytes.
    pub(super) fn new(
        (levels, storage): (&[Level], &Storage),
        domains: &[Domain],
        count: usize,
        allowed: u128,
        sorted: &Sorted,
    ) -> Self {
        // Bin starts are 32-bit counts: there are no bins for more elements.
        let countable = is_countable(count) && !levels.iter().any(|level| level.kind.is_full());
        let affordable = |leading: usize, bins: usize| {
            let dense = |level: &Level| level.kind.is_determined() || level.kind == Kind::Dense;
            // Below a dense level, a `ptr` array has an entry for each bin anyway.
            let held = levels[..leading].iter().all(dense) && 8 * bins as u128 <= allowed;
            countable && bins < u32::MAX as usize && (held || bins <= count.saturating_mul(4).max(1 << 16))
        };
        let depth = block_levels(storage.levels);
        let above = depth.saturating_sub(1);
        let marks = count.saturating_mul(64).clamp(1 << 20, u32::MAX as usize);
        let bins = |leading: usize| Layout::bins(domains, levels, leading);
        let may_place =
            sorted.placed && (depth == 0 || (affordable(above, bins(above)) && domains[depth - 1].size <= marks));
        let fits = |leading: usize| {
            let bins = bins(leading);
            affordable(leading, bins) && Layout::word_bits(domains, levels, leading, bins) < u64::BITS
        };
        let leading = (0..=binned_levels(storage.levels)).rev().find(|&leading| fits(leading));
        let may_scatter = leading == Some(sorted.relation.sorted) || fits(sorted.relation.sorted);
        let way = sorted.way(may_place, may_scatter);
        if way == Way::Place {
            return Choice {
                way,
                layout: Layout::new(domains, levels, above, depth),
            };
        }
        let leading = leading.unwrap_or(0);
        let leading = match way {
            Way::Scatter => leading.max(sorted.relation.sorted),
            _ => leading,
        };
        Choice {
            way,
            layout: Layout::new(domains, levels, leading, levels.len()),
        }
    }
}
