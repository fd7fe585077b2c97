//! How elements get into storage order: what the order of the source saves, and what the sizes allow.

use super::layout::Layout;
use crate::encoding::Order;
use crate::level::{Domain, Kind, Tree};
use crate::order::{Relation, relate, relate_dims};
use crate::{Encoded, Source};

/// What is known of the order that elements come in.
pub(super) struct Sorted {
    /// What it says of the order of all levels.
    all: Relation,
    /// What it says of the levels that tell the blocks.
    blocks: Relation,
    /// Whether no coordinate comes twice.
    pub(super) unique: bool,
}

/// How many levels tell the blocks of values: those down to the last with an array of coordinates.
const fn block_levels(levels: &[crate::level::Level]) -> usize {
    let mut depth = levels.len();
    while depth > 0 && !matches!(levels[depth - 1].kind, Kind::Indexed { .. }) {
        depth -= 1;
    }
    depth
}

/// A source and a target: what the order of one says of that of the other is worked out by the compiler.
struct Pair<F, S, const N: usize, const M: usize>(F, S);

impl<F: Tree<N, M>, S: Source<N>, const N: usize, const M: usize> Pair<F, S, N, M> {
    const ALL: Relation = Self::relation(M);
    const BLOCKS: Relation = Self::relation(block_levels(&F::LEVELS));

    const fn relation(depth: usize) -> Relation {
        match (S::ORDER, F::ENCODINGS) {
            (Order::By(source), [target, ..]) => relate(source, target, depth),
            _ => Relation {
                implied: 0,
                sorted: depth,
            },
        }
    }
}

impl Sorted {
    pub(super) fn of<F: Tree<N, M>, S: Source<N>, const N: usize, const M: usize>(source: &S) -> Self {
        if matches!(S::ORDER, Order::By(_)) {
            return Sorted {
                all: Pair::<F, S, N, M>::ALL,
                blocks: Pair::<F, S, N, M>::BLOCKS,
                unique: true,
            };
        }
        match source.sorted_by() {
            Some((dims, strictly)) => Sorted::by_dims::<F, N, M>(&dims, strictly),
            None => Sorted::by_dims::<F, N, M>(&[], false),
        }
    }

    /// In logical order, each coordinate once.
    pub(super) fn logically<F: Tree<N, M>, const N: usize, const M: usize>() -> Self {
        Sorted::by_dims::<F, N, M>(&core::array::from_fn::<_, N, _>(|dim| dim), true)
    }

    fn by_dims<F: Tree<N, M>, const N: usize, const M: usize>(dims: &[usize], unique: bool) -> Self {
        let relation = |depth: usize| match <F as Encoded>::ENCODINGS.first() {
            Some(target) if !dims.is_empty() => relate_dims(dims, target, depth),
            _ => Relation {
                implied: 0,
                sorted: depth,
            },
        };
        Sorted {
            all: relation(M),
            blocks: relation(block_levels(&F::LEVELS)),
            unique,
        }
    }
}

/// How elements get into storage order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Only their blocks are ordered: the elements are put in their places.
    Place,
    /// They come in that order.
    Append,
    /// They are put into bins, in the order they come in.
    Scatter,
    /// They are sorted.
    Sort,
}

/// What is done with a source.
pub(super) struct Choice<const M: usize> {
    pub(super) way: Way,
    pub(super) layout: Layout<M>,
    /// How many levels tell the blocks, if elements are put in their places.
    pub(super) blocks: Option<usize>,
}

impl<const M: usize> Choice<M> {
    pub(super) fn new(
        kinds: &[Kind; M],
        holes: bool,
        domains: &[Domain; M],
        count: usize,
        allowed: u128,
        sorted: &Sorted,
    ) -> Self {
        let full = kinds.iter().any(|kind| kind.is_full());
        // Where bins start is counted in 32 bits; more elements than that have no bins.
        let countable = u32::try_from(count).is_ok() && !full;
        let affordable = |leading: usize| {
            let bins = Layout::bins(domains, kinds, leading);
            let dense = kinds[..leading]
                .iter()
                .all(|kind| kind.is_determined() || *kind == Kind::Dense);
            // A dense level has a pointer for each bin anyway.
            let held = dense && 8 * bins as u128 <= allowed;
            countable && bins < u32::MAX as usize && (held || bins <= (4 * count).max(1 << 16))
        };
        let depth = kinds
            .iter()
            .rposition(|kind| matches!(kind, Kind::Indexed { .. }))
            .map_or(0, |level| level + 1);
        let pointed = |kind: &Kind| matches!(kind, Kind::Counted { pointed: true });
        let simple = !full && !kinds.iter().any(pointed) && !kinds[..depth].contains(&Kind::Aligned);
        if holes && sorted.unique && simple {
            let marked = depth == 0 || domains[depth - 1].size <= (64 * count).max(1 << 20);
            let above = depth.saturating_sub(1);
            if depth == 0 || (marked && sorted.blocks.implied >= above && affordable(above)) {
                return Choice {
                    way: Way::Place,
                    layout: Layout::new(*domains, kinds, above, depth),
                    blocks: Some(depth),
                };
            }
        }
        // Where each coordinate comes once, elements need no order within their block.
        let ordered = holes && sorted.unique && simple;
        let relation = if ordered { sorted.blocks } else { sorted.all };
        let needed = if ordered { depth } else { M };
        let last = (0..M).rposition(|level| !kinds[level].is_determined()).unwrap_or(0);
        let chain = (0..=last.min(depth.saturating_sub(1)))
            .rev()
            .take_while(|&level| {
                level + 1 == depth
                    || kinds[level].is_determined()
                    || matches!(kinds[level], Kind::Indexed { copied: true, .. })
            })
            .last()
            .unwrap_or(0);
        let fits = |leading: usize| {
            let layout = Layout::new(*domains, kinds, leading, M);
            affordable(leading) && layout.bits + layout.bin_bits() <= u64::BITS
        };
        let leading = (0..=chain.min(last)).rev().find(|&leading| fits(leading)).unwrap_or(0);
        let (way, leading) = if relation.implied >= needed {
            (Way::Append, leading)
        } else if relation.sorted <= last && fits(relation.sorted) {
            (Way::Scatter, relation.sorted.max(leading))
        } else {
            (Way::Sort, leading)
        };
        Choice {
            way,
            layout: Layout::new(*domains, kinds, leading, M),
            blocks: None,
        }
    }
}
