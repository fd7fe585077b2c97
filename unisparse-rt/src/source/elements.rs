//! Iterates over the elements of any format.

use core::ops::Range;

use super::Source;
use crate::array::{IndexArray, first_where};
use crate::element::Stored;
use crate::format::{Kind, Level, LevelArrays, Tree, below_invariant};

/// The position of the iteration on one level.
#[derive(Clone, Copy, Default)]
struct Cursor {
    /// The first position below the parent.
    start: usize,
    position: usize,
    end: usize,
    coordinate: i64,
}

/// The elements of a tensor in storage order, without holes.
///
/// A step takes `O(levels)` and also visits holes; `Source::for_each` is the compiled traversal.
pub struct Elements<'a, F: Tree<N, M>, const N: usize, const M: usize> {
    tensor: &'a F,
    arrays: [LevelArrays<'a>; M],
    domains: [crate::array::Domain; M],
    given: [i64; M],
    cursors: [Cursor; M],
    /// The least and the greatest coordinate to visit on each level, where only some are visited.
    bounds: [Option<[i64; 2]>; M],
    /// Number of levels visited: all levels, or the levels above a cut.
    depth: usize,
    /// Whether the first position has been visited.
    started: bool,
    done: bool,
}

impl<'a, F: Tree<N, M>, const N: usize, const M: usize> Elements<'a, F, N, M> {
    /// Iterates over all elements of `tensor`.
    #[must_use]
    pub fn new(tensor: &'a F) -> Self {
        let elements = Self::to_depth(tensor, M);
        // Without values there is nothing to visit, however many positions the levels above have.
        let done = elements.done || tensor.stored() == 0;
        Elements { done, ..elements }
    }

    /// Iterates over no elements.
    pub(super) fn none(tensor: &'a F) -> Self {
        let elements = Self::to_depth(tensor, M);
        Elements { done: true, ..elements }
    }

    /// Leaves out what is outside the bounds of some levels.
    #[must_use]
    pub(crate) fn between(self, bounds: [Option<[i64; 2]>; M]) -> Self {
        Elements { bounds, ..self }
    }

    /// Iterates over the first `depth` levels only.
    pub(crate) fn to_depth(tensor: &'a F, depth: usize) -> Self {
        let domains = F::domains(tensor.shape(), &tensor.sizes());
        let done = domains.is_err();
        let none = crate::array::Domain { lo: 0, size: 0 };
        Elements {
            tensor,
            arrays: tensor.arrays(),
            domains: domains.unwrap_or([none; M]),
            given: tensor.given(),
            cursors: [Cursor::default(); M],
            bounds: [None; M],
            depth,
            started: false,
            done,
        }
    }

    /// Moves the cursor of `level` to its first position below the parent. Returns false if there is none.
    fn enter(&mut self, level: usize) -> bool {
        let parent = if level == 0 {
            0
        } else {
            self.cursors[level - 1].position
        };
        let root = is_root(&F::LEVELS, level);
        let size = self.domains[level].size;
        let (start, end) = match (F::LEVELS[level].kind, self.arrays[level].ptr) {
            (Kind::Fixed | Kind::Given | Kind::Aligned, _) => (parent, parent + 1),
            (Kind::Dense, _) | (Kind::Counted { .. }, None) => (parent * size, parent * size + size),
            (_, Some(ptr)) => (ptr.at(parent) as usize, ptr.at(parent + 1) as usize),
            (_, None) if root => (0, self.arrays[level].idx.map_or(0, IndexArray::len)),
            (_, None) => (parent, parent + 1),
        };
        self.cursors[level] = Cursor {
            start,
            position: start,
            end,
            coordinate: 0,
        };
        if let Some(bounds) = self.bounds[level] {
            self.narrow(level, bounds);
        }
        self.read(level)
    }

    /// Leaves out the positions below the parent whose coordinates are outside the bounds, if these are ordered.
    fn narrow(&mut self, level: usize, bounds: [i64; 2]) {
        let Cursor { start, end, .. } = self.cursors[level];
        let lowest = match F::LEVELS[level].kind {
            Kind::Dense => self.domains[level].lo,
            Kind::Given => self.given[level],
            _ => 0,
        };
        let within = narrowed(
            &F::LEVELS,
            &self.arrays,
            &self.bounds,
            (level, start..end, lowest, bounds),
        );
        (self.cursors[level].position, self.cursors[level].end) = (within.start, within.end);
    }

    /// Reads the coordinate at the cursor of `level`. Returns false past its end.
    fn read(&mut self, level: usize) -> bool {
        let cursor = self.cursors[level];
        if cursor.position >= cursor.end {
            return false;
        }
        self.cursors[level].coordinate = match F::LEVELS[level].kind {
            Kind::Fixed => 0,
            Kind::Given => self.given[level],
            Kind::Dense => self.domains[level].lo + (cursor.position - cursor.start) as i64,
            Kind::Counted { .. } => (cursor.position - cursor.start) as i64,
            Kind::Indexed { .. } | Kind::Aligned => {
                let position = self.invariant_position(level).unwrap_or(cursor.position);
                self.arrays[level].idx.map_or(0, |idx| idx.at(position))
            }
        };
        true
    }

    /// Returns the current position in the `idx` array of a level that is invariant over some levels above.
    pub(crate) fn invariant_position(&self, level: usize) -> Option<usize> {
        let first = F::LEVELS[level].invariant_from()?;
        let mut position = match first {
            0 => 0,
            _ => self.cursors[first - 1].position,
        };
        for below in below_invariant(&F::LEVELS, level) {
            let cursor = self.cursors[below];
            position = position * self.domains[below].size + (cursor.position - cursor.start);
        }
        Some(position)
    }

    /// Moves to the next position of the last level. Returns false past the end.
    fn advance(&mut self) -> bool {
        let mut level = if self.started {
            let mut level = self.depth;
            // Ascend to the lowest level that has a next position.
            loop {
                if level == 0 {
                    return false;
                }
                level -= 1;
                self.cursors[level].position += 1;
                if self.read(level) {
                    break level + 1;
                }
            }
        } else {
            self.started = true;
            0
        };
        // Descend again, advancing past nodes without children.
        while level < self.depth {
            if self.enter(level) {
                level += 1;
                continue;
            }
            loop {
                if level == 0 {
                    return false;
                }
                level -= 1;
                self.cursors[level].position += 1;
                if self.read(level) {
                    break;
                }
            }
            level += 1;
        }
        true
    }

    /// Returns the next position, its level coordinates, and its logical coordinate, which is `None` if the position
    /// represents no coordinate inside the shape.
    pub(crate) fn next_position(&mut self) -> Option<(usize, [i64; M], Option<[usize; N]>)> {
        if self.done || !self.advance() {
            self.done = true;
            return None;
        }
        let coordinates = self.cursors.map(|cursor| cursor.coordinate);
        Some((
            self.cursors[M - 1].position,
            coordinates,
            F::decode(self.tensor.shape(), &coordinates),
        ))
    }

    /// Returns the coordinates of the next position of the last level visited.
    pub(crate) fn next_node(&mut self) -> Option<[i64; M]> {
        self.done |= self.done || !self.advance();
        (!self.done).then(|| self.cursors.map(|cursor| cursor.coordinate))
    }

    /// Returns the current position on each level.
    pub(crate) fn path(&self) -> [usize; M] {
        self.cursors.map(|cursor| cursor.position)
    }
}

impl<F: Tree<N, M>, const N: usize, const M: usize> Iterator for Elements<'_, F, N, M> {
    type Item = ([usize; N], F::Scalar);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (position, _, coordinate) = self.next_position()?;
            let value = self.tensor.value(position);
            if let Some(coordinate) = coordinate {
                if !F::HOLES || !value.reads_zero() {
                    return Some((coordinate, value));
                }
            }
        }
    }
}

/// Returns whether no level above `level` has positions of its own.
const fn is_root(levels: &[Level], level: usize) -> bool {
    let mut above = 0;
    while above < level {
        if !levels[above].kind.is_determined() {
            return false;
        }
        above += 1;
    }
    true
}

/// Returns the range of the positions of a level below a parent whose coordinates are within its bounds, if these are ordered.
///
/// The coordinate at the first position is `lowest`, unless there is an `idx` array.
fn narrowed(
    levels: &[Level],
    arrays: &[LevelArrays],
    bounds: &[Option<[i64; 2]>],
    (level, positions, lowest, [least, greatest]): (usize, Range<usize>, i64, [i64; 2]),
) -> Range<usize> {
    let Range { start, end } = positions;
    let from = |coordinate: i128| {
        let position = start as i128 + coordinate - i128::from(lowest);
        position.clamp(start as i128, end as i128) as usize
    };
    match (levels[level].kind, arrays[level].idx) {
        (Kind::Dense | Kind::Counted { .. }, _) => from(least.into())..from(i128::from(greatest) + 1),
        (Kind::Indexed { .. }, Some(idx)) if levels[level].invariant_from().is_none() => {
            let positions = between(idx, start..end, [least, greatest]);
            narrowed_chain(levels, arrays, bounds, (level, positions))
        }
        (Kind::Given, _) if !(least..=greatest).contains(&lowest) => end..end,
        _ => start..end,
    }
}

/// Narrows positions of a level further: while it has one coordinate there, the entries of the next level of a chain ascend
/// beside it.
fn narrowed_chain(
    levels: &[Level],
    arrays: &[LevelArrays],
    bounds: &[Option<[i64; 2]>],
    (mut level, mut positions): (usize, Range<usize>),
) -> Range<usize> {
    loop {
        let has_one = bounds[level].is_some_and(|[least, greatest]| least == greatest);
        let next = levels.get(level + 1).filter(|next| {
            matches!(next.kind, Kind::Indexed { pointed: false, .. }) && next.invariant_from().is_none()
        });
        level += 1;
        let Some((bounds, idx)) = next.and_then(|_| bounds[level].zip(arrays[level].idx)) else {
            return positions;
        };
        if !has_one {
            return positions;
        }
        positions = between(idx, positions, bounds);
    }
}

/// Returns those of ascending entries that are from the least to the greatest.
fn between(idx: &dyn IndexArray, positions: Range<usize>, [least, greatest]: [i64; 2]) -> Range<usize> {
    let start = first_where(positions.clone(), |position| idx.at(position) >= least);
    start..first_where(start..positions.end, |position| idx.at(position) > greatest)
}

/// Returns whether two tensors of one format are equal: equal shapes, and equal values at equal coordinates.
///
/// Queries count an explicit zero where elements below it may be holes, so that the place of other elements depends on it; it reads as
/// no element nevertheless. `O(n)`; in formats with queries and holes, tensors that are not found equal in their order are compared as
/// sorted lists, in `O(n log n)` and the memory of both.
pub fn equal<F: Tree<N, M> + Source<N, Scalar = <F as Tree<N, M>>::Scalar>, const N: usize, const M: usize>(
    left: &F,
    right: &F,
) -> bool {
    Tree::shape(left) == Tree::shape(right)
        && (Elements::new(left).eq(Elements::new(right))
            || (F::HOLES && F::QUERIES > 0 && same_elements::<F, N>(left, right)))
}

/// Returns the elements of a source, sorted by coordinate.
fn sorted<S: Source<N>, const N: usize>(source: &S) -> Vec<([usize; N], S::Scalar)> {
    let mut elements = Vec::with_capacity(if S::IS_CHECKED { source.count() } else { 0 });
    source.for_each(|coordinate, value| elements.push((coordinate, value)));
    if !elements.is_sorted_by_key(|&(coordinate, _)| coordinate) {
        elements.sort_unstable_by_key(|&(coordinate, _)| coordinate);
    }
    elements
}

/// Returns whether two tensors have equal shapes and equal values at equal coordinates, whatever the order of their
/// elements.
pub fn same_elements<S: Source<N>, const N: usize>(left: &S, right: &S) -> bool {
    left.shape() == right.shape() && sorted(left) == sorted(right)
}
