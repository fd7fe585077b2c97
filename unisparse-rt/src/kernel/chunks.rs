//! Division of a kernel's work for threads: balanced ranges of rows, parts of an output, and private outputs.

use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::machine::parallel::{self, Helpers, PIECE, SHORT};

/// Fixed number of pieces; 0 if it depends on the number of threads.
static PIECES: AtomicUsize = AtomicUsize::new(0);

/// Makes the sums of kernels the same on every machine.
///
/// Work that is worth threads is cut into `pieces` pieces, whatever the number of threads. `None`, the default, cuts it
/// into as many pieces as there are threads in the current `rayon` pool.
///
/// This affects only floating-point sums that several pieces contribute to. It holds for all kernels that start after the
/// call, in the whole program.
///
/// ```
/// unisparse_rt::set_reproducible(Some(64));
/// # unisparse_rt::set_reproducible(None);
/// ```
pub fn set_reproducible(pieces: Option<usize>) {
    PIECES.store(pieces.map_or(0, |pieces| pieces.max(1)), Ordering::Relaxed);
}

#[cfg(feature = "hls")]
std::thread_local! {
    /// Whether kernels that this thread calls are not cut into pieces.
    static WHOLE: core::cell::Cell<bool> = const { core::cell::Cell::new(false) };
}

/// Runs kernels in one piece each, so that their sums are those of one loop after another.
#[cfg(feature = "hls")]
pub fn in_one_piece<R>(run: impl FnOnce() -> R) -> R {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            WHOLE.set(self.0);
        }
    }
    let before = Before(WHOLE.replace(true));
    let result = run();
    drop(before);
    result
}

/// Returns the number of pieces to cut `work` steps into: one if they are not worth another thread.
#[must_use]
pub(super) fn cut(work: usize) -> usize {
    cut_into(PIECE, work)
}

/// Returns the number of pieces to cut `work` steps into, where a piece costs nothing besides its steps, and the threads that are
/// worth calling.
#[must_use]
pub(super) fn cut_short(work: usize) -> (usize, Helpers) {
    let helpers = if work / PIECE > 1 {
        Helpers::Woken
    } else {
        Helpers::Awake
    };
    (cut_into(SHORT, work), helpers)
}

/// Returns the number of pieces of at least `piece` steps to cut `work` steps into.
fn cut_into(piece: usize, work: usize) -> usize {
    #[cfg(feature = "hls")]
    if WHOLE.get() {
        return 1;
    }
    match PIECES.load(Ordering::Relaxed) {
        0 => parallel::pieces_of(piece, work),
        // Distributing a fixed number of pieces takes longer than such short work.
        _ if work / PIECE <= 1 => 1,
        pieces => pieces,
    }
}

/// Returns the borders of at most `pieces` ranges of about equal length, from 0 to `count`.
#[must_use]
pub fn even_borders(count: usize, pieces: usize) -> Vec<usize> {
    let ranges = parallel::ranges(count, pieces.clamp(1, count.max(1)));
    let ends = ranges.into_iter().map(|range| range.end);
    core::iter::once(0).chain(ends).collect()
}

/// Runs `work` on each piece, and returns the results in order.
///
/// One piece runs on this thread, several on the current `rayon` pool.
pub(super) fn run<P: Send, R: Send>(pieces: Vec<P>, work: impl Fn(P) -> R + Sync) -> Vec<R> {
    parallel::each(pieces, work)
}

/// Does what [`run`] does, by these helpers.
pub(super) fn run_by<P: Send, R: Send>(helpers: Helpers, pieces: Vec<P>, work: impl Fn(P) -> R + Sync) -> Vec<R> {
    parallel::each_by(helpers, pieces, work)
}

/// Returns the range from each border to the next.
pub(super) fn ranges(borders: &[usize]) -> impl Iterator<Item = Range<usize>> + '_ {
    borders.windows(2).map(|border| border[0]..border[1])
}

/// Splits an output at these places, the first of which is its start; the last part extends to its end.
///
/// # Panics
/// If the places decrease.
#[must_use]
pub(super) fn cut_at<T>(mut rest: &mut [T], places: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let places: Vec<usize> = places.collect();
    let mut parts = Vec::new();
    for (number, pair) in places.windows(2).enumerate() {
        assert!(pair[0] <= pair[1]);
        let is_last = number + 2 == places.len();
        let length = if is_last { rest.len() } else { pair[1] - pair[0] };
        let (part, after) = rest.split_at_mut(length.min(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

/// Reduces private copies into an output: combines each element with that of each copy, in the order of copies.
///
/// # Panics
/// If a copy is shorter than the output.
pub(super) fn reduce_outputs<T: Copy + Send + Sync>(
    output: &mut [T],
    copies: &[Vec<T>],
    combine: impl Fn(T, T) -> T + Sync,
) {
    /// Number of elements that stay in a cache while copies are added to them.
    const BLOCK: usize = 1 << 11;
    let borders = even_borders(output.len(), cut(output.len().saturating_mul(copies.len())));
    let parts = cut_at(output, borders.iter().copied());
    run(ranges(&borders).zip(parts).collect(), |(range, part)| {
        for (block, part) in part.chunks_mut(BLOCK).enumerate() {
            let first = range.start + block * BLOCK;
            for copy in copies {
                let copy = &copy[first..first + part.len()];
                part.iter_mut()
                    .zip(copy)
                    .for_each(|(place, &value)| *place = combine(*place, value));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_lie_between_their_places(
            lengths in prop::collection::vec(0..9usize, 1..9),
            more in 0..4usize,
        ) {
            let places: Vec<usize> = core::iter::once(0).chain(lengths.iter().scan(0, |end, length| {
                *end += length;
                Some(*end)
            })).collect();
            let end = places[places.len() - 1];
            let mut output: Vec<usize> = (0..end + more).collect();
            let all = output.clone();
            let parts = cut_at(&mut output, places.iter().copied());
            prop_assert_eq!(parts.len(), lengths.len());
            for (number, (part, range)) in parts.into_iter().zip(ranges(&places)).enumerate() {
                let to = if number + 1 == lengths.len() { end + more } else { range.end };
                prop_assert_eq!(&*part, &all[range.start..to]);
            }
        }

        #[test]
        fn copies_are_joined_in_their_order(length in 0..5000usize, copies in 0..40usize) {
            // The function is not commutative; many copies of many elements are reduced in several pieces.
            let combine = |sum: u64, value: u64| sum.wrapping_mul(3).wrapping_add(value);
            let value = |copy: usize, at: usize| (copy * 7919 + at * 31) as u64 % 1009;
            let copies: Vec<Vec<u64>> = (0..copies).map(|copy| (0..length).map(|at| value(copy, at)).collect()).collect();
            let mut output: Vec<u64> = (0..length as u64).collect();
            reduce_outputs(&mut output, &copies, combine);
            let expected = |at: usize| (0..copies.len()).fold(at as u64, |sum, copy| combine(sum, value(copy, at)));
            prop_assert_eq!(output, (0..length).map(expected).collect::<Vec<_>>());
        }
    }

    #[test]
    fn little_work_is_one_piece() {
        assert_eq!((cut(0), cut(PIECE)), (1, 1));
        assert_eq!((even_borders(0, 4), even_borders(2, 4)), (vec![0, 0], vec![0, 1, 2]));
        assert_eq!(run(vec![3], |piece| piece + 1), [4]);
        assert_eq!(run(vec![3, 5, 9], |piece| piece + 1), [4, 6, 10]);
    }

    #[test]
    fn pieces_of_reproducible_sums_do_not_depend_on_threads() {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let short = |work| pool(3).install(|| cut_short(work));
        assert_eq!(
            [2 * SHORT - 1, 2 * SHORT, 2 * PIECE - 1, 2 * PIECE].map(short),
            [
                (1, Helpers::Awake),
                (2, Helpers::Awake),
                (3, Helpers::Awake),
                (3, Helpers::Woken)
            ]
        );
        set_reproducible(Some(5));
        assert_eq!(short(PIECE), (1, Helpers::Awake));
        let pieces = [1, 3].map(|threads| pool(threads).install(|| (cut(PIECE), cut(100 * PIECE))));
        set_reproducible(None);
        assert_eq!(pieces, [(1, 5); 2]);
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn places_that_fall_are_refused() {
        let _ = cut_at(&mut [0; 9], [0, 4, 3, 9].into_iter());
    }
}
