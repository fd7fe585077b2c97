//! How elements get into storage order: what the order of the source saves, and what the sizes allow.

use super::layout::Layout;
use crate::encoding::Order;
use crate::level::{Domain, Kind, Level, Tree};
use crate::order::{Relation, relate, relate_dims};
use crate::{Encoded, Source};

/// What is known of the order that elements come in.
#[derive(Clone, Copy)]
pub struct Sorted {
    /// What it says of the order of the levels that need one.
    relation: Relation,
    /// How many those are: all, but those within blocks do not where each coordinate comes once.
    needed: usize,
    /// Whether no coordinate comes twice.
    pub(super) unique: bool,
}

impl Sorted {
    /// What the type of a source tells.
    pub(super) const fn by_type<F: Tree<N, M>, S: Source<N>, const N: usize, const M: usize>() -> Option<Self> {
        match (S::ORDER, F::ENCODINGS) {
            (Order::By(source), [target, ..]) => {
                let needed = needed::<F, N, M>(true);
                Some(Sorted {
                    relation: relate(source, target, needed),
                    needed,
                    unique: true,
                })
            }
            _ => None,
        }
    }

    /// In logical order, each coordinate once.
    pub(super) const fn logically<F: Tree<N, M>, const N: usize, const M: usize>() -> Self {
        let mut dims = [0; N];
        let mut dim = 0;
        while dim < N {
            dims[dim] = dim;
            dim += 1;
        }
        Self::by_dims::<F, N, M>(&dims, true)
    }

    /// In the lexicographic order of these dimensions; none say nothing.
    pub(super) const fn by_dims<F: Tree<N, M>, const N: usize, const M: usize>(dims: &[usize], unique: bool) -> Self {
        let needed = needed::<F, N, M>(unique);
        let relation = match <F as Encoded>::ENCODINGS {
            [target, ..] if !dims.is_empty() => relate_dims(dims, target, needed),
            _ => Relation {
                implied: 0,
                sorted: needed,
            },
        };
        Sorted {
            relation,
            needed,
            unique,
        }
    }
}

/// How many levels need an order.
const fn needed<F: Tree<N, M>, const N: usize, const M: usize>(unique: bool) -> usize {
    if unique && has_blocks::<F, N, M>() {
        block_levels(&F::LEVELS)
    } else {
        M
    }
}

/// How many levels tell the blocks of values: those down to the last with an array of coordinates of its own.
const fn block_levels(levels: &[Level]) -> usize {
    let mut depth = levels.len();
    while depth > 0 && !matches!(levels[depth - 1].kind, Kind::Indexed { .. }) {
        depth -= 1;
    }
    depth
}

/// Whether values lie in dense blocks, whose positions follow from the order of the blocks alone.
const fn has_blocks<F: Tree<N, M>, const N: usize, const M: usize>() -> bool {
    let (mut level, blocks) = (0, block_levels(&F::LEVELS));
    while level < M {
        match F::LEVELS[level].kind {
            Kind::Indexed { full: true, .. } | Kind::Counted { pointed: true } => return false,
            Kind::Aligned if level < blocks => return false,
            _ => {}
        }
        level += 1;
    }
    F::HOLES
}

pub(super) const fn may_place<F: Tree<N, M>, const N: usize, const M: usize>(sorted: &Option<Sorted>) -> bool {
    let ascending = match sorted {
        None => true,
        Some(sorted) => sorted.unique && sorted.relation.implied + 1 >= sorted.needed,
    };
    ascending && has_blocks::<F, N, M>()
}

pub(super) const fn may_append(sorted: &Option<Sorted>) -> bool {
    sorted.is_none() || must_append(sorted)
}

pub(super) const fn must_append(sorted: &Option<Sorted>) -> bool {
    match sorted {
        None => false,
        Some(sorted) => sorted.relation.implied >= sorted.needed,
    }
}

/// How elements get into storage order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Only their blocks are ordered: the elements are put in their places.
    Place,
    /// They come in that order.
    Append,
    /// They are put into bins, in the order that they come in.
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
    /// For `count` elements with coordinates within `domains`, and so many bytes `allowed`.
    pub(super) fn new<F: Tree<N, M>, const N: usize>(
        domains: &[Domain; M],
        count: usize,
        allowed: u128,
        sorted: &Sorted,
    ) -> Self {
        let kinds = &F::LEVELS.map(|level| level.kind);
        // Where bins start is counted in 32 bits; more elements than that have no bins.
        let countable = u32::try_from(count).is_ok() && !kinds.iter().any(|kind| kind.is_full());
        let affordable = |leading: usize| {
            let bins = Layout::bins(domains, kinds, leading);
            let dense = |kind: &Kind| kind.is_determined() || *kind == Kind::Dense;
            // A dense level has a pointer for each bin anyway.
            let held = kinds[..leading].iter().all(dense) && 8 * bins as u128 <= allowed;
            countable && bins < u32::MAX as usize && (held || bins <= (4 * count).max(1 << 16))
        };
        let depth = block_levels(&F::LEVELS);
        if may_place::<F, N, M>(&Some(*sorted)) {
            let above = depth.saturating_sub(1);
            let marks = (64 * count).clamp(1 << 20, u32::MAX as usize);
            if depth == 0 || (affordable(above) && domains[depth - 1].size <= marks) {
                return Choice {
                    way: Way::Place,
                    layout: Layout::new(*domains, kinds, above, depth),
                    blocks: Some(depth),
                };
            }
        }
        let fits = |leading: usize| {
            let layout = Layout::new(*domains, kinds, leading, M);
            affordable(leading) && layout.bits + layout.bin_bits() <= u64::BITS
        };
        // Bins down to the last chain of entries, so that where they start are its pointers.
        let in_chain = |level: &usize| {
            let copied = matches!(kinds[*level], Kind::Indexed { copied: true, .. });
            level + 1 == depth || copied || kinds[*level].is_determined()
        };
        let chain = (0..depth).rev().take_while(in_chain).last().unwrap_or(0);
        let leading = (0..=chain).rev().find(|&leading| fits(leading)).unwrap_or(0);
        let Sorted { relation, needed, .. } = *sorted;
        let (way, leading) = if relation.implied >= needed {
            (Way::Append, leading)
        } else if relation.sorted < M && fits(relation.sorted) {
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
