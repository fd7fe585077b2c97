//! Where the fibers of a sparse output start, and their coordinates.

use core::mem;

use crate::{Index, pages};

/// Fibers are told by their number while there are at most so many numbers for each that has elements, and a few more.
const NUMBERS: usize = 4;
const FEW: usize = 64;

/// The first element of each fiber, and all of its coordinates but the last.
///
/// Where one coordinate tells a fiber, and most have elements, there is a start for each coordinate, which need not be stored.
#[derive(Debug)]
pub(super) struct Heads<const N: usize, I> {
    pub(super) starts: Vec<u32>,
    /// One array for each level, the last of which has none. Empty if fibers are numbered.
    pub(super) coordinates: [Vec<I>; N],
    numbered: bool,
    /// The coordinate of the first start, if fibers are numbered.
    first: usize,
    /// How many fibers have elements.
    fibers: usize,
}

impl<const N: usize, I: Index> Heads<N, I> {
    pub(super) fn new() -> Self {
        Heads {
            starts: Vec::new(),
            coordinates: core::array::from_fn(|_| Vec::new()),
            numbered: N == 2,
            first: 0,
            fibers: 0,
        }
    }

    /// Room for so many fibers, if the machine gives that.
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

    /// The coordinates of the first fiber, if there is one.
    fn first(&self) -> [usize; N] {
        core::array::from_fn(|level| match self.coordinates[level].first() {
            Some(&coordinate) => coordinate.to_usize(),
            None => self.first,
        })
    }

    /// A fiber starts here, after as many elements. It comes after all before it. Too many elements for this are refused in
    /// the end.
    #[inline]
    pub(super) fn start(&mut self, coordinate: [usize; N], elements: usize) {
        pages::reserve(&mut self.starts, 1);
        if !self.numbered || coordinate[0].wrapping_sub(self.first) != self.starts.len() {
            self.start_elsewhere(coordinate, elements);
        }
        self.starts.push(elements as u32);
        self.fibers += 1;
    }

    /// What a start needs before it that is not the next number.
    #[inline(never)]
    fn start_elsewhere(&mut self, coordinate: [usize; N], elements: usize) {
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

    /// Whether numbers from the first start to before this one are not too many for so many fibers.
    fn reaches(&self, number: usize, fibers: usize) -> bool {
        let numbers = number.checked_sub(self.first);
        numbers.is_some_and(|numbers| (self.starts.len()..=NUMBERS * fibers + FEW).contains(&numbers))
    }

    /// Has a start for each fiber of `0..extent`, if that is worth it, else lists them; there are so many elements. Which.
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

    /// Lists the coordinates of all fibers that have some of so many elements, and no others.
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

    /// Those of what comes after as many elements. Whether they begin with the fiber that is the last here.
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

    /// Whether the last fiber has these coordinates.
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
            // The distance to the fiber before and how many elements, and whether another piece starts in this fiber.
            fibers in prop::collection::vec((prop_oneof![9 => 1..4usize, 1 => 1..300usize], 1..4usize, any::<bool>()), 0..60),
            cuts in any::<bool>(),
            after in prop_oneof![1..5usize, 1..5000usize],
        ) {
            let (mut pieces, mut piece, mut count) = (Vec::new(), Heads::<2, u32>::new(), 0);
            let (mut at, mut elements, mut expected) = (0, 0, (Vec::new(), Vec::new()));
            for (distance, length, cut) in fibers {
                at += distance - usize::from(elements == 0);
                expected.0.push(elements as u32);
                expected.1.push(at as u32);
                piece.start([at, 7], count);
                (elements, count) = (elements + length, count + length);
                if cuts && cut {
                    pieces.push((mem::replace(&mut piece, Heads::new()), mem::take(&mut count)));
                    piece.start([at, 9], 0);
                    (elements, count) = (elements + 1, 1);
                }
            }
            pieces.push((piece, count));
            let joined = || {
                let (mut all, mut before) = (Heads::new(), 0);
                for (piece, count) in pieces.iter().filter(|(_, count)| *count > 0) {
                    let Heads { starts, coordinates, .. } = piece;
                    let (starts, coordinates) = (starts.clone(), coordinates.clone());
                    all.append(Heads { starts, coordinates, ..*piece }, [before, *count]);
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
