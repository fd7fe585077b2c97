//! Index of the fibers of a sparse output: where they start, and their coordinates.

use core::mem;

use crate::element::Index;
use crate::machine::pages;

/// Fibers are numbered while there are at most this many coordinates for each fiber with elements, plus [`FEW`].
const NUMBERS: usize = 4;
/// Number of coordinates that this bound allows in addition.
const FEW: usize = 64;

/// First element of each fiber, and all of its coordinates but the last.
///
/// Where one coordinate determines a fiber, and enough of these coordinates have elements, fibers are numbered: there is a
/// start for each coordinate, and coordinates are not stored.
#[derive(Debug)]
pub(super) struct FiberIndex<const N: usize, I> {
    pub(super) starts: Vec<u32>,
    /// One array for each level but the last, whose array is empty. All are empty if fibers are numbered.
    pub(super) coordinates: [Vec<I>; N],
    numbered: bool,
    /// Coordinate of the first start, if fibers are numbered.
    first: usize,
    /// Number of fibers with elements.
    fibers: usize,
}

impl<const N: usize, I: Index> FiberIndex<N, I> {
    pub(super) fn new() -> Self {
        FiberIndex {
            starts: Vec::new(),
            coordinates: core::array::from_fn(|_| Vec::new()),
            numbered: N == 2,
            first: 0,
            fibers: 0,
        }
    }

    /// Reserves memory for this many fibers, if it can be allocated.
    pub(super) fn expect(&mut self, fibers: usize) {
        pages::expect(&mut self.starts, fibers + 1);
        if !self.numbered {
            for coordinates in self.coordinates.iter_mut().take(N - 1) {
                pages::expect(coordinates, fibers);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fibers == 0
    }

    /// Returns the coordinates of the first fiber, if there is one.
    fn first(&self) -> [usize; N] {
        core::array::from_fn(|level| match self.coordinates[level].first() {
            Some(&coordinate) => coordinate.to_usize(),
            None => self.first,
        })
    }

    /// Starts a fiber, which comes after all fibers before it, at the element number `elements`.
    ///
    /// If that number does not fit, the output is rejected when it is finished.
    #[inline]
    pub(super) fn start(&mut self, coordinate: [usize; N], elements: usize) {
        let starts = self.starts.len();
        let is_next = self.numbered && coordinate[0].wrapping_sub(self.first) == starts;
        if !is_next || starts == self.starts.capacity() {
            self.make_room(coordinate, elements, is_next);
        }
        self.starts.push(elements as u32);
        self.fibers += 1;
    }

    /// Makes room for a start, which may not be at the next coordinate.
    #[inline(never)]
    fn make_room(&mut self, coordinate: [usize; N], elements: usize, is_next: bool) {
        if !is_next {
            self.prepare(coordinate, elements);
        }
        pages::reserve(&mut self.starts, 1);
    }

    /// Prepares for a start that is not at the next coordinate.
    fn prepare(&mut self, coordinate: [usize; N], elements: usize) {
        if self.numbered && self.is_empty() {
            self.first = coordinate[0];
        } else if self.numbered && self.reaches(coordinate[0], self.fibers) {
            self.starts.resize(coordinate[0] - self.first, elements as u32);
        } else {
            self.list(elements);
            for (coordinates, coordinate) in self.coordinates.iter_mut().zip(coordinate).take(N - 1) {
                pages::reserve(coordinates, 1);
                coordinates.push(I::truncated(coordinate));
            }
        }
    }

    /// Returns whether fibers may be numbered from the first start to before `number`, where `fibers` have elements.
    fn reaches(&self, number: usize, fibers: usize) -> bool {
        let numbers = number.checked_sub(self.first);
        numbers.is_some_and(|numbers| (self.starts.len()..=NUMBERS * fibers + FEW).contains(&numbers))
    }

    /// Numbers the fibers `0..extent` if enough of them have elements, or else lists them; returns whether it numbered them.
    ///
    /// `elements` is the number of elements of all fibers.
    pub(super) fn number(&mut self, extent: usize, elements: usize) -> bool {
        let first = self.first;
        if self.numbered && first <= NUMBERS * self.fibers + FEW && self.reaches(extent, self.fibers) {
            self.starts.resize(extent - first, elements as u32);
            self.starts.splice(0..0, core::iter::repeat_n(0, first));
            self.first = 0;
        } else {
            self.list(elements);
        }
        self.numbered
    }

    /// Lists the coordinates of the fibers that have elements, and drops the other fibers.
    ///
    /// `elements` is the number of elements of all fibers.
    pub(super) fn list(&mut self, elements: usize) {
        if !mem::take(&mut self.numbered) {
            return;
        }
        let ends = self.starts.iter().skip(1).copied().chain([elements as u32]);
        let kept = self.starts.iter().zip(ends).zip(self.first..);
        let kept = kept
            .filter(|((start, end), _)| *start != end)
            .map(|((&start, _), at)| (start, I::truncated(at)));
        (self.starts, self.coordinates[0]) = kept.unzip();
    }

    /// Appends the fibers of `after`, the first of which may continue the last fiber here.
    ///
    /// `elements` are the numbers of elements here and in `after`.
    pub(super) fn append(&mut self, mut after: Self, elements: [usize; 2]) {
        let [before, count] = elements;
        let first = after.first();
        let goes_on = !self.is_empty() && self.is_last(first);
        let fibers = self.fibers + after.fibers - usize::from(goes_on);
        if !self.is_empty() && !(self.numbered && after.numbered && (goes_on || self.reaches(first[0], fibers))) {
            self.list(before);
            after.list(count);
        }
        let new = usize::from(goes_on);
        if self.is_empty() {
            (self.first, self.numbered) = (after.first, after.numbered);
        } else if self.numbered && !goes_on {
            self.starts.resize(first[0] - self.first, before as u32);
        }
        self.starts.extend(
            after.starts[new..]
                .iter()
                .map(|start| start.wrapping_add(before as u32)),
        );
        for (coordinates, appended) in self.coordinates.iter_mut().zip(&after.coordinates) {
            coordinates.extend(appended.iter().skip(new));
        }
        self.fibers = fibers;
    }

    /// Returns whether the last fiber has these coordinates.
    fn is_last(&self, coordinate: [usize; N]) -> bool {
        if self.numbered {
            return coordinate[0].wrapping_sub(self.first).wrapping_add(1) == self.starts.len();
        }
        let mut last = self.coordinates.iter().zip(coordinate).take(N - 1);
        last.all(|(coordinates, at)| coordinates.last() == Some(&I::truncated(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fibers_are_numbered_or_listed(
            // The distance to the fiber before, the number of elements, and whether another piece starts in this fiber.
            fibers in prop::collection::vec((prop_oneof![9 => 1..4usize, 1 => 1..300usize], 1..4usize, any::<bool>()), 0..60),
            cuts in any::<bool>(),
            after in prop_oneof![1..5usize, 1..5000usize],
        ) {
            let (mut pieces, mut piece, mut count) = (Vec::new(), FiberIndex::<2, u32>::new(), 0);
            let (mut at, mut elements, mut expected) = (0, 0, (Vec::new(), Vec::new()));
            for (distance, length, cut) in fibers {
                at += distance - usize::from(elements == 0);
                expected.0.push(elements as u32);
                expected.1.push(at as u32);
                piece.start([at, 7], count);
                (elements, count) = (elements + length, count + length);
                if cuts && cut {
                    pieces.push((mem::replace(&mut piece, FiberIndex::new()), mem::take(&mut count)));
                    piece.start([at, 9], 0);
                    (elements, count) = (elements + 1, 1);
                }
            }
            pieces.push((piece, count));
            let joined = || {
                let (mut all, mut before) = (FiberIndex::new(), 0);
                for (piece, count) in pieces.iter().filter(|(_, count)| *count > 0) {
                    let FiberIndex { starts, coordinates, .. } = piece;
                    let (starts, coordinates) = (starts.clone(), coordinates.clone());
                    all.append(FiberIndex { starts, coordinates, ..*piece }, [before, *count]);
                    before += count;
                }
                all
            };
            let mut listed = joined();
            listed.list(elements);
            prop_assert_eq!((&listed.starts, &listed.coordinates[0]), (&expected.0, &expected.1));
            let (mut numbered, extent) = (joined(), at + after);
            if numbered.number(extent, elements) {
                prop_assert!(extent <= 2 * (NUMBERS * expected.0.len() + FEW));
                prop_assert_eq!(numbered.starts.len(), extent);
                numbered.list(elements);
            }
            prop_assert_eq!((numbered.starts, &numbered.coordinates[0]), (expected.0, &expected.1));
        }
    }
}
