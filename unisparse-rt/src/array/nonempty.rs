//! Iteration over the parents that have entries, where most have none.

use core::ops::Range;

use super::pointers::Pointers;
use crate::element::Index;

/// Number of parents in a bitmap word, which is computed without a branch for each parent.
const GROUP: usize = 64;

/// Number of parents without entries that are skipped at once, by a comparison of two pointers.
const STRIDE: usize = 8 * GROUP;

impl<P: Index> Pointers<P> {
    /// Iterates over the `numbers` for which the parent `first + number` has entries, in order.
    ///
    /// # Panics
    /// If there is no such parent.
    #[inline]
    #[must_use]
    pub fn nonempty(&self, first: usize, numbers: Range<usize>) -> NonEmpty<'_, P> {
        let starts = if numbers.is_empty() {
            &[]
        } else {
            &self[first + numbers.start..=first + numbers.end]
        };
        NonEmpty {
            starts,
            next: numbers.start,
            group: numbers.start,
            found: 0,
        }
    }
}

/// Iterator of [`Pointers::nonempty`].
#[derive(Debug, Clone)]
pub struct NonEmpty<'a, P> {
    /// Starts of the parents that were not examined yet, and the end; empty without parents.
    starts: &'a [P],
    /// Number of the first of these parents.
    next: usize,
    /// Number of the first parent in the group that was examined last.
    group: usize,
    /// Bitmap of the parents in the group that have entries and were not returned yet.
    found: u64,
}

impl<P: Index> NonEmpty<'_, P> {
    /// Examines groups until a parent has entries; returns false after the last group.
    #[inline]
    fn look(&mut self) -> bool {
        while self.found == 0 {
            while self.starts.len() > STRIDE && self.starts[0] == self.starts[STRIDE] {
                self.pass(STRIDE);
            }
            self.group = self.next;
            if let Some(group) = self.starts.first_chunk::<{ GROUP + 1 }>() {
                self.found = nonempty_of(group);
                self.pass(GROUP);
            } else if self.starts.len() > 1 {
                let rest = self.starts.windows(2).enumerate();
                self.found = rest.fold(0, |found, (at, pair)| found | u64::from(pair[0] != pair[1]) << at);
                self.pass(self.starts.len() - 1);
            } else {
                return false;
            }
        }
        true
    }

    #[inline]
    fn pass(&mut self, parents: usize) {
        self.starts = &self.starts[parents..];
        self.next += parents;
    }
}

/// Returns a bitmap of the parents that have entries, given their starts and the end.
#[inline]
fn nonempty_of<P: Index>(starts: &[P; GROUP + 1]) -> u64 {
    // Words of 32 bits stay in the vector lanes in which pointers of that width are compared.
    let word = |from: usize| {
        (0..32).fold(0u32, |found, at| {
            let is_nonempty = starts[from + at] != starts[from + at + 1];
            found | if is_nonempty { 1 << at } else { 0 }
        })
    };
    u64::from(word(0)) | u64::from(word(32)) << 32
}

impl<P: Index> Iterator for NonEmpty<'_, P> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.found == 0 && !self.look() {
            return None;
        }
        let at = self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(self.group + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn those_with_entries_are_found(
            runs in proptest::collection::vec((prop_oneof![4 => 0usize..3, 1 => 0usize..1400], 1u32..4), 0..99),
            (first, from, to) in (0usize..50, 0usize..4000, 0usize..4000),
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
            prop_assert!(pointers.nonempty(first, from..to).eq(expected));
        }
    }

    #[test]
    fn none_past_the_end() {
        let pointers = Pointers::try_new("parent", vec![0u8, 0, 2]).unwrap();
        let mut nonempty = pointers.nonempty(0, 0..2);
        assert_eq!(
            (nonempty.next(), nonempty.next(), nonempty.next()),
            (Some(1), None, None)
        );
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn there_is_no_parent_past_the_end() {
        let _ = Pointers::try_new("parent", vec![0u8, 0, 2]).unwrap().nonempty(1, 0..2);
    }
}
