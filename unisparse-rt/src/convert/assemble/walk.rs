//! Traversal of the groups of elements that are nodes of the tree, in order, with the positions of their parents.

use core::ops::Range;

use super::keys::Key;
use super::layout::{Layout, LevelBits};
use super::levels::Levels;
use super::sequence::{bins, each_key};

/// Elements with equal coordinates in some leading levels.
pub(super) struct Group {
    /// Bin of the first element.
    pub(super) bin: usize,
    pub(super) elements: Range<usize>,
    /// Position, at the level built last, of the elements or of their ancestor.
    pub(super) position: usize,
}

impl Levels {
    /// Visits the groups of elements that are equal in the first `depth` levels, at least the levels built so far.
    ///
    /// It is compiled for each `visit`: see [`walk_dyn`](Levels::walk_dyn).
    pub(super) fn walk(&self, depth: usize, visit: impl FnMut(Group)) {
        each_key!(&self.keys, keys => self.walk_keys(keys, depth, visit));
    }

    /// As [`walk`](Levels::walk), for visits that are rare: compiled once.
    pub(super) fn walk_dyn(&self, depth: usize, visit: &mut dyn FnMut(Group)) {
        self.walk(depth, visit);
    }

    fn walk_keys<K: Key>(&self, keys: &[K], depth: usize, mut visit: impl FnMut(Group)) {
        debug_assert!(depth >= self.built);
        let layout = &self.layout;
        let mut positions = Positions::new(self, keys, depth);
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

    /// Returns the number of groups of elements that are equal in the first `depth` levels.
    pub(super) fn groups(&self, depth: usize) -> usize {
        if self.separates_elements(depth) {
            return self.len();
        }
        let mut count = 0;
        self.walk_dyn(depth, &mut |_| count += 1);
        count
    }

    /// Returns whether no two elements are equal in the first `depth` levels.
    pub(super) fn separates_elements(&self, depth: usize) -> bool {
        let layout = &self.layout;
        match layout.bins_within(depth) {
            Some(below) => below == 1 && layout.bits == layout.aligned_bits,
            None => layout.shift_after(depth) == layout.aligned_bits,
        }
    }

    /// Returns the coordinate of a group at a level that its elements are equal in, minus the lowest.
    pub(super) fn offset_of(&self, group: &Group, level: usize) -> usize {
        each_key!(&self.keys, keys => self.layout.levels[level].offset(group.bin, keys[group.elements.start]))
    }
}

/// Returns whether two bins are in the same run of `below` bins.
#[inline]
fn are_within(below: usize, left: usize, right: usize) -> bool {
    // A division takes longer than everything else.
    left == right || below > 1 && left / below == right / below
}

/// Criterion that separates elements which differ in some leading levels.
#[derive(Clone, Copy)]
enum Border {
    /// The bins differ, where each run of this many bins counts as one.
    Bins(usize),
    /// The bins differ, or the keys differ in this bit or above.
    Bits(u32),
}

impl Border {
    /// Returns the border after the first `depth` levels.
    fn after(depth: usize, layout: &Layout) -> Self {
        match layout.bins_within(depth) {
            Some(below) => Border::Bins(below),
            None => Border::Bits(layout.shift_after(depth)),
        }
    }

    #[inline(always)]
    fn is_between<K: Key>(self, (bin, key): (usize, K), (next_bin, next): (usize, K)) -> bool {
        match self {
            Border::Bins(below) => !are_within(below, bin, next_bin),
            Border::Bits(shift) => bin != next_bin || next.differs(key, shift),
        }
    }
}

/// Coordinate of an element at a level, or at several adjacent levels combined into one number.
#[derive(Clone, Copy)]
struct Field {
    /// Stride of a level in the bin number; 0 if the level is in the key.
    stride: usize,
    shift: u32,
    width: u32,
    /// Number of positions below each parent.
    size: usize,
}

impl Field {
    /// Returns the fields of these levels.
    fn of(levels: impl Iterator<Item = usize>, layout: &Layout) -> Vec<Self> {
        let mut fields: Vec<Field> = Vec::new();
        for level in levels {
            let LevelBits {
                stride, shift, width, ..
            } = layout.levels[level];
            let size = layout.levels[level].domain.size;
            match fields.last_mut() {
                // The bits of both levels already form the number of a position.
                Some(above) if stride == 0 && above.shift == shift + width && size.checked_shr(width) == Some(1) => {
                    (above.shift, above.width) = (shift, above.width + width);
                    // This overflows only where there is no element.
                    above.size = above.size.wrapping_mul(size);
                }
                _ => fields.push(Field {
                    stride,
                    shift,
                    width,
                    size,
                }),
            }
        }
        fields
    }

    #[inline(always)]
    fn offset<K: Key>(self, bin: usize, key: K) -> usize {
        match self.stride {
            0 => key.field(self.shift, self.width) as usize,
            stride => bin / stride % self.size,
        }
    }
}

/// Positions of elements at the level built last, computed in one pass over the elements in order.
struct Positions<'a, K> {
    keys: &'a [K],
    /// Border between elements of two positions, or `None` if each group has a position of its own.
    own: Option<Border>,
    /// Border between elements of two groups at the anchor.
    anchor: Border,
    /// Position of each group at the anchor, `Some(None)` if they are numbered in order; `None` without an anchor.
    groups: Option<&'a Option<Vec<usize>>>,
    /// Coordinates that determine the position below a group at the anchor.
    fields: Vec<Field>,
    /// Bin and key of the element visited last.
    last: Option<(usize, K)>,
    /// Number of its group at the anchor.
    group: usize,
    /// Position of that group.
    first: usize,
    /// Position of the element.
    position: usize,
}

impl<'a, K: Key> Positions<'a, K> {
    /// Prepares the positions of groups that are equal in the first `depth` levels.
    fn new(levels: &'a Levels, keys: &'a [K], depth: usize) -> Self {
        let anchored = levels.anchor.map_or(0, |level| level + 1);
        let free = |level: &usize| !levels.table[*level].kind.is_determined();
        let mut positions = Positions {
            keys,
            own: (depth > levels.built).then(|| Border::after(levels.built, &levels.layout)),
            anchor: Border::after(anchored, &levels.layout),
            groups: levels.anchor.map(|_| &levels.positions),
            fields: Field::of((anchored..levels.built).filter(free), &levels.layout),
            last: None,
            group: 0,
            first: 0,
            position: 0,
        };
        positions.enter(0);
        positions
    }

    /// Enters a group at the anchor.
    #[inline(always)]
    fn enter(&mut self, group: usize) {
        self.group = group;
        self.first = match self.groups {
            // The only group is the root.
            None => 0,
            Some(None) => group,
            // There is no group if there are no elements.
            Some(Some(positions)) => positions.get(group).copied().unwrap_or_default(),
        };
    }

    #[inline(always)]
    fn of(&mut self, bin: usize, element: usize) -> usize {
        let this = (bin, self.keys[element]);
        if let Some(last) = self.last {
            if self.own.is_some_and(|own| !own.is_between(last, this)) {
                return self.position;
            }
            if self.anchor.is_between(last, this) {
                self.enter(self.group + 1);
            }
        }
        self.last = Some(this);
        let below = self.fields.iter();
        self.position = below.fold(self.first, |position, field| {
            position * field.size + field.offset(bin, this.1)
        });
        self.position
    }
}
