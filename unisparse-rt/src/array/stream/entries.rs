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
    /// Bytes of the stream.
    bytes: usize,
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
        let entries = starts.last().map_or(0, |end| end.to_usize());
        Segments {
            first,
            starts,
            parents: starts.len() - 1,
            bytes: stream.bytes(entries),
            stream,
        }
    }

    /// Restricts the segments to the parents below `end`, so that a loop up to `end` needs no check.
    ///
    /// # Panics
    /// If there are fewer parents.
    #[inline(always)]
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
    // Always, so that a block length that is a constant of the caller stays one.
    #[inline(always)]
    pub fn segment(&self, parent: usize) -> Entries<S> {
        let entries = self.at(parent);
        if self.is_far() {
            self.prefetch(entries.position..entries.end);
        }
        entries
    }

    /// Returns the entries of each of these parents, as [`segment`](Segments::segment) does, without a check for each. They are
    /// prefetched some distance ahead if they are `FAR`.
    ///
    /// # Panics
    /// If there is no such parent.
    #[inline(always)]
    pub(super) fn of_each<const FAR: bool>(self, parents: Range<usize>) -> impl Iterator<Item = Entries<S>> {
        self.starts(parents).windows(2).map(move |pair| {
            let entries = Entries {
                stream: self.stream,
                position: pair[0].to_usize(),
                end: pair[1].to_usize(),
            };
            if FAR {
                self.prefetch(entries.position..entries.end);
            }
            entries
        })
    }

    /// Like [`segment`](Segments::segment), for an indirectly indexed parent.
    ///
    /// Nothing is prefetched: what follows its entries is not what is read next.
    ///
    /// # Panics
    /// If there is no such parent.
    #[inline(always)]
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

    /// Prefetches the entries at these positions.
    #[inline(always)]
    pub(super) fn prefetch(&self, Range { start, end }: Range<usize>) {
        // In longer segments, hardware prefetchers fetch what follows.
        const MOST: usize = 64;
        self.stream.prefetch(start, end.wrapping_sub(start).min(MOST));
    }

    /// Returns the starts of the segments of these parents, and the last end.
    ///
    /// # Panics
    /// If there is no such parent.
    #[inline(always)]
    pub(super) fn starts(&self, Range { start, end }: Range<usize>) -> &'a [P] {
        if start >= end {
            return &[];
        }
        let (low, high) = (start.wrapping_sub(self.first), end.wrapping_sub(self.first));
        assert!(low < high && high <= self.parents);
        &self.starts[low..=high]
    }

    /// Returns the stream that is cut.
    #[inline(always)]
    pub(super) fn stream(&self) -> &S {
        &self.stream
    }

    /// Returns whether prefetching what follows a segment pays.
    #[inline(always)]
    pub(super) fn is_far(&self) -> bool {
        prefetch::IS_USED && self.bytes > prefetch::FAR_SEGMENTS
    }

    /// Prefetches the first entries of a parent, if it exists.
    #[inline(always)]
    pub fn prefetch_at(&self, parent: usize) {
        if !prefetch::IS_USED {
            return;
        }
        if let Some(start) = self.starts.get(parent.wrapping_sub(self.first)) {
            self.stream.prefetch_at(start.to_usize());
        }
    }

    /// Returns the prefetch distance in parents; zero if all entries fit in L2.
    #[inline]
    #[must_use]
    pub fn distance(&self) -> usize {
        const AWAY: usize = 8;
        if self.bytes > prefetch::NEAR { AWAY } else { 0 }
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
        // SAFETY: the position is below `end`.
        Some(unsafe { self.item() })
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
    follow: F,
}

impl<S: Stream, F: Fn(S::Item)> Iterator for Ahead<S, F> {
    type Item = S::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<S::Item> {
        let later = self.entries.position.wrapping_add(self.distance);
        if prefetch::IS_USED && later < self.len {
            // SAFETY: the position is below the length of the stream.
            (self.follow)(unsafe { self.entries.stream.look(later) });
        }
        self.entries.next()
    }
}

impl<S: Stream> Entries<S> {
    /// Calls `follow` with the item `distance` positions ahead of each, so that what that item leads to can be prefetched.
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
        follow: F,
    ) -> Ahead<S, F> {
        const LONG: usize = 24;
        let is_long = self.end.saturating_sub(self.position) > LONG;
        let is_near = || {
            let Some(before) = self.position.checked_sub(1) else {
                return false;
            };
            // SAFETY: a long segment has a last item, and the item before the segment precedes its end: both are within the
            // stream.
            let [last, before] = [self.end - 1, before].map(|at| place(unsafe { self.stream.look(at) }));
            last.abs_diff(before) < far
        };
        Ahead {
            len: if !prefetch::IS_USED || distance == 0 || is_long && is_near() {
                0
            } else {
                self.stream.len()
            },
            entries: self,
            distance,
            follow,
        }
    }

    /// Calls `visit` with each item, and prefetches ahead: hardware prefetchers restart at each page.
    #[inline(always)]
    pub fn each(mut self, mut visit: impl FnMut(S::Item)) {
        /// Number of items per prefetch: a cache line of four-byte numbers.
        const BATCH: usize = 16;
        while self.position < self.end {
            let count = BATCH.min(self.end - self.position);
            if prefetch::IS_USED {
                self.stream.prefetch(self.position, count);
            }
            for position in self.position..self.position + count {
                // SAFETY: the position is below `end`, which is within the stream.
                visit(unsafe { self.stream.get(position) });
            }
            self.position += count;
        }
    }

    /// Calls `body` with each item and its count, which is the constant `whole` where `body` is inlined, but for the last items.
    ///
    /// `count` must not increase from an item to the next, and be at most `whole`: as the counts of blocks at the edge of a
    /// matrix. Only the counts of the last items are computed.
    #[inline(always)]
    pub fn each_counted(
        mut self,
        whole: usize,
        count: impl Fn(S::Item) -> usize,
        mut body: impl FnMut(S::Item, usize),
    ) {
        let end = self.end;
        // SAFETY: the last position is not before that of the iterator, and below `end`, which is within the stream.
        while self.position < self.end && count(unsafe { self.stream.look(self.end - 1) }) != whole {
            self.end -= 1;
        }
        if cfg!(optimised) {
            for item in &mut self {
                body(item, whole);
            }
        }
        for position in self.position..end {
            // SAFETY: the position is below `end`, which is within the stream.
            let (item, again) = unsafe { (self.stream.get(position), self.stream.look(position)) };
            // Without optimisation, one copy of `body` is compiled, for all items.
            let is_whole = cfg!(not(optimised)) && position < self.end;
            body(item, if is_whole { whole } else { count(again) });
        }
    }

    /// Reduces the items: combines what `value` makes of each by `plus`, whose neutral element is `zero`.
    ///
    /// Fewer than eight items are added to `zero` one after another: a short loop mispredicts one branch. Of more, item `k` is added to
    /// sum `k % 8`, so that the machine computes eight sums in parallel; the last one to three, if their number is no multiple of
    /// four, are added to the total of these sums. The order of reduction depends on the number of items alone.
    #[inline(always)]
    pub fn total<R: Copy>(mut self, zero: R, plus: impl Fn(R, R) -> R, value: impl Fn(S::Item) -> R) -> R {
        /// Number of independent sums.
        const SUMS: usize = 8;
        let count = self.end.saturating_sub(self.position);
        if count < SUMS {
            return self.fold(zero, |total, item| plus(total, value(item)));
        }
        // SAFETY: `next` is called once for each of at most `count` items.
        let mut next = || value(unsafe { self.item() });
        let mut sums: [R; SUMS] = core::array::from_fn(|_| next());
        for _ in 1..count / SUMS {
            for sum in &mut sums {
                *sum = plus(*sum, next());
            }
        }
        if count % SUMS >= SUMS / 2 {
            for sum in &mut sums[..SUMS / 2] {
                *sum = plus(*sum, next());
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        let total = plus(plus(plus(a, e), plus(c, g)), plus(plus(b, f), plus(d, h)));
        // A sum of negative zeros only is the positive zero.
        self.fold(plus(zero, total), |total, item| plus(total, value(item)))
    }

    /// Returns the stream, and the positions that are left.
    #[inline(always)]
    pub(super) fn rest(&self) -> (&S, Range<usize>) {
        (&self.stream, self.position..self.end)
    }

    /// Returns the next item.
    ///
    /// # Safety
    /// There must be one.
    #[inline(always)]
    unsafe fn item(&mut self) -> S::Item {
        // SAFETY: the position is below `end`, which is within the stream.
        let item = unsafe { self.stream.get(self.position) };
        self.position += 1;
        item
    }
}

#[cfg(test)]
mod tests;
