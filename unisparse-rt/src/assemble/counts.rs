//! How many elements each piece of a source has of each bucket, and where it puts them, so that all keep the order they
//! come in.

use crate::{pages, parallel};

/// Lines of counters that are remembered to tell whether buckets come again soon.
const LINES: usize = 1 << 12;
/// Counters in a line of the cache.
const COUNTERS: usize = 16;

/// Tells whether buckets come again soon.
pub(super) struct Recent {
    seen: Vec<u32>,
    looked_at: usize,
    far: usize,
}

impl Recent {
    pub(super) fn new() -> Self {
        Recent {
            seen: vec![u32::MAX; LINES],
            looked_at: 0,
            far: 0,
        }
    }

    pub(super) fn look_at(&mut self, bucket: usize) {
        let line = (bucket / COUNTERS) as u32;
        let seen = &mut self.seen[line as usize % LINES];
        self.looked_at += 1;
        self.far += usize::from(*seen != line);
        *seen = line;
    }

    /// Whether more than one in four was far from all seen of late.
    pub(super) fn are_far(&self) -> bool {
        4 * self.far > self.looked_at
    }
}

/// Places of elements in buckets, bucket after bucket, and within each piece after piece.
pub(super) struct Places {
    /// For each piece, where its next element of each bucket goes.
    next: Vec<Vec<u32>>,
    /// Where the elements of each bucket start, and the end.
    pub(super) starts: Vec<u32>,
}

/// The places of one piece.
pub(super) struct Piece<'a> {
    next: &'a mut [u32],
    /// Where those of the next piece start, bucket by bucket: none of this piece's is there or after. Nothing where pieces
    /// may meet.
    end: &'a [u32],
}

impl Places {
    /// `counts` of each piece, bucket by bucket.
    pub(super) fn new(mut counts: Vec<Vec<u32>>) -> Self {
        let buckets = counts.first().map_or(0, Vec::len);
        let (mut starts, mut total) = (pages::with_capacity(buckets + 1), 0);
        if let [counts] = &mut counts[..] {
            // Most often one: no loop in a loop.
            starts.extend(counts.iter_mut().map(|count| first_of(count, &mut total)));
        } else {
            starts.extend((0..buckets).map(|bucket| {
                let start = total;
                counts.iter_mut().for_each(|counts| {
                    first_of(&mut counts[bucket], &mut total);
                });
                start
            }));
        }
        starts.push(total);
        Places { next: counts, starts }
    }

    /// Does the work of all pieces, which may meet at a place or not.
    pub(super) fn fill(self, may_meet: bool, work: impl Fn(usize, Piece<'_>) + Sync) -> Vec<u32> {
        let Places { next, starts } = self;
        let free = may_meet || next.len() == 1;
        let others = next.iter().skip(1);
        let ends: Vec<Vec<u32>> = others.filter(|_| !free).cloned().collect();
        let end = |piece: usize| {
            if free {
                &[]
            } else {
                ends.get(piece).map_or(&starts[1..], |end| &end[..])
            }
        };
        let pieces = next.into_iter().enumerate();
        let pieces = pieces.map(|(piece, next)| (piece, next, end(piece))).collect();
        parallel::each(pieces, |(number, mut next, end)| {
            let next = &mut next;
            work(number, Piece { next, end });
        });
        starts
    }
}

/// The number of the first of `count` items after `total`, in its place; they are in the total then.
#[inline(always)]
fn first_of(count: &mut u32, total: &mut u32) -> u32 {
    let first = *total;
    // Two pieces would share places if this wrapped.
    *total = total
        .checked_add(core::mem::replace(count, first))
        .expect("a source has as many elements on every visit");
    first
}

impl Piece<'_> {
    /// Where the next element of each bucket goes.
    pub(super) fn places(&self) -> &[u32] {
        self.next
    }

    /// The place of the next element of a bucket: that of no other element, if the source gives the same ones on every
    /// visit.
    #[inline(always)]
    pub(super) fn next(&mut self, bucket: usize) -> usize {
        let next = &mut self.next[bucket];
        let place = *next;
        *next = place.wrapping_add(1);
        place as usize
    }

    /// [`next`](Piece::next), of no other piece in any case, where those may not meet.
    ///
    /// # Panics
    /// If there are more than were counted: the source gave other elements the second time.
    #[inline(always)]
    pub(super) fn take(&mut self, bucket: usize) -> usize {
        let place = self.next(bucket);
        assert!(
            self.end.is_empty() || place < self.end[bucket] as usize,
            "a source gives the same elements on every visit"
        );
        place
    }
}
