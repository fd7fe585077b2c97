//! Histograms of a source's pieces by bucket, and the offsets at which each piece scatters its elements stably.

use crate::machine::{pages, parallel};

/// Number of counter lines that are remembered to estimate locality.
const LINES: usize = 1 << 12;
/// What a source promises: if the sum of its counts wrapped, two elements would share a place.
const AS_MANY: &str = "a source has the same number of elements on every visit";
/// Number of counters in a cache line.
const COUNTERS: usize = 16;

/// Estimator of the temporal locality of a sequence of buckets.
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

    /// Returns whether more than a quarter of the buckets were on a line not seen recently.
    pub(super) fn are_far(&self) -> bool {
        4 * self.far > self.looked_at
    }
}

/// Scatter offsets of elements: ordered by bucket, and by piece within each bucket.
pub(super) struct ScatterOffsets {
    /// For each piece, the place of its next element in each bucket.
    next: Vec<Vec<u32>>,
    /// Start of each bucket, and the end of the last.
    pub(super) starts: Vec<u32>,
}

/// Scatter offsets of one piece.
pub(super) struct PieceOffsets<'a> {
    next: &'a mut [u32],
    /// For each bucket, the place where the next piece starts: this piece's places are below it. Empty if pieces may write
    /// to the same place, or there is only one.
    end: &'a [u32],
}

impl ScatterOffsets {
    /// Computes the offsets from the `counts` of each piece, bucket by bucket.
    pub(super) fn new(mut counts: Vec<Vec<u32>>) -> Self {
        let buckets = counts.first().map_or(0, Vec::len);
        let (mut starts, mut total) = (pages::with_capacity(buckets + 1), 0);
        if let [counts] = &mut counts[..] {
            // There is one piece most often: this avoids a nested loop, and a check for each bucket.
            let mut sum = 0u64;
            starts.extend(counts.iter_mut().map(|count| {
                let first = sum as u32;
                sum += u64::from(core::mem::replace(count, first));
                first
            }));
            total = u32::try_from(sum).expect(AS_MANY);
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
        ScatterOffsets { next: counts, starts }
    }

    /// Runs `work` for all pieces in parallel, and returns the bucket starts: `work` has taken each place once.
    ///
    /// With `may_meet`, pieces may take the same place before it is noticed that the source gives other elements.
    ///
    /// # Panics
    /// If `work` has not taken each place of its piece: the source gave other elements on the second visit.
    pub(super) fn fill(self, may_meet: bool, work: impl Fn(usize, PieceOffsets<'_>) + Sync) -> Vec<u32> {
        let ScatterOffsets { mut next, starts } = self;
        // In each bucket, a piece's places end where those of the next piece start.
        let ends: Vec<Vec<u32>> = next.iter().skip(1).cloned().collect();
        let end_of = |piece: usize| {
            ends.get(piece)
                .map_or(starts.get(1..).unwrap_or_default(), |ends| &ends[..])
        };
        let is_bounded = next.len() > 1 && !may_meet;
        let run = |(piece, next): (usize, &mut Vec<u32>)| {
            let (next, end) = (&mut next[..], end_of(piece));
            let bound = if is_bounded { end } else { &[] };
            work(
                piece,
                PieceOffsets {
                    next: &mut *next,
                    end: bound,
                },
            );
            // A bucket whose next place is its end has given as many places as it has, one after another.
            assert!(*next == *end, "a source gives the same elements on every visit");
        };
        match &mut next[..] {
            [next] => run((0, next)),
            pieces => _ = parallel::each(pieces.iter_mut().enumerate().collect(), run),
        }
        starts
    }
}

/// Replaces counts by their inclusive prefix sum.
pub(super) fn accumulate(counts: &mut [u32]) {
    let mut total = 0;
    for count in counts {
        total += *count;
        *count = total;
    }
}

/// Performs one step of an exclusive prefix sum: replaces `count` by `total`, and adds it to `total`.
#[inline(always)]
fn first_of(count: &mut u32, total: &mut u32) -> u32 {
    let first = *total;
    // If this wrapped, two pieces would share places.
    *total = total.checked_add(core::mem::replace(count, first)).expect(AS_MANY);
    first
}

impl PieceOffsets<'_> {
    /// Returns the same offsets, borrowed.
    pub(super) fn reborrow(&mut self) -> PieceOffsets<'_> {
        PieceOffsets {
            next: &mut *self.next,
            end: self.end,
        }
    }

    /// Returns the place of the next element of each bucket.
    pub(super) fn places(&self) -> &[u32] {
        self.next
    }

    /// Returns the place of the next element of a bucket, and advances it.
    ///
    /// No other element has this place, if the source gives the same elements on every visit.
    #[inline(always)]
    pub(super) fn next(&mut self, bucket: usize) -> usize {
        let next = &mut self.next[bucket];
        let place = *next;
        *next = place.wrapping_add(1);
        place as usize
    }

    /// Like [`next`](PieceOffsets::next), but never returns a place of another piece, unless pieces may meet.
    ///
    /// # Panics
    /// If a bucket has more elements than were counted: the source gave other elements on the second visit.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes places in buckets of 2, 0 and 3 places.
    fn take(buckets: &[usize]) -> Vec<u32> {
        ScatterOffsets::new(vec![vec![2, 0, 3]]).fill(true, |_, mut piece| {
            for &bucket in buckets {
                piece.next(bucket);
            }
        })
    }

    #[test]
    fn all_places_are_taken() {
        assert_eq!(take(&[2, 0, 2, 0, 2]), [0, 2, 2, 5]);
    }

    /// Takes places in two pieces that have counted 1, 0 and 2 elements, and 1, 0 and 1.
    fn take_in_pieces(may_meet: bool, pieces: [&[usize]; 2]) -> Vec<u32> {
        ScatterOffsets::new(vec![vec![1, 0, 2], vec![1, 0, 1]]).fill(may_meet, |number, mut piece| {
            for &bucket in pieces[number] {
                piece.take(bucket);
            }
        })
    }

    #[test]
    fn pieces_take_their_own_places() {
        for may_meet in [false, true] {
            assert_eq!(take_in_pieces(may_meet, [&[2, 0, 2], &[2, 0]]), [0, 2, 2, 5]);
        }
    }

    #[test]
    #[should_panic(expected = "a source gives the same elements on every visit")]
    fn a_place_of_another_piece_is_refused() {
        take_in_pieces(false, [&[2, 0, 2, 2], &[0]]);
    }

    #[test]
    #[should_panic(expected = "a source gives the same elements on every visit")]
    fn pieces_that_met_are_noticed() {
        take_in_pieces(true, [&[2, 0, 2, 2], &[0]]);
    }

    #[test]
    #[should_panic(expected = "a source gives the same elements on every visit")]
    fn a_place_that_is_left_is_noticed() {
        take(&[2, 0, 2, 0]);
    }

    #[test]
    #[should_panic(expected = "a source gives the same elements on every visit")]
    fn as_many_places_of_other_buckets_are_noticed() {
        take(&[2, 0, 0, 0, 2]);
    }
}
