//! What is known of the order of elements, as a relation to the order of a format.

use super::depths::{block_levels, has_blocks, needed, ordered_levels, target};
use crate::format::order::{Relation, relate, relate_dims};
use crate::format::{Encoding, Order, Storage, Tree};
use crate::source::Source;

/// The dims in logical order.
const DIMS: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// What is known of the order of the elements of a source; they need not be sorted.
#[derive(Clone, Copy)]
pub struct Sorted {
    /// How this order relates to the order of the `needed` levels.
    pub(crate) relation: Relation,
    /// Number of leading levels that must be ordered. These are all `ordered` ones, except in a format of blocks without a counted
    /// level, if no coordinate occurs twice: there, only the levels that determine the block.
    pub(super) needed: usize,
    /// Number of levels down to the last that has coordinates of its own.
    pub(super) ordered: usize,
    /// Whether the elements can be written to their places by block.
    pub(super) placed: bool,
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

    /// Creates the lexicographic order of these dims; no dims mean that the order is unknown.
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
}
