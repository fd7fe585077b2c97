//! How many elements each piece of a source has of each bucket, and where it puts them, so that all keep the order they
//! come in.

use crate::{pages, parallel};

/// Lines of counters that are remembered to tell whether buckets come again soon.
const LINES: usize = 1 << 12;
/// Counters in a line of the cache.
const COUNTERS: usize = 16;
/// Elements that are looked at together, and one of how many such runs is.
const SAMPLE: (usize, usize) = (1 << 12, 16);

/// Counts the elements of buckets, and how often one is far from all buckets seen of late.
pub(super) struct Counter {
    pub(super) counts: Vec<u32>,
    elements: usize,
    seen: Vec<u32>,
    sampled: usize,
    far: usize,
}

impl Counter {
    pub(super) fn new(buckets: usize) -> Self {
        Counter {
            counts: pages::filled(0u32, buckets),
            elements: 0,
            seen: vec![u32::MAX; LINES],
            sampled: 0,
            far: 0,
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, bucket: usize) {
        self.counts[bucket] += 1;
        if self.elements / SAMPLE.0 % SAMPLE.1 == SAMPLE.1 / 2 {
            self.look_at(bucket);
        }
        self.elements += 1;
    }

    #[inline(never)]
    fn look_at(&mut self, bucket: usize) {
        let line = (bucket / COUNTERS) as u32;
        let seen = &mut self.seen[line as usize % LINES];
        self.sampled += 1;
        self.far += usize::from(*seen != line);
        *seen = line;
    }

    /// Whether elements next to each other tend to be in buckets far from each other, which no cache has at hand.
    pub(super) fn are_scattered(counters: &[Counter]) -> bool {
        let far: usize = counters.iter().map(|counter| counter.far).sum();
        4 * far > counters.iter().map(|counter| counter.sampled).sum()
    }

    /// The counts of buckets of `2^bits` of these each.
    pub(super) fn coarser(&self, bits: u32) -> Vec<u32> {
        self.counts
            .chunks(1 << bits)
            .map(|counts| counts.iter().sum())
            .collect()
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
    next: Vec<u32>,
    /// Where those of the next piece start, bucket by bucket: none of this piece's is there or after.
    end: &'a [u32],
}

impl Places {
    /// `counts` of each piece, bucket by bucket.
    pub(super) fn new(mut counts: Vec<Vec<u32>>) -> Self {
        let buckets = counts.first().map_or(0, Vec::len);
        let mut starts = pages::with_capacity(buckets + 1);
        let mut total = 0;
        for bucket in 0..buckets {
            starts.push(total);
            for counts in &mut counts {
                total += core::mem::replace(&mut counts[bucket], total);
            }
        }
        starts.push(total);
        Places { next: counts, starts }
    }

    /// Does the work of all pieces.
    pub(super) fn fill(self, work: impl Fn(usize, Piece<'_>) + Sync) -> Vec<u32> {
        let Places { next, starts } = self;
        let ends: Vec<Vec<u32>> = next.iter().skip(1).cloned().collect();
        let end = |piece: usize| ends.get(piece).map_or(&starts[1..], |end| &end[..]);
        let pieces = next.into_iter().enumerate();
        let pieces = pieces
            .map(|(piece, next)| (piece, Piece { next, end: end(piece) }))
            .collect();
        parallel::each(pieces, |(number, piece)| work(number, piece));
        starts
    }
}

impl Piece<'_> {
    /// The place of the next element of a bucket: that of no other element of any piece.
    ///
    /// # Panics
    /// If there are more than were counted: the source gave other elements the second time.
    #[inline(always)]
    pub(super) fn take(&mut self, bucket: usize) -> usize {
        let next = &mut self.next[bucket];
        let place = *next;
        assert!(
            place < self.end[bucket],
            "a source gives the same elements on every visit"
        );
        *next += 1;
        place as usize
    }
}
