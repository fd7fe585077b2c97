//! Clocks, rounds in random order, medians.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

/// Fewer rounds have no quartiles, more tell nothing new.
const ROUNDS: std::ops::RangeInclusive<usize> = 3..=31;

/// What time is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Clock {
    /// That of the processor on this thread, which others on the machine hardly disturb.
    Thread,
    /// That on the wall, where several threads work.
    Wall,
}

impl Clock {
    /// The seconds that `work` takes. What it gives is dropped after the clock has stopped.
    pub(crate) fn time<R>(self, work: impl FnOnce() -> R) -> f64 {
        let (result, elapsed) = match self {
            Clock::Thread => {
                let start = ThreadTime::now();
                let result = black_box(work());
                (result, start.elapsed())
            }
            Clock::Wall => {
                let start = Instant::now();
                let result = black_box(work());
                (result, start.elapsed())
            }
        };
        drop(result);
        elapsed.as_secs_f64()
    }
}

/// From now on, whatever is large comes from the system and goes back to it. Otherwise results below 32 MiB would go to
/// memory that an earlier round has warmed, which a program that converts once does not have.
pub(crate) fn always_fresh() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn mallopt(parameter: std::ffi::c_int, value: std::ffi::c_int) -> std::ffi::c_int;
        }
        const MMAP_THRESHOLD: std::ffi::c_int = -3;
        // SAFETY: glibc declares it like this; it only sets a number.
        unsafe { mallopt(MMAP_THRESHOLD, 128 << 10) };
    }
}

/// One that takes part: each call gives the seconds of one conversion, with what it prepares and frees left out.
pub(crate) struct Contestant<'a> {
    pub name: &'static str,
    shot: Box<dyn FnMut(Clock) -> f64 + 'a>,
}

impl<'a> Contestant<'a> {
    pub(crate) fn new(name: &'static str, shot: impl FnMut(Clock) -> f64 + 'a) -> Self {
        let shot = Box::new(shot);
        Contestant { name, shot }
    }
}

/// The quartiles of one contestant's times, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Times {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let [low, median, high] = [1, 2, 3].map(|part| times[(times.len() - 1) * part / 4]);
        Times { low, median, high }
    }

    /// The distance between the quartiles in percent of the median.
    pub(crate) fn spread(&self) -> f64 {
        100.0 * (self.high - self.low) / self.median
    }
}

/// Rounds in which each contestant runs once, in random order, until `budget` is spent.
pub(crate) fn measure(contestants: &mut [Contestant], clock: Clock, budget: Duration) -> Vec<Times> {
    let mut times = vec![Vec::new(); contestants.len()];
    let mut order: Vec<usize> = (0..contestants.len()).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let start = Instant::now();
    for round in 1..=*ROUNDS.end() {
        random.shuffle(&mut order);
        for &at in &order {
            times[at].push((contestants[at].shot)(clock));
        }
        if round >= *ROUNDS.start() && start.elapsed() > budget {
            break;
        }
    }
    times.into_iter().map(Times::of).collect()
}

pub(crate) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

/// Marsaglia's xorshift: the same numbers in each run.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (((self.next() >> 32) * bound as u64) >> 32) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}
