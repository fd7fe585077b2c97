//! The threads of a launch, and its arguments as the driver takes them.

use core::ffi::c_void;

use crate::kernel::c::{Count, Work};

/// The greatest number of threads in a block.
pub(super) const THREADS: u32 = 256;

/// The arguments of a kernel: each begins at a multiple of eight bytes.
#[derive(Debug, Clone, Default)]
#[doc(hidden)]
pub struct Arguments {
    words: Vec<u64>,
    /// The first word of each argument.
    starts: Vec<usize>,
}

impl Arguments {
    /// Appends an argument, and returns the number of its first word.
    pub(super) fn push(&mut self, words: impl IntoIterator<Item = u64>) -> usize {
        let start = self.words.len();
        self.starts.push(start);
        self.words.extend(words);
        start
    }

    pub(super) fn set(&mut self, at: usize, word: u64) {
        self.words[at] = word;
    }

    /// Returns a pointer to each argument, valid as long as this is borrowed.
    #[must_use]
    pub fn pointers(&self) -> Vec<*const c_void> {
        let start = |&start: &usize| self.words[start..].as_ptr().cast();
        self.starts.iter().map(start).collect()
    }
}

/// What a launch is computed from.
pub(super) trait Known {
    /// Returns the value of a parameter.
    fn parameter(&self, parameter: usize) -> Option<u64>;
    /// Returns the number of coordinates of a level of a tensor.
    fn size(&self, parameter: usize, level: usize) -> Option<u64>;
    /// Returns the number of entries of a level of a tensor.
    fn entries(&self, parameter: usize, level: usize) -> Option<u64>;
    /// Returns the greatest number of entries of a level below one parent.
    fn longest(&self, parameter: usize, level: usize) -> Option<u64>;
}

/// Returns a count, or `None` if it is unknown.
pub(super) fn evaluate(count: &Count, known: &impl Known) -> Option<u64> {
    let both = |[left, right]: &[Count; 2]| Some((evaluate(left, known)?, evaluate(right, known)?));
    Some(match count {
        Count::Unknown => return None,
        Count::Number(number) => *number,
        Count::Parameter(parameter) => known.parameter(*parameter)?,
        Count::Size { parameter, level } => known.size(*parameter, *level)?,
        Count::Entries { parameter, level } => known.entries(*parameter, *level)?,
        Count::Plus(counts) => both(counts).map(|(left, right)| left.saturating_add(right))?,
        Count::Minus(counts) => both(counts).map(|(left, right)| left.saturating_sub(right))?,
        Count::Times(counts) => both(counts).map(|(left, right)| left.saturating_mul(right))?,
        Count::Floor(counts) => both(counts).and_then(|(left, right)| left.checked_div(right))?,
        Count::Ceil(counts) => both(counts)
            .filter(|(_, right)| *right > 0)
            .map(|(left, right)| left.div_ceil(right))?,
    })
}

/// The lanes of a warp.
const WARP: u64 = 32;

/// Returns the lanes of a group for this many terms at this many positions: the least power of two that is not less than
/// the mean, so that a group adds most sums in one step.
pub(super) fn lanes(positions: Option<u64>, terms: Option<u64>) -> u32 {
    let (Some(positions), Some(terms)) = (positions, terms) else {
        return WARP as u32;
    };
    let mean = terms / positions.max(1);
    mean.clamp(1, WARP).next_power_of_two() as u32
}

/// The groups of lanes that a multiprocessor runs at once, about.
const RESIDENT: u64 = 64;

/// Returns whether a few rows have most of the entries, so that groups should divide them: the longest takes several times
/// as long as the mean one, and as all work does if the whole device shares it.
pub(super) fn is_skewed(rows: &Count, entries: &Count, multiprocessors: u32, known: &impl Known) -> bool {
    let Count::Entries { parameter, level } = *entries else {
        return false;
    };
    let (rows, entries) = (evaluate(rows, known), evaluate(entries, known));
    let (Some(rows), Some(entries), Some(longest)) = (rows, entries, known.longest(parameter, level)) else {
        return false;
    };
    let share = entries / (u64::from(multiprocessors.max(1)) * RESIDENT);
    longest > 8 * share.max(entries / rows.max(1)).max(1)
}

/// Returns the number of groups that divide rows and entries, so that each has about as many as a warp has lanes.
pub(super) fn parts(rows: Option<u64>, entries: Option<u64>) -> Option<u64> {
    Some(rows?.saturating_add(entries?).div_ceil(WARP))
}

/// Returns the blocks and the threads of a block.
pub(super) fn shape(work: Work, lanes: u32, positions: Option<u64>, multiprocessors: u32) -> (u32, u32) {
    match work {
        Work::Whole => (1, WARP as u32),
        Work::Block => (1, THREADS),
        Work::Divided => {
            // Eight blocks are resident; twice as many even out positions of different work. Groups go on with further
            // positions.
            let most = u64::from(multiprocessors.max(1)) * 16;
            let groups = u64::from(THREADS / lanes.max(1)).max(1);
            let blocks = positions.map_or(most, |positions| positions.div_ceil(groups));
            (blocks.clamp(1, most.min(u64::from(MOST_BLOCKS))) as u32, THREADS)
        }
    }
}

/// The number of threads stays below 2³⁰, so that numbers of 32 bits can count further.
const MOST_BLOCKS: u32 = (1 << 29) / THREADS;

#[cfg(test)]
mod tests {
    use super::*;

    struct Some3;

    impl Known for Some3 {
        fn parameter(&self, parameter: usize) -> Option<u64> {
            [None, Some(10), Some(3)].get(parameter).copied().flatten()
        }
        fn size(&self, parameter: usize, level: usize) -> Option<u64> {
            (parameter == 0 && level == 1).then_some(7)
        }
        fn entries(&self, _: usize, level: usize) -> Option<u64> {
            Some(level as u64 * 100)
        }
        fn longest(&self, parameter: usize, _: usize) -> Option<u64> {
            [Some(400), Some(500)].get(parameter).copied().flatten()
        }
    }

    #[test]
    fn counts_are_evaluated() {
        let of = |count: Count| evaluate(&count, &Some3);
        const BOTH: &[Count; 2] = &[Count::Parameter(1), Count::Parameter(2)];
        assert_eq!(of(Count::Plus(BOTH)), Some(13));
        assert_eq!(of(Count::Minus(BOTH)), Some(7));
        assert_eq!(of(Count::Minus(&[Count::Number(1), Count::Number(2)])), Some(0));
        assert_eq!(of(Count::Times(BOTH)), Some(30));
        assert_eq!(of(Count::Floor(BOTH)), Some(3));
        assert_eq!(of(Count::Ceil(BOTH)), Some(4));
        assert_eq!(of(Count::Ceil(&[Count::Number(1), Count::Number(0)])), None);
        assert_eq!(of(Count::Floor(&[Count::Number(1), Count::Number(0)])), None);
        assert_eq!(of(Count::Size { parameter: 0, level: 1 }), Some(7));
        assert_eq!(of(Count::Size { parameter: 0, level: 0 }), None);
        assert_eq!(of(Count::Entries { parameter: 0, level: 2 }), Some(200));
        assert_eq!(of(Count::Plus(&[Count::Number(1), Count::Unknown])), None);
        let most = Count::Times(&[Count::Number(u64::MAX), Count::Number(2)]);
        assert_eq!(of(most), Some(u64::MAX));
    }

    #[test]
    fn groups_have_as_many_lanes_as_a_mean_sum_has_terms() {
        let of = |positions, terms| lanes(Some(positions), Some(terms));
        assert_eq!((of(10, 0), of(10, 19), of(10, 20), of(10, 30)), (1, 1, 2, 4));
        assert_eq!((of(10, 170), of(10, 1_000_000), of(0, 0), of(0, 5)), (32, 32, 1, 8));
        assert_eq!((lanes(None, Some(5)), lanes(Some(5), None)), (32, 32));
    }

    #[test]
    fn a_row_with_most_of_the_entries_is_divided() {
        // 1000 entries in 20 rows: a mean of 50.
        let rows = Count::Number(20);
        let of = |parameter, level, multiprocessors| {
            is_skewed(&rows, &Count::Entries { parameter, level }, multiprocessors, &Some3)
        };
        assert_eq!((of(0, 10, 100), of(1, 10, 100), of(2, 10, 100)), (false, true, false));
        // One multiprocessor needs longer for all of 10000 terms.
        assert!(!of(1, 100, 1));
        assert!(!is_skewed(&rows, &Count::Number(10), 100, &Some3));
    }

    #[test]
    fn a_long_row_has_as_many_groups_as_short_ones() {
        assert_eq!(
            (parts(Some(1), Some(6399)), parts(Some(4000), Some(2400))),
            (Some(200), Some(200))
        );
        assert_eq!((parts(Some(0), Some(0)), parts(Some(1), Some(0))), (Some(0), Some(1)));
        assert_eq!((parts(None, Some(1)), parts(Some(1), None)), (None, None));
    }

    #[test]
    fn blocks_cover_the_positions() {
        let of = |lanes, positions| shape(Work::Divided, lanes, positions, 100);
        assert_eq!((of(1, Some(0)), of(1, Some(256))), ((1, 256), (1, 256)));
        assert_eq!((of(1, Some(257)), of(32, Some(256))), ((2, 256), (32, 256)));
        assert_eq!((of(32, Some(u64::MAX)), of(32, None)), ((1600, 256), (1600, 256)));
        assert!(shape(Work::Divided, 1, None, u32::MAX).0 <= MOST_BLOCKS);
        assert_eq!(shape(Work::Whole, 32, Some(1000), 100), (1, 32));
        assert_eq!(shape(Work::Block, 32, Some(1000), 100), (1, 256));
    }

    #[test]
    fn arguments_begin_at_words() {
        let mut arguments = Arguments::default();
        arguments.push([1]);
        assert_eq!(arguments.push([2, 3]), 1);
        let last = arguments.push([4]);
        arguments.set(last, 5);
        let first = arguments.words.as_ptr().cast::<c_void>();
        let starts = arguments.pointers().into_iter();
        let starts: Vec<usize> = starts.map(|start| start as usize - first as usize).collect();
        assert_eq!((starts, arguments.words), (vec![0, 8, 24], vec![1, 2, 3, 5]));
    }
}
