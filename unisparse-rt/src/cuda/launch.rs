//! The threads of a launch, and its arguments as the driver takes them.

use core::ffi::c_void;

use crate::kernel::c::{Count, Launch, Terms, When, Work};

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

/// The terms of a row that a lane should add. On an H200, rows of five and of seven elements are added fastest by one lane (7 M
/// elements of `f32` in 25 us, 43 by four lanes), of ten by two to four, of 27 by four, of 81 by eight to sixteen.
const TERMS_OF_LANE: u64 = 7;

/// The elements of a tile for which a lane has registers.
const ELEMENTS_OF_LANE: u64 = 4;

/// Returns the lanes of a group, a power of two, for the mean number of terms at a position.
pub(super) fn lanes(launch: &Launch, known: &impl Known) -> u32 {
    let mean = |terms| Some(evaluate(terms, known)? / evaluate(&launch.positions, known)?.max(1));
    let power = |lanes: u64| lanes.clamp(1, WARP).next_power_of_two();
    let lanes = match &launch.terms {
        Terms::Unknown => None,
        // Rows that cannot be divided may be much longer than the mean one, and have a lane for each term.
        Terms::Summed(terms) if launch.when != When::Always => {
            mean(terms).map(|mean| power(mean.div_ceil(TERMS_OF_LANE)))
        }
        Terms::Summed(terms) | Terms::Each(terms) => mean(terms).map(power),
        Terms::Tiled(elements) => mean(elements).map(of_tile),
    };
    lanes.unwrap_or(WARP) as u32
}

/// Returns the lanes for tiles of this many elements: a loop over whole tiles, four elements a lane, then one an element a lane.
/// Each of their iterations passes all entries of a row, and costs as much as its lanes and eight more.
fn of_tile(elements: u64) -> u64 {
    let passes = |lanes: u64| {
        let whole = lanes * ELEMENTS_OF_LANE;
        elements / whole + (elements % whole).div_ceil(lanes)
    };
    let powers = (0..=WARP.ilog2()).map(|power| 1 << power);
    powers.min_by_key(|&lanes| passes(lanes) * (8 + lanes)).unwrap_or(WARP)
}

/// The rows of a launch, and what they take on a device, in nanoseconds. The constants are of an H200.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    count: u64,
    entries: u64,
    /// The entries of the longest row.
    longest: u64,
    multiprocessors: f64,
    /// Whether lanes divide these entries: else each passes all of a row.
    by_lanes: bool,
}

impl Rows {
    /// Returns the rows of a launch, or `None` if their lengths are not known.
    pub(super) fn of(launch: &Launch, multiprocessors: u32, known: &impl Known) -> Option<Self> {
        let Count::Entries { parameter, level } = launch.divided else {
            return None;
        };
        Some(Rows {
            count: evaluate(&launch.positions, known)?,
            entries: evaluate(&launch.divided, known)?,
            longest: known.longest(parameter, level)?,
            multiprocessors: f64::from(multiprocessors.max(1)),
            by_lanes: matches!(launch.terms, Terms::Summed(terms) | Terms::Each(terms) if terms == launch.divided),
        })
    }

    /// Returns the time of one group of lanes for each row.
    fn even(&self, lanes: u32) -> f64 {
        // A lane of a row, and an iteration of the longest row.
        const LANE: f64 = 0.66;
        const STEP: f64 = 150.0;
        let of_lane = if self.by_lanes { u64::from(lanes) } else { 1 };
        let steps = self.longest.div_ceil(of_lane) as f64;
        self.count as f64 * f64::from(lanes) * LANE / self.multiprocessors + steps * STEP
    }

    /// Returns the time of groups that divide rows and entries.
    fn divided(&self, lanes: u32) -> f64 {
        // An entry, and the second launch.
        const ENTRY: f64 = 2.5;
        const CARRIES: f64 = 10_000.0;
        let passes = if self.by_lanes { 1.0 } else { f64::from(lanes) };
        self.entries as f64 * passes * ENTRY / self.multiprocessors + CARRIES
    }

    /// Returns the lanes of a group of a launch, `least` if the mean row decides: more if there are long rows.
    pub(super) fn lanes(&self, when: When, least: u32) -> u32 {
        if !self.by_lanes {
            return least;
        }
        if when == When::Skewed {
            return least.max(8);
        }
        let powers = (least.ilog2()..=WARP.ilog2()).map(|power| 1 << power);
        let best = powers.min_by(|&left, &right| self.even(left).total_cmp(&self.even(right)));
        best.unwrap_or(least)
    }

    /// Whether groups should divide the rows, because the longest would take longer than all entries do then. `lanes` are those for
    /// each row.
    pub(super) fn are_skewed(&self, lanes: u32) -> bool {
        self.even(lanes) > self.divided(lanes)
    }
}

/// Returns the number of groups that divide rows and entries: each takes 128, or fewer where groups would be few.
pub(super) fn parts(rows: Option<u64>, entries: Option<u64>, multiprocessors: u32) -> Option<u64> {
    let all = rows?.saturating_add(entries?);
    let resident = u64::from(multiprocessors) * 64;
    Some(all.div_ceil(128).max(all.div_ceil(WARP).min(resident)))
}

/// Returns the blocks and the threads of a block.
pub(super) fn shape(launch: &Launch, lanes: u32, positions: Option<u64>, multiprocessors: u32) -> (u32, u32) {
    match launch.work {
        Work::Whole => (1, WARP as u32),
        Work::Block => (1, THREADS),
        Work::Divided => {
            // Eight blocks are resident; twice as many even out positions of different work, and groups go on with further
            // positions. Where rows could be divided, each group takes one, and the device starts a block where another ends.
            let most = match (launch.when, positions) {
                (When::Even, Some(_)) => MOST_BLOCKS,
                _ => multiprocessors.max(1).saturating_mul(16).min(MOST_BLOCKS),
            };
            let groups = u64::from(THREADS / lanes.max(1)).max(1);
            let blocks = positions.map_or(u64::from(most), |positions| positions.div_ceil(groups));
            (blocks.clamp(1, u64::from(most)) as u32, THREADS)
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
    fn groups_have_lanes_for_the_terms_of_a_mean_position() {
        let with = |positions, terms, when| {
            let launch = Launch {
                positions,
                terms,
                ..launch(when, Count::Unknown)
            };
            lanes(&launch, &Some3)
        };
        let of = |terms: fn(Count) -> Terms, positions, number| {
            with(Count::Number(positions), terms(Count::Number(number)), When::Even)
        };
        let each = [
            (10, 0),
            (10, 19),
            (10, 20),
            (10, 30),
            (10, 170),
            (10, 1_000_000),
            (0, 0),
            (0, 5),
        ];
        assert_eq!(
            each.map(|(positions, terms)| of(Terms::Each, positions, terms)),
            [1, 1, 2, 4, 32, 32, 1, 8]
        );
        let sums = [(10, 0), (10, 79), (10, 80), (10, 150), (10, 810), (10, 2000)];
        assert_eq!(
            sums.map(|(positions, terms)| of(Terms::Summed, positions, terms)),
            [1, 1, 2, 4, 16, 32]
        );
        // Where rows cannot be divided, as many lanes as terms.
        assert_eq!(
            with(Count::Number(10), Terms::Summed(Count::Number(79)), When::Always),
            8
        );
        // A lane has four elements of a tile, and one of what is left.
        let tiles = [0, 1, 3, 8, 32, 35, 128, 1000];
        assert_eq!(
            tiles.map(|width| of(Terms::Tiled, 1, width)),
            [1, 1, 4, 2, 8, 8, 32, 16]
        );
        assert_eq!(with(Count::Unknown, Terms::Each(Count::Number(5)), When::Even), 32);
        assert_eq!(with(Count::Number(5), Terms::Unknown, When::Even), 32);
        assert_eq!(with(Count::Number(5), Terms::Each(Count::Unknown), When::Even), 32);
    }

    fn rows(count: u64, entries: u64, longest: u64) -> Rows {
        Rows {
            count,
            entries,
            longest,
            multiprocessors: 132.0,
            by_lanes: true,
        }
    }

    #[test]
    fn long_rows_get_more_lanes_or_are_divided() {
        let of = |rows: Rows| {
            let lanes = rows.lanes(When::Even, 2);
            (lanes, rows.are_skewed(lanes))
        };
        // Rows of ten and of 28 at most, of 250 and 2234, of ten and 17873.
        assert_eq!(of(rows(700_000, 7_000_000, 28)), (2, false));
        assert_eq!(of(rows(4267, 1_067_911, 2234)), (32, false));
        assert_eq!(of(rows(524_288, 5_051_599, 17_873)), (32, true));
        assert_eq!(of(rows(0, 0, 0)), (2, false));
        // Lanes that divide the columns pass all of the longest row.
        let columns = Rows {
            by_lanes: false,
            ..rows(524_288, 5_051_599, 17_873)
        };
        assert_eq!((columns.lanes(When::Even, 8), columns.are_skewed(8)), (8, true));
        // Groups that divide rows need lanes for long ones.
        let lanes = |rows: Rows, least| rows.lanes(When::Skewed, least);
        assert_eq!(
            (lanes(rows(1, 1, 1), 2), lanes(rows(1, 1, 1), 16), lanes(columns, 2)),
            (8, 16, 2)
        );
    }

    /// A kernel whose groups divide the positions, if the rows are of such lengths.
    fn launch(when: When, divided: Count) -> Launch {
        Launch {
            kernel: "",
            work: Work::Divided,
            has_lanes: true,
            positions: Count::Number(20),
            terms: Terms::Summed(divided),
            when,
            divided,
            leaves_carries: false,
            allocates: None,
        }
    }

    #[test]
    fn the_lengths_of_rows_are_those_of_a_level() {
        let entries = |parameter, level| Count::Entries { parameter, level };
        let of = |divided| Rows::of(&launch(When::Even, divided), 132, &Some3);
        let rows = of(entries(1, 10)).unwrap();
        assert_eq!(
            (rows.count, rows.entries, rows.longest, rows.by_lanes),
            (20, 1000, 500, true)
        );
        // The lanes divide the entries of another level.
        let others = Launch {
            terms: Terms::Summed(entries(1, 11)),
            ..launch(When::Even, entries(1, 10))
        };
        assert!(!Rows::of(&others, 132, &Some3).unwrap().by_lanes);
        assert!(of(entries(2, 10)).is_none());
        assert!(of(Count::Number(10)).is_none());
    }

    #[test]
    fn a_long_row_has_as_many_groups_as_short_ones() {
        let of = |rows, entries| parts(Some(rows), Some(entries), 132);
        assert_eq!((of(1, 6399), of(4000, 2400)), (Some(200), Some(200)));
        assert_eq!((of(1, 12_799_999), of(1_000_000, 0)), (Some(100_000), Some(8448)));
        assert_eq!((of(0, 0), of(1, 0)), (Some(0), Some(1)));
        assert_eq!((parts(None, Some(1), 132), parts(Some(1), None, 132)), (None, None));
    }

    #[test]
    fn blocks_cover_the_positions() {
        let with = |work, when, lanes, positions, multiprocessors| {
            let launch = Launch {
                work,
                ..launch(when, Count::Unknown)
            };
            shape(&launch, lanes, positions, multiprocessors)
        };
        let of = |lanes, positions| with(Work::Divided, When::Always, lanes, positions, 100);
        assert_eq!((of(1, Some(0)), of(1, Some(256))), ((1, 256), (1, 256)));
        assert_eq!((of(1, Some(257)), of(32, Some(256))), ((2, 256), (32, 256)));
        assert_eq!((of(32, Some(u64::MAX)), of(32, None)), ((1600, 256), (1600, 256)));
        assert_eq!(with(Work::Divided, When::Even, 32, Some(80_000), 100), (10_000, 256));
        assert_eq!(with(Work::Divided, When::Even, 32, None, 100), (1600, 256));
        for when in [When::Always, When::Even, When::Skewed] {
            assert!(with(Work::Divided, when, 1, None, u32::MAX).0 <= MOST_BLOCKS);
        }
        assert_eq!(with(Work::Whole, When::Always, 32, Some(1000), 100), (1, 32));
        assert_eq!(with(Work::Block, When::Always, 32, Some(1000), 100), (1, 256));
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
