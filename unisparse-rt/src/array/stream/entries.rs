//! Iterators over positions of a stream: one segment for each parent, all positions at a root, or a range.

use core::ops::Range;

use super::Stream;
use crate::element::Index;
use crate::machine::prefetch;

/// Stream that is cut into one segment for each parent.
#[derive(Debug, Clone, Copy)]
pub struct Segments<'a, P, S> {
    /// Number of the first parent.
    first: usize,
    /// Segment starts and the last end: one more than there are parents.
    starts: &'a [P],
    parents: usize,
    stream: S,
}

impl<'a, P: Index, S: Stream> Segments<'a, P, S> {
    /// Cuts `stream` at `starts`, into segments of the parents from `first` up.
    ///
    /// # Safety
    /// `starts` must not be empty and never decrease, and its last entry must be at most `stream.len()`.
    #[inline]
    pub(crate) unsafe fn new(first: usize, starts: &'a [P], stream: S) -> Self {
        debug_assert!(!starts.is_empty() && starts.windows(2).all(|pair| pair[0] <= pair[1]));
        Segments {
            first,
            starts,
            parents: starts.len() - 1,
            stream,
        }
    }

    /// Restricts the segments to the parents below `end`, so that a loop up to `end` needs no check.
    ///
    /// # Panics
    /// If there are fewer parents.
    #[inline]
    #[must_use]
    pub fn below(self, end: usize) -> Self {
        let parents = end.saturating_sub(self.first);
        assert!(parents <= self.parents);
        Segments { parents, ..self }
    }

    /// Returns the items of the entries of `parent`, in order, and prefetches some distance ahead.
    ///
    /// # Panics
    /// If there is no such parent.
    #[inline]
    pub fn segment(&self, parent: usize) -> Entries<S> {
        let entries = self.at(parent);
        // In longer segments, hardware prefetchers fetch what follows.
        const MOST: usize = 64;
        let count = entries.end.wrapping_sub(entries.position).min(MOST);
        self.stream.prefetch(entries.position, count);
        entries
    }

    /// Like [`segment`](Segments::segment), for an indirectly indexed parent.
    ///
    /// Nothing is prefetched: what follows its entries is not what is read next.
    ///
    /// # Panics
    /// If there is no such parent.
    #[inline]
    pub fn at(&self, parent: usize) -> Entries<S> {
        let number = parent.wrapping_sub(self.first);
        assert!(number < self.parents);
        // SAFETY: there is one start more than there are parents.
        let (start, end) = unsafe { (self.starts.get_unchecked(number), self.starts.get_unchecked(number + 1)) };
        Entries {
            stream: self.stream,
            position: start.to_usize(),
            end: end.to_usize(),
        }
    }

    /// Prefetches the first entries of a parent, if it exists.
    #[inline(always)]
    pub fn ask(&self, parent: usize) {
        if let Some(start) = self.starts.get(parent.wrapping_sub(self.first)) {
            self.stream.ask(start.to_usize());
        }
    }

    /// Returns the prefetch distance in parents; zero if all entries fit in L2.
    #[inline]
    #[must_use]
    pub fn distance(&self) -> usize {
        const AWAY: usize = 8;
        let entries = self.starts.last().map_or(0, |end| end.to_usize());
        if entries.saturating_mul(size_of::<S::Item>()) <= prefetch::NEAR {
            0
        } else {
            AWAY
        }
    }
}

/// Returns the items at the first `count` positions of a stream, in order: the entries of a level at the root.
///
/// # Panics
/// If one of the stream's arrays is shorter than `count`.
pub fn entries<S: Stream>(count: usize, stream: S) -> Entries<S> {
    assert!(count <= stream.len());
    Entries {
        stream,
        position: 0,
        end: count,
    }
}

/// Returns the items at the positions of `range`, moved by `offset`, in order.
///
/// # Panics
/// If the positions are not all inside.
#[inline]
pub fn within<S: Stream>(stream: S, range: Range<usize>, offset: isize) -> Entries<S> {
    if range.is_empty() {
        return Entries {
            stream,
            position: 0,
            end: 0,
        };
    }
    let position = range.start.wrapping_add_signed(offset);
    let end = position.checked_add(range.len());
    assert!(end.is_some_and(|end| end <= stream.len()));
    Entries {
        stream,
        position,
        end: position + range.len(),
    }
}

/// Iterator over the items at consecutive positions of a stream. `end` is at most the stream's length.
#[derive(Debug, Clone)]
pub struct Entries<S> {
    stream: S,
    position: usize,
    end: usize,
}

impl<S: Stream> Iterator for Entries<S> {
    type Item = S::Item;

    #[inline]
    fn next(&mut self) -> Option<S::Item> {
        if self.position >= self.end {
            return None;
        }
        // SAFETY: the position is below `end`, which is within the stream.
        let item = unsafe { self.stream.get(self.position) };
        self.position += 1;
        Some(item)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.end.saturating_sub(self.position);
        (len, Some(len))
    }
}

impl<S: Stream> ExactSizeIterator for Entries<S> {}

/// [`Entries`] that pass the items some distance ahead to a prefetch function.
#[derive(Debug, Clone)]
pub struct Ahead<S, F> {
    entries: Entries<S>,
    distance: usize,
    /// Length of the stream, or 0 if nothing is prefetched.
    len: usize,
    ask: F,
}

impl<S: Stream, F: Fn(S::Item)> Iterator for Ahead<S, F> {
    type Item = S::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<S::Item> {
        let later = self.entries.position.wrapping_add(self.distance);
        if later < self.len {
            // SAFETY: the position is below the length of the stream.
            (self.ask)(unsafe { self.entries.stream.look(later) });
        }
        self.entries.next()
    }
}

impl<S: Stream> Entries<S> {
    /// Calls `ask` with the item `distance` positions ahead of each, so that what that item leads to can be prefetched.
    ///
    /// This is disabled if `distance` is zero, and in long segments that resemble the one before, as in a mesh: what they lead
    /// to has just been read. Two segments are taken to resemble each other if their last items lead to places less than `far`
    /// apart, as `place` gives them.
    #[inline(always)]
    pub fn ahead<F: Fn(S::Item)>(
        self,
        distance: usize,
        far: usize,
        place: impl Fn(S::Item) -> usize,
        ask: F,
    ) -> Ahead<S, F> {
        const LONG: usize = 24;
        let is_long = self.end.saturating_sub(self.position) > LONG;
        let is_alike = || {
            let Some(before) = self.position.checked_sub(1) else {
                return false;
            };
            // SAFETY: a long segment has a last item, and the item before the segment precedes its end: both are within the
            // stream.
            let [last, before] = [self.end - 1, before].map(|at| place(unsafe { self.stream.look(at) }));
            last.abs_diff(before) < far
        };
        Ahead {
            len: if distance == 0 || is_long && is_alike() {
                0
            } else {
                self.stream.len()
            },
            entries: self,
            distance,
            ask,
        }
    }

    /// Calls `visit` with each item, and prefetches ahead: hardware prefetchers restart at each page.
    #[inline(always)]
    pub fn each(mut self, mut visit: impl FnMut(S::Item)) {
        /// Number of items per prefetch: a cache line of four-byte numbers.
        const TOGETHER: usize = 16;
        while self.position < self.end {
            let count = TOGETHER.min(self.end - self.position);
            self.stream.prefetch(self.position, count);
            for position in self.position..self.position + count {
                // SAFETY: the position is below `end`, which is within the stream.
                visit(unsafe { self.stream.get(position) });
            }
            self.position += count;
        }
    }

    /// Reduces the items: combines what `value` makes of each by `plus`, whose neutral element is `zero`.
    ///
    /// Many items are reduced in several independent sums, which the machine computes in parallel. The order of reduction
    /// depends on the number of items alone.
    #[inline(always)]
    pub fn total<R: Copy>(mut self, zero: R, plus: impl Fn(R, R) -> R, value: impl Fn(S::Item) -> R) -> R {
        /// Number of independent sums.
        const SUMS: usize = 8;
        /// Minimum number of items for independent sums.
        const MANY: usize = 16;
        let mut total = zero;
        if self.end.saturating_sub(self.position) >= MANY {
            let mut sums = [zero; SUMS];
            while self.end - self.position >= SUMS {
                for (number, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: at least `SUMS` positions are left below `end`, which is within the stream.
                    *sum = plus(*sum, value(unsafe { self.stream.get(self.position + number) }));
                }
                self.position += SUMS;
            }
            let [a, b, c, d, e, f, g, h] = sums;
            total = plus(plus(plus(a, e), plus(c, g)), plus(plus(b, f), plus(d, h)));
        }
        for item in self {
            total = plus(total, value(item));
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;
    use crate::array::Domain;
    use crate::array::indices::Indices;
    use crate::array::pointers::Pointers;
    use crate::array::stream::{Blocks, Column, Coordinates, Offsets, Positions, cells};

    fn columns() -> (Pointers<u32>, Indices<u8>) {
        let ptr = Pointers::try_new("row", vec![0, 2, 2, 3]).unwrap();
        let idx = Indices::try_new("col", vec![0, 3, 1], Domain { lo: 0, size: 4 }).unwrap();
        (ptr, idx)
    }

    #[test]
    fn segments_gather_and_scatter() {
        let (ptr, idx) = columns();
        let (values, x) = ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0, 40.0]);
        let rows = ptr.over((&values[..], idx.gather(&x)));
        let sums: Vec<f64> = (0..3).map(|row| rows.segment(row).map(|(a, x)| a * x).sum()).collect();
        assert_eq!(sums, [90.0, 0.0, 60.0]);
        assert_eq!((0..3).map(|row| rows.segment(row).len()).collect::<Vec<_>>(), [2, 0, 1]);

        let mut y = [0.0; 4];
        for (value, y) in entries(3, (&values[..], idx.scatter(cells(&mut y)))) {
            y.set(y.get() + value);
        }
        assert_eq!(y, [1.0, 3.0, 0.0, 2.0]);
        assert_eq!(entries(3, (Positions, idx.coordinates())).last(), Some((2, 1)));
    }

    #[test]
    fn segments_that_coordinates_tell() {
        let (ptr, idx) = columns();
        let rows = ptr.over(idx.coordinates());
        for parent in [0, 2, 3, usize::MAX] {
            rows.ask(parent);
        }
        assert_eq!((rows.at(0).collect::<Vec<_>>(), rows.at(1).len()), (vec![0, 3], 0));
        assert_eq!(rows.distance(), 0);
        let many = Pointers::try_new("row", vec![0, 1 << 20]).unwrap();
        assert!(many.over(&vec![0u64; 1 << 20][..]).distance() > 0);
    }

    #[test]
    fn totals_are_of_all_items() {
        let values: Vec<u64> = (0..70).map(|at| at * at + 3).collect();
        for (from, to) in [(0, 0), (3, 4), (0, 15), (1, 17), (2, 18), (0, 70), (5, 69)] {
            let total = within(&values[..], from..to, 0).total(0, |a, b| a + b, |value| 2 * value);
            assert_eq!(total, 2 * values[from..to].iter().sum::<u64>(), "{from}..{to}");
            let least = within(&values[..], from..to, 0).total(u64::MAX, u64::min, |value| value);
            assert_eq!(least, values[from..to].iter().copied().min().unwrap_or(u64::MAX));
        }
    }

    #[test]
    fn what_comes_later_is_shown() {
        let values = [0, 1, 2, 3, 4, 5, 6];
        let seen = Cell::new(0);
        let items: Vec<i32> = within(&values[..], 1..5, 0)
            .ahead(3, 1, |_| 0, |later| seen.set(seen.get() + later))
            .collect();
        assert_eq!((items, seen.get()), (vec![1, 2, 3, 4], 4 + 5 + 6));
    }

    #[test]
    fn long_segments_are_asked_for_if_they_lead_elsewhere() {
        let asked = |values: &[usize], range: Range<usize>| {
            let count = Cell::new(0);
            let items = within(values, range, 0).ahead(4, 10, |at| at, |_| count.set(count.get() + 1));
            assert!(items.count() > 0);
            count.get()
        };
        let alike: Vec<usize> = (0..30).chain(5..35).collect();
        assert_eq!(
            (asked(&alike, 0..30), asked(&alike, 30..60), asked(&alike, 30..40)),
            (31, 0, 11)
        );
        let elsewhere: Vec<usize> = (0..30).chain(20..50).collect();
        assert_eq!(asked(&elsewhere, 30..60), 26);
    }

    #[test]
    fn each_is_visited_once() {
        let values: Vec<usize> = (0..70).collect();
        for range in [0..0, 3..4, 2..18, 1..18, 0..70] {
            let mut visited = Vec::new();
            within(&values[..], range.clone(), 0).each(|value| visited.push(value));
            assert!(visited.into_iter().eq(range));
        }
    }

    #[test]
    fn blocks_are_so_many_values() {
        let values = [0, 1, 2, 3, 4, 5, 6];
        let blocks = Blocks::new(&values, 2);
        assert_eq!(blocks.len(), 3);
        assert_eq!(within(blocks, 1..3, 0).collect::<Vec<_>>(), [[2, 3], [4, 5]]);
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn blocks_past_the_end_are_refused() {
        let _ = within(Blocks::new(&[0; 7], 2), 1..4, 0);
    }

    #[test]
    fn columns_of_tuples() {
        let packed = [(3u8, 1.5f64), (0, 2.5), (1, 3.5)];
        let (idx, values) = (Column::<_, 0>::new(&packed), Column::<_, 1>::new(&packed));
        assert_eq!((idx.len(), values[2]), (3, 3.5));
        assert_eq!(values.iter().collect::<Vec<_>>(), [1.5, 2.5, 3.5]);
        assert_eq!(within(values, 1..3, -1).collect::<Vec<_>>(), [1.5, 2.5]);
        let (ptr, _) = columns();
        let sums = ptr.over((Coordinates::new(idx), values));
        assert_eq!(sums.segment(2).collect::<Vec<_>>(), [(1, 3.5)]);
        assert_eq!(entries(3, Offsets::new(idx)).sum::<isize>(), 4);
    }

    #[test]
    fn part_of_a_stream() {
        let (_, idx) = columns();
        let x = [10.0, 20.0, 30.0, 40.0];
        assert_eq!(within(idx.gather(&x), 3..5, -2).collect::<Vec<_>>(), [40.0, 20.0]);
        assert_eq!(within(idx.gather(&x), 9..9, 40).count(), 0);
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn a_part_past_the_end_is_refused() {
        let (_, idx) = columns();
        let _ = within(idx.coordinates(), 2..5, -1);
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn a_part_before_the_start_is_refused() {
        let (_, idx) = columns();
        let _ = within(idx.coordinates(), 0..1, -1);
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn a_vector_shorter_than_the_domain_is_refused_at_entry() {
        let (_, idx) = columns();
        let _ = idx.gather(&[0.0; 3]);
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn a_parent_past_the_first_is_refused() {
        let (ptr, _) = columns();
        let _ = ptr.over(&[0.0; 3][..]).below(2).segment(2);
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn values_shorter_than_the_pointers_are_refused_at_entry() {
        let (ptr, _) = columns();
        let _ = ptr.over(&[0.0; 2][..]);
    }
}
