//! Choice of how elements get into storage order, from the order of the source and the sizes.
//!
//! The part that depends on types alone is a function of encodings: the assembly calls it in constants, and plans print
//! its result.

use super::depths::{binned_levels, block_levels, has_blocks, needed, ordered_levels, target};
use super::keys::is_countable;
use super::known;
use super::layout::Layout;
use crate::array::Domain;
use crate::format::order::{Relation, relate, relate_dims};
use crate::format::{Encoding, Kind, Level, Order, Storage, Tree};
use crate::report::step;
use crate::source::Source;

/// The dimensions in logical order.
const DIMS: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// What is known of the order of the elements of a source; they need not be sorted.
#[derive(Clone, Copy)]
pub struct Sorted {
    /// How this order relates to the order of the `needed` levels.
    pub(crate) relation: Relation,
    /// Number of leading levels that must be ordered. These are all `ordered` ones, except in a format of blocks without a counted
    /// level, if no coordinate occurs twice: there, only the levels that determine the block.
    needed: usize,
    /// Number of levels down to the last that has coordinates of its own.
    ordered: usize,
    /// Whether the elements can be written to their places by block.
    placed: bool,
    /// Whether no coordinate occurs twice.
    pub(super) unique: bool,
}

impl Sorted {
    /// Returns the order that the type of a source guarantees, if any.
    pub(super) const fn by_type<F: Tree<N, M>, S: Source<N>, const N: usize, const M: usize>() -> Option<Self> {
        match S::ORDER {
            Order::By(source) => Some(Self::by(source, target::<F, N, M>())),
            Order::ByTransposed(_) | Order::Unknown => None,
        }
    }

    /// Returns the order that the type of a source guarantees, or else the one found by scanning it.
    pub(super) fn of<F: Tree<N, M>, S: Source<N>, const N: usize, const M: usize>(source: &S) -> Self {
        match S::ORDER {
            Order::By(source) => known::by_levels(source, target::<F, N, M>()),
            Order::ByTransposed(_) | Order::Unknown => Self::found::<F, S, N, M>(source),
        }
    }

    /// Returns the order found by scanning the source.
    pub(super) fn found<F: Tree<N, M>, S: Source<N>, const N: usize, const M: usize>(source: &S) -> Self {
        let order = step("look at the order", || source.sorted_by());
        Self::by_known(
            order.as_ref().map(|(dims, unique)| (&dims[..], *unique)),
            target::<F, N, M>(),
        )
    }

    /// Returns this order of dimensions, if they are known, and of coordinates that may be unique.
    fn by_known(order: Option<(&[usize], bool)>, target: (&'static Encoding, &'static Storage)) -> Self {
        match order {
            Some((dims, unique)) => known::by_dims(dims, unique, target),
            None => Self::by_dims(&[], false, target),
        }
    }

    /// Creates the lexicographic order of the levels of `source`, with unique coordinates.
    pub(crate) const fn by(source: &Encoding, (target, storage): (&Encoding, &Storage)) -> Self {
        let needed = needed(storage, true);
        Self::new(relate(source, target, needed), storage, true)
    }

    /// Creates the logical order, with unique coordinates.
    pub(crate) const fn logically((target, storage): (&Encoding, &Storage)) -> Self {
        // With more dims than this, the order is taken as unknown.
        let dims: &[usize] = if target.dims.len() > DIMS.len() {
            &[]
        } else {
            DIMS.split_at(target.dims.len()).0
        };
        Self::by_dims(dims, true, (target, storage))
    }

    /// Creates the lexicographic order of these dimensions; no dimensions mean that the order is unknown.
    pub(crate) const fn by_dims(dims: &[usize], unique: bool, (target, storage): (&Encoding, &Storage)) -> Self {
        let needed = needed(storage, unique);
        let relation = if dims.is_empty() {
            Relation {
                implied: 0,
                sorted: needed,
            }
        } else {
            relate_dims(dims, target, needed)
        };
        Self::new(relation, storage, unique)
    }

    const fn new(relation: Relation, storage: &Storage, unique: bool) -> Self {
        let needed = needed(storage, unique);
        Sorted {
            relation,
            needed,
            ordered: ordered_levels(storage.levels),
            placed: unique && has_blocks(storage) && relation.implied + 1 >= block_levels(storage.levels),
            unique,
        }
    }

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
