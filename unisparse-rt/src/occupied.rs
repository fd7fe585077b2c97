//! The parents that have entries, where most have none.

use core::ops::Range;

use crate::Index;
use crate::storage::Pointers;

/// How many parents are passed over at a time: a look at two pointers tells that none of them has entries.
const STRIDES: [usize; 3] = [512, 64, 8];

impl<P: Index> Pointers<P> {
    /// Those of `numbers` for which the parent `first + number` has entries, in order.
    ///
    /// # Panics
    /// If there is no such parent.
    #[inline]
    #[must_use]
    pub fn occupied(&self, first: usize, numbers: Range<usize>) -> Occupied<'_, P> {
        let starts = if numbers.is_empty() {
            &[]
        } else {
            &self[first + numbers.start..=first + numbers.end]
        };
        Occupied {
            starts,
            at: 0,
            number: numbers.start,
        }
    }
}

/// What [`Pointers::occupied`] gives.
#[derive(Debug, Clone)]
pub struct Occupied<'a, P> {
    /// Where the entries of each parent start, and the end; empty without parents.
    starts: &'a [P],
    at: usize,
    /// The number of the first of them.
    number: usize,
}

impl<P: Index> Iterator for Occupied<'_, P> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let start = *self.starts.get(self.at)?;
        let is_start = |place: usize| self.starts.get(place) == Some(&start);
        let mut at = self.at;
        if is_start(at + 1) {
            for stride in STRIDES {
                while is_start(at + stride) {
                    at += stride;
                }
            }
            while is_start(at + 1) {
                at += 1;
            }
        }
        self.at = at + 1;
        (self.at < self.starts.len()).then(|| self.number + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn those_with_entries_are_found(
            runs in proptest::collection::vec((0usize..700, 1u32..4), 0..6),
            (first, from, to) in (0usize..50, 0usize..900, 0usize..900),
        ) {
            let mut starts = vec![0u32; 1];
            for (empty, entries) in runs {
                let last = starts[starts.len() - 1];
                starts.extend(std::iter::repeat_n(last, empty));
                starts.push(last + entries);
            }
            let pointers = Pointers::try_new("parent", starts).unwrap();
            let parents = pointers.len() - 1;
            let first = first.min(parents);
            let (from, to) = (from.min(parents - first), to.min(parents - first));
            let expected = (from..to).filter(|number| !pointers.range(first + number).is_empty());
            prop_assert!(pointers.occupied(first, from..to).eq(expected));
        }
    }

    #[test]
    fn none_past_the_end() {
        let pointers = Pointers::try_new("parent", vec![0u8, 0, 2]).unwrap();
        let mut occupied = pointers.occupied(0, 0..2);
        assert_eq!(
            (occupied.next(), occupied.next(), occupied.next()),
            (Some(1), None, None)
        );
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn there_is_no_parent_past_the_end() {
        let _ = Pointers::try_new("parent", vec![0u8, 0, 2]).unwrap().occupied(1, 0..2);
    }
}
