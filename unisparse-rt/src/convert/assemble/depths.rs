//! How many leading levels have to be sorted, binned or marked, from the storage of a format.

use crate::format::{Encoded, Encoding, Kind, LevelStorage, Storage, Tree};

/// Returns a format's encoding as declared, and its storage.
pub(super) const fn target<F: Tree<N, M>, const N: usize, const M: usize>() -> (&'static Encoding, &'static Storage) {
    (&<F as Encoded>::ENCODINGS[0], &<F as Encoded>::STORAGE[0])
}

/// Returns the number of leading levels that must be ordered, unless elements are written to their places.
///
/// The order within blocks does not matter, except that the coordinates of a counted level are numbered in order.
pub(super) const fn needed(storage: &Storage, unique: bool) -> usize {
    if unique && has_blocks(storage) && !has_counted(storage.levels) {
        block_levels(storage.levels)
    } else {
        ordered_levels(storage.levels)
    }
}

/// Returns the number of levels down to the last with coordinates of its own.
///
/// These determine the others, so that elements which differ at all differ in these.
pub(super) const fn ordered_levels(levels: &[LevelStorage]) -> usize {
    let mut depth = levels.len();
    while depth > 0 && levels[depth - 1].kind.is_determined() {
        depth -= 1;
    }
    depth
}

/// Returns the number of levels that determine the block of a value: those down to the last with entries.
pub(crate) const fn block_levels(levels: &[LevelStorage]) -> usize {
    let mut depth = levels.len();
    while depth > 0 && !matches!(levels[depth - 1].kind, Kind::Indexed { .. }) {
        depth -= 1;
    }
    depth
}

/// Returns whether a level is counted below each of its parents.
pub(super) const fn has_counted(levels: &[LevelStorage]) -> bool {
    let mut level = 0;
    while level < levels.len() {
        if matches!(levels[level].kind, Kind::Counted { pointed: true }) {
            return true;
        }
        level += 1;
    }
    false
}

/// Returns whether values lie in blocks, where the order of the blocks determines the position of each value.
///
/// At most one level inside the blocks may be counted: its `ptr` array determines the positions, too.
pub(super) const fn has_blocks(storage: &Storage) -> bool {
    let (mut level, blocks, mut counted) = (0, block_levels(storage.levels), 0);
    while level < storage.levels.len() {
        match storage.levels[level].kind {
            Kind::Indexed { full: true, .. } => return false,
            Kind::Counted { pointed: true } => counted += 1,
            Kind::Aligned if level < blocks || leaves_out(&storage.levels[level], blocks) => return false,
            _ => {}
        }
        if counted > 0 && (counted > 1 || level < blocks) {
            return false;
        }
        level += 1;
    }
    storage.holes
}

/// Returns whether the `idx` array of a level leaves out one of the first `depth` levels.
const fn leaves_out(level: &LevelStorage, depth: usize) -> bool {
    matches!(level.invariant_over, [first, ..] if *first < depth)
}

/// Returns the number of leading levels to make bins of where the sizes permit any.
///
/// These are the levels above the last chain of entries, or above the last level if that is counted, so that the bin starts are
/// the pointers of that chain.
pub(crate) const fn binned_levels(levels: &[LevelStorage]) -> usize {
    let ordered = ordered_levels(levels);
    if ordered > 0 && matches!(levels[ordered - 1].kind, Kind::Counted { pointed: true }) {
        return ordered - 1;
    }
    // The last level with entries, then the levels above it that its chain holds.
    let mut first = block_levels(levels).saturating_sub(1);
    while first > 0 {
        let kind = levels[first - 1].kind;
        if !matches!(kind, Kind::Indexed { copied: true, .. }) && !kind.is_determined() {
            break;
        }
        first -= 1;
    }
    first
}
