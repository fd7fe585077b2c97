//! Iterates over the elements of any format.

use super::Source;
use super::walk::{Cursor, Walk};
use crate::array::Domain;
use crate::element::Stored;
use crate::format::{LevelArrays, Tree};

/// The elements of a tensor in storage order, without holes.
///
/// A step takes `O(levels)` and also visits holes; `Source::for_each` is the compiled traversal.
pub struct Elements<'a, F: Tree<N, M>, const N: usize, const M: usize> {
    tensor: &'a F,
    arrays: [LevelArrays<'a>; M],
    domains: [Domain; M],
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
        let none = Domain { lo: 0, size: 0 };
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

    /// Returns where the walk over the levels is.
    #[cfg_attr(optimised, inline(always))]
    fn walk(&mut self) -> Walk<'_, 'a> {
        Walk {
            levels: const { &F::LEVELS },
            arrays: &self.arrays,
            domains: &self.domains,
            given: &self.given,
            bounds: &self.bounds,
            depth: self.depth,
            cursors: &mut self.cursors,
        }
    }

    /// Moves to the next position of the last level. Returns false past the end.
    #[cfg_attr(optimised, inline(always))]
    fn advance(&mut self) -> bool {
        let started = core::mem::replace(&mut self.started, true);
        self.walk().advance(started)
    }

    /// Returns the current coordinate of each level.
    fn coordinates(&self) -> [i64; M] {
        let mut coordinates = [0; M];
        for (coordinate, cursor) in coordinates.iter_mut().zip(&self.cursors) {
            *coordinate = cursor.coordinate;
        }
        coordinates
    }

    /// Returns the current position in the `idx` array of a level that is invariant over some levels above.
    pub(crate) fn invariant_position(&mut self, level: usize) -> Option<usize> {
        self.walk().invariant_position(level)
    }

    /// Returns the next position, its level coordinates, and its logical coordinate, which is `None` if the position
    /// represents no coordinate inside the shape.
    pub(crate) fn next_position(&mut self) -> Option<(usize, [i64; M], Option<[usize; N]>)> {
        if self.done || !self.advance() {
            self.done = true;
            return None;
        }
        let coordinates = self.coordinates();
        Some((
            self.cursors[M - 1].position,
            coordinates,
            F::decode(self.tensor.shape(), &coordinates),
        ))
    }

    /// Returns the coordinates of the next position of the last level visited.
    pub(crate) fn next_node(&mut self) -> Option<[i64; M]> {
        self.done = self.done || !self.advance();
        if self.done { None } else { Some(self.coordinates()) }
    }

    /// Returns the current position on each level.
    pub(crate) fn path(&self) -> [usize; M] {
        let mut positions = [0; M];
        for (position, cursor) in positions.iter_mut().zip(&self.cursors) {
            *position = cursor.position;
        }
        positions
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
        && (are_equal_in_order(left, right) || (F::HOLES && F::QUERIES > 0 && same_elements::<F, N>(left, right)))
}

fn are_equal_in_order<F: Tree<N, M>, const N: usize, const M: usize>(left: &F, right: &F) -> bool {
    let mut right = Elements::new(right);
    for element in Elements::new(left) {
        if right.next() != Some(element) {
            return false;
        }
    }
    right.next().is_none()
}

/// Returns the elements of a source, sorted by coordinate.
fn sorted<S: Source<N>, const N: usize>(source: &S) -> Vec<([usize; N], S::Scalar)> {
    let mut elements = Vec::with_capacity(if S::IS_CHECKED { source.count() } else { 0 });
    source.for_each(|coordinate, value| elements.push((coordinate, value)));
    sort(&mut elements);
    elements
}

/// Sorts elements by coordinate. It does not depend on the source.
fn sort<T, const N: usize>(elements: &mut [([usize; N], T)]) {
    if !elements.is_sorted_by_key(|&(coordinate, _)| coordinate) {
        elements.sort_unstable_by_key(|&(coordinate, _)| coordinate);
    }
}

/// Returns whether two tensors have equal shapes and equal values at equal coordinates, whatever the order of their
/// elements.
pub fn same_elements<S: Source<N>, const N: usize>(left: &S, right: &S) -> bool {
    left.shape() == right.shape() && sorted(left) == sorted(right)
}
