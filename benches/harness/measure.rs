//! Clocks, rounds in random order, medians.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::{ProcessTime, ThreadTime};
use rayon::prelude::*;

use super::random::Random;

/// Fewer rounds have no quartiles; more rounds add no information.
const ROUNDS: std::ops::RangeInclusive<usize> = 3..=31;

/// The clock.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Clock {
    /// The processor time of this thread, which other processes hardly disturb.
    Thread,
    /// The wall-clock time, for several threads.
    Wall,
}

impl Clock {
    pub(crate) fn for_threads(threads: usize) -> Self {
        if threads == 1 { Clock::Thread } else { Clock::Wall }
    }

    /// Returns the result of `work`, and the seconds that it takes.
    pub(crate) fn around<R>(self, work: impl FnOnce() -> R) -> (R, f64) {
        match self {
            Clock::Thread => {
                let start = ThreadTime::now();
                let result = black_box(work());
                (result, start.elapsed().as_secs_f64())
            }
            Clock::Wall => {
                let start = Instant::now();
                let result = black_box(work());
                (result, start.elapsed().as_secs_f64())
            }
        }
    }
}

/// How a contestant times itself.
#[derive(Clone, Copy)]
pub(crate) struct Shot {
    pub clock: Clock,
    /// The number of runs between two reads of the clock.
    pub repeats: u32,
}

impl Shot {
    /// Returns the seconds of one run of `work`. The result is dropped after the clock has stopped.
    pub(crate) fn once<R>(self, work: impl FnOnce() -> R) -> f64 {
        self.clock.around(work).1
    }

    /// Returns the mean seconds of `work`. The result of a single run is dropped after the clock has stopped; with several runs,
    /// the time to drop results counts too.
    pub(crate) fn time<R>(self, mut work: impl FnMut() -> R) -> f64 {
        if self.repeats == 1 {
            return self.once(work);
        }
        let ((), seconds) = self
            .clock
            .around(|| (0..self.repeats).for_each(|_| drop(black_box(work()))));
        seconds / f64::from(self.repeats)
    }
}

/// The contents of the caches when a clock starts.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Cache {
    /// What the other contestants left; a fresh result is in no cache.
    AsLeft,
    /// What the same work left: it runs once before the clock starts, and short work runs many times until the clock stops.
    Warm,
    /// Useless contents: several times the size of the caches has been read.
    Cold,
}

impl Cache {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Cache::AsLeft => "fresh",
            Cache::Warm => "warm",
            Cache::Cold => "cold",
        }
    }
}

/// The parameters of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub clock: Clock,
    pub cache: Cache,
    /// The minimum time of a comparison, after the minimum number of rounds.
    pub budget: Duration,
}

/// A contestant: each call returns the seconds of one run, without preparing and freeing.
pub(crate) struct Contestant<'a> {
    pub name: String,
    /// Whether it is one of our formats, not a peer.
    pub ours: bool,
    /// The bytes of the operands and of the result, all of which must be moved; unknown for the data structures of peers.
    pub bytes: Option<usize>,
    shot: Box<dyn FnMut(Shot) -> f64 + 'a>,
}

impl<'a> Contestant<'a> {
    /// Creates the contestant of a peer.
    pub(crate) fn new(name: impl Into<String>, shot: impl FnMut(Shot) -> f64 + 'a) -> Self {
        Contestant {
            name: name.into(),
            ours: false,
            bytes: None,
            shot: Box::new(shot),
        }
    }

    pub(crate) fn ours(name: impl Into<String>, shot: impl FnMut(Shot) -> f64 + 'a) -> Self {
        Contestant {
            ours: true,
            ..Contestant::new(name, shot)
        }
    }

    pub(crate) fn of_bytes(self, bytes: usize) -> Self {
        Contestant {
            bytes: Some(bytes),
            ..self
        }
    }
}

/// The quartiles of a contestant's times, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    /// The least times of the odd and of the even rounds.
    pub least: [f64; 2],
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Times {
    fn of(mut times: Vec<f64>) -> Self {
        let least = [0, 1].map(|first| {
            times
                .iter()
                .skip(first)
                .step_by(2)
                .copied()
                .fold(f64::INFINITY, f64::min)
        });
        times.sort_by(f64::total_cmp);
        let [low, median, high] = [1, 2, 3].map(|part| times[(times.len() - 1) * part / 4]);
        Times {
            least,
            low,
            median,
            high,
        }
    }

    /// Returns the interquartile range in percent of the median.
    pub(crate) fn spread(&self) -> f64 {
        100.0 * (self.high - self.low) / self.median
    }
}

/// Runs rounds, in each of which every contestant runs once, in random order, until the time is spent.
pub(crate) fn measure(contestants: &mut [Contestant], rules: Rules) -> Vec<Times> {
    let Rules { clock, cache, budget } = rules;
    let single = Shot { clock, repeats: 1 };
    // Without a measurement, nobody reads the times.
    let quick = budget.is_zero();
    // Work on more data than the caches hold evicts it by itself.
    let alone = |contestant: &mut Contestant| match cache {
        Cache::Warm if !quick => (contestant.shot)(single).min((contestant.shot)(single)),
        _ => f64::INFINITY,
    };
    let alone: Vec<f64> = contestants.iter_mut().map(alone).collect();
    let other = vec![
        1;
        if cache == Cache::Cold && !quick {
            BEYOND_CACHES / 8
        } else {
            0
        }
    ];
    let mut times = vec![Vec::new(); contestants.len()];
    let mut order: Vec<usize> = (0..contestants.len()).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let start = Instant::now();
    for round in 1..=*ROUNDS.end() {
        random.shuffle(&mut order);
        for &at in &order {
            let shot = &mut contestants[at].shot;
            if clock == Clock::Wall {
                wait_for_idle_threads();
                if cache != Cache::Warm {
                    // Ours sleep now. On a virtual machine, it can take 3 ms to wake one.
                    rayon::broadcast(|_| ());
                }
            }
            match cache {
                Cache::AsLeft => {}
                Cache::Warm if alone[at] > LONGEST_WARM => {}
                Cache::Warm => warm_up(clock, || {
                    shot(single);
                }),
                Cache::Cold => evict(&other),
            }
            let repeats = (LONG / alone[at].max(1e-9)).clamp(1.0, 1e5) as u32;
            times[at].push(shot(Shot { clock, repeats }));
        }
        if quick || round >= *ROUNDS.start() && start.elapsed() > budget {
            break;
        }
    }
    times.into_iter().map(Times::of).collect()
}

/// Waits until no thread of this process runs: those of the previous contestant spin after their work.
///
/// Not longer: virtual processors that were idle for 12 ms of 17 have been seen to compute at half their speed.
fn wait_for_idle_threads() {
    const PAUSE: Duration = Duration::from_millis(2);
    const MOST: u32 = 150;
    for _ in 0..MOST {
        let before = ProcessTime::now();
        std::thread::sleep(PAUSE);
        if before.elapsed() < PAUSE / 10 {
            return;
        }
    }
}

/// Runs work once; on several threads, until the system has woken them, and has found a processor for each.
fn warm_up(clock: Clock, mut work: impl FnMut()) {
    const SPREAD: Duration = Duration::from_millis(5);
    let start = Instant::now();
    work();
    while clock == Clock::Wall && start.elapsed() < SPREAD {
        work();
    }
}

/// The minimum seconds between two reads of the clock, if the work can be repeated.
const LONG: f64 = 3e-4;

/// The maximum seconds of work of which a part may stay in the caches.
const LONGEST_WARM: f64 = 0.02;

/// Bytes.
const BEYOND_CACHES: usize = 128 << 20;

/// Fills the caches of all threads with useless data.
fn evict(other: &[u64]) {
    rayon::broadcast(|_| black_box(other.iter().sum::<u64>()));
}

/// Sums `items` on all threads of the pool.
pub(crate) fn in_parts<T: Sync>(items: &[T], sum: impl Fn(&[T]) -> f64 + Send + Sync) -> f64 {
    let parts = rayon::current_num_threads();
    if parts == 1 {
        return sum(items);
    }
    items.par_chunks(items.len().div_ceil(parts)).map(sum).sum()
}

pub(crate) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}
