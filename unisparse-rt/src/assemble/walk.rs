//! The groups of elements that are nodes of the tree, in order, with the positions of their parents.

use core::ops::Range;

use super::layout::Key;
use super::levels::Levels;
use super::sequence::{bins, each_key};
use crate::level::Tree;

/// Elements that are equal in some leading levels.
pub(super) struct Group {
    /// The bin of the first of them.
    pub(super) bin: usize,
    pub(super) elements: Range<usize>,
    /// The position, at the level built last, that they are at or below.
    pub(super) position: usize,
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Levels<F, N, M> {
    /// Visits the groups of elements that are equal in the first `depth` levels, at least as many as are built.
    pub(super) fn walk(&self, depth: usize, visit: impl FnMut(Group)) {
        each_key!(&self.keys, keys => self.walk_keys(keys, depth, visit));
    }

    fn walk_keys<K: Key>(&self, keys: &[K], depth: usize, mut visit: impl FnMut(Group)) {
        debug_assert!(depth >= self.built);
        let layout = &self.layout;
        let mut positions = Positions::new(self, keys);
        let mut emit = |bin: usize, elements: Range<usize>| {
            let position = positions.of(bin, elements.start);
            visit(Group {
                bin,
                elements,
                position,
            });
        };
        let filled = bins(&self.starts, keys.len()).filter(|(_, range)| !range.is_empty());
        if let Some(below) = layout.bins_within(depth) {
            let mut group: Option<(usize, Range<usize>)> = None;
            for (bin, range) in filled {
                match &mut group {
                    Some((first, elements)) if are_within(below, *first, bin) => elements.end = range.end,
                    _ => {
                        if let Some((first, elements)) = group.replace((bin, range)) {
                            emit(first, elements);
                        }
                    }
                }
            }
            if let Some((first, elements)) = group {
                emit(first, elements);
            }
            return;
        }
        let shift = layout.shift_after(depth);
        for (bin, range) in filled {
            let mut start = range.start;
            for element in range.start + 1..range.end {
                if keys[element].differs(keys[element - 1], shift) {
                    emit(bin, start..element);
                    start = element;
                }
            }
            emit(bin, start..range.end);
        }
    }

    /// How many groups there are of elements that are equal in the first `depth` levels.
    pub(super) fn groups(&self, depth: usize) -> usize {
        if self.tells_elements(depth) {
            return self.len();
        }
        let mut count = 0;
        self.walk(depth, |_| count += 1);
        count
    }

    /// Whether no two elements are equal in the first `depth` levels.
    pub(super) fn tells_elements(&self, depth: usize) -> bool {
        let layout = &self.layout;
        match layout.bins_within(depth) {
            Some(below) => below == 1 && layout.bits == layout.aligned_bits,
            None => layout.shift_after(depth) == layout.aligned_bits,
        }
    }

    /// The coordinate of the elements of a group at one of the levels that they are equal in, less the lowest.
    pub(super) fn offset_of(&self, group: &Group, level: usize) -> usize {
        each_key!(&self.keys, keys => self.layout.offset(group.bin, keys[group.elements.start], level))
    }
}

/// Whether two bins are the same, of those that so many are taken as one of.
#[inline]
fn are_within(below: usize, left: usize, right: usize) -> bool {
    // A division takes longer than all else.
    left == right || below > 1 && left / below == right / below
}

/// The positions of elements at the level built last, as one goes through them in order.
struct Positions<'a, F: Tree<N, M>, K, const N: usize, const M: usize> {
    levels: &'a Levels<F, N, M>,
    keys: &'a [K],
    /// The bin and the element seen last.
    last: Option<(usize, usize)>,
    /// The number of its group at the anchor, and its position.
    group: usize,
    position: usize,
}

impl<'a, F: Tree<N, M>, K: Key, const N: usize, const M: usize> Positions<'a, F, K, N, M> {
    fn new(levels: &'a Levels<F, N, M>, keys: &'a [K]) -> Self {
        Positions {
            levels,
            keys,
            last: None,
            group: 0,
            position: 0,
        }
    }

    /// Whether an element differs from the one seen last in the first `depth` levels.
    #[inline]
    fn is_new(&self, depth: usize, bin: usize, element: usize) -> bool {
        let Some((last_bin, last)) = self.last else { return true };
        let layout = &self.levels.layout;
        match layout.bins_within(depth) {
            Some(below) => !are_within(below, last_bin, bin),
            None => last_bin != bin || self.keys[element].differs(self.keys[last], layout.shift_after(depth)),
        }
    }

    #[inline]
    fn of(&mut self, bin: usize, element: usize) -> usize {
        let levels = self.levels;
        if self.is_new(levels.built, bin, element) {
            let mut position = 0;
            let anchored = levels.anchor.map_or(0, |level| level + 1);
            if anchored > 0 {
                if self.last.is_some() && self.is_new(anchored, bin, element) {
                    self.group += 1;
                }
                position = match &levels.positions {
                    None => self.group,
                    Some(positions) => positions[self.group],
                };
            }
            for level in anchored..levels.built {
                if !F::LEVELS[level].kind.is_determined() {
                    let offset = levels.layout.offset(bin, self.keys[element], level);
                    position = position * levels.layout.domains[level].size + offset;
                }
            }
            self.position = position;
        }
        self.last = Some((bin, element));
        self.position
    }
}
