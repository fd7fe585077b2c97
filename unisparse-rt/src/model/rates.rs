//! What the operations of a product cost on a machine: the constants of the cost model, and their form as text.
//!
//! A *pass* of a loop is one execution of it, from its first to its last iteration: the loop over the entries of a row has a pass for
//! each row.

use core::fmt;

/// Number of working sets for which the costs of memory accesses are known: from 16 KiB, each twice the one before.
pub(crate) const SETS: usize = 13;
/// The size of the smallest working set.
pub(crate) const SMALLEST: usize = 16 << 10;

/// An operation of the loops of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// A multiplication that adds to a sum in registers.
    Sum,
    /// The same with an input that is looked up.
    LookedUpSum,
    /// A multiplication of a dot product of a row, all of which are stored one after another.
    Dot,
    /// A multiplication with an input that is looked up, for outputs whose places are looked up once for many passes: a tile of sums.
    LookedUpTile,
    /// A multiplication that adds to contiguous or strided outputs, if a pass fits the registers.
    Along,
    /// The same, with an input that is looked up.
    LookedUpAlong,
    /// The same without lookups, if a pass does not fit the registers.
    FarAlong,
    /// A multiplication that adds to an output that is looked up.
    Scatter,
    /// The same, with an input that is looked up.
    LookedUpScatter,
    /// The same, if it repeatedly hits the same output: each addition waits for the one before.
    Repeated,
    /// A multiplication that adds to one column of the outputs, if the dense operands have several.
    Column,
    /// The start of a pass of a loop whose passes differ in length, with the addition of its independent sums at the end.
    UnevenPass,
    /// The start of the dot product of a row, and its end.
    DotPass,
    /// A pass of a loop whose passes differ in length without an iteration.
    EmptyPass,
    /// The start of a pass of an innermost loop with passes of equal length, which adds to one output or to outputs that are looked up.
    EvenPass,
    /// The same, if it adds to contiguous or strided outputs.
    AlongPass,
    /// The start of a pass of another loop with passes of equal length.
    OuterPass,
    /// A branch misprediction: a pass has another length than the pass before, and the processor did not predict it.
    Misprediction,
    /// The same where rows are multiplied one after another.
    DotMisprediction,
    /// An addition of a sum to an output that is updated repeatedly: by several passes, or by several parts of a tensor.
    Return,
}

/// Number of kinds of [`Work`].
pub(crate) const KINDS: usize = 20;

const NAMES: [&str; KINDS] = [
    "sum",
    "looked_up_sum",
    "dot",
    "looked_up_tile",
    "along",
    "looked_up_along",
    "far_along",
    "scatter",
    "looked_up_scatter",
    "repeated",
    "column",
    "uneven_pass",
    "dot_pass",
    "empty_pass",
    "even_pass",
    "along_pass",
    "outer_pass",
    "misprediction",
    "dot_misprediction",
    "return",
];

/// What a byte of a stream of a product takes, of what it takes when nothing else is done.
const STREAMED: f64 = 0.81;
/// What an access of a product to a random line takes, of what it takes in the loop that measures it: much of it overlaps with
/// other accesses.
const GATHERED: f64 = 0.03;

/// The costs of accesses to working sets of several sizes, as they are measured, with one thread and with several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Memory {
    /// Nanoseconds per byte of a stream, of all threads in total.
    pub(crate) stream: [f64; SETS],
    /// Nanoseconds of one thread per access to a random line.
    pub(crate) gather: [f64; SETS],
}

/// The costs of the operations of a product on one machine.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rates {
    /// Nanoseconds of each kind of [`Work`].
    pub(crate) work: [f64; KINDS],
    /// How many changes of the length of a pass a processor learns, if the same product runs again and again.
    pub(crate) learned: f64,
    pub(crate) alone: Memory,
    /// The number of threads for which `shared` holds.
    pub(crate) threads: usize,
    pub(crate) shared: Memory,
    /// Nanoseconds to start and join the threads.
    pub(crate) fork: f64,
}

/// The constants that are used until the machine is calibrated: those of two threads of an x86-64 server (AMD Zen 3) with 32 KiB, 512 KiB
/// and 32 MiB of caches. Those of work but for `Column`, `STREAMED` and `GATHERED` were fitted to the times of products with vectors on one
/// thread and on two (`cargo bench -p benches --bench advise`); the curves are those of a calibration.
pub(crate) const SHIPPED: Rates = Rates {
    work: [
        0.096, 0.5, 0.15, 0.53, 0.012, 0.84, 0.28, 0.49, 1.1, 1.6, 0.19, 1.2, 0.62, 0.43, 0.06, 3.0, 0.55, 18.0, 14.0,
        0.62,
    ],
    learned: 4096.0,
    alone: Memory {
        stream: [
            0.0096, 0.0096, 0.0129, 0.0129, 0.0129, 0.0137, 0.0233, 0.0233, 0.0238, 0.0238, 0.0561, 0.0685, 0.0991,
        ],
        gather: [
            0.78, 0.78, 0.78, 0.78, 0.78, 1.20, 1.47, 1.58, 2.09, 9.5, 14.0, 14.8, 14.8,
        ],
    },
    threads: 2,
    shared: Memory {
        stream: [
            0.0096, 0.0096, 0.0105, 0.0105, 0.0105, 0.0150, 0.0188, 0.0188, 0.0188, 0.0195, 0.0346, 0.0551, 0.0625,
        ],
        gather: [
            1.25, 1.25, 1.44, 1.44, 1.47, 2.24, 3.45, 3.53, 4.91, 14.4, 23.4, 25.5, 26.4,
        ],
    },
    fork: 610.0,
};

/// Returns the value of a curve over working sets at this size, between the nearest two by the logarithm of the size.
fn at(curve: &[f64; SETS], bytes: f64) -> f64 {
    let place = (bytes / SMALLEST as f64).max(1.0).log2().min((SETS - 1) as f64);
    let (below, share) = (place as usize, place.fract());
    let above = (below + 1).min(SETS - 1);
    curve[below] * (1.0 - share) + curve[above] * share
}

impl Rates {
    /// Multiplies the constants of all kinds of work, then those of streams and of gathers.
    pub(crate) fn scaled(&self, factors: &[f64; KINDS + 2]) -> Self {
        let memory = |memory: &Memory| Memory {
            stream: memory.stream.map(|cost| cost * factors[KINDS]),
            gather: memory.gather.map(|cost| cost * factors[KINDS + 1]),
        };
        Rates {
            work: core::array::from_fn(|kind| self.work[kind] * factors[kind]),
            alone: memory(&self.alone),
            shared: memory(&self.shared),
            ..self.clone()
        }
    }

    /// Returns the nanoseconds per byte of a stream over a working set, read by some threads in total.
    pub(crate) fn stream(&self, bytes: f64, threads: usize) -> f64 {
        let of = |memory: &Memory| STREAMED * at(&memory.stream, bytes);
        self.between(of(&self.alone) / threads as f64, of(&self.shared), threads)
    }

    /// Returns the nanoseconds by which an access to a random line of a working set takes longer than one in the nearest cache.
    pub(crate) fn gather(&self, bytes: f64, threads: usize) -> f64 {
        let beyond = |memory: &Memory| GATHERED * (at(&memory.gather, bytes) - memory.gather[0]).max(0.0);
        self.between(beyond(&self.alone), beyond(&self.shared), threads)
    }

    /// Returns what a cost is on `threads` threads: `alone` on one, at least `shared` on all.
    fn between(&self, alone: f64, shared: f64, threads: usize) -> f64 {
        let most = self.threads.saturating_sub(1).max(1) as f64;
        let share = ((threads - 1) as f64 / most).min(1.0);
        alone.max(alone * (1.0 - share) + shared * share)
    }

    /// Reads what [`Display`](fmt::Display) writes. `None` if the text is not that, or holds a number that no machine has.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().map(|line| line.split_ascii_whitespace());
        let mut numbers = |name: &str, count: usize| -> Option<Vec<f64>> {
            let mut words = lines.next()?;
            let is_it = words.next()? == name;
            let numbers: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
            let fit = numbers.len() == count && numbers.iter().all(|number| number.is_finite() && *number >= 0.0);
            (is_it && fit && numbers.iter().all(|&number| number < 1e9)).then_some(numbers)
        };
        let mut work = [0.0; KINDS];
        for (value, name) in work.iter_mut().zip(NAMES) {
            *value = numbers(name, 1)?[0];
        }
        let learned = numbers("learned", 1)?[0];
        let mut curve = |name: &str| -> Option<[f64; SETS]> { numbers(name, SETS)?.try_into().ok() };
        let alone = Memory {
            stream: curve("stream")?,
            gather: curve("gather")?,
        };
        let shared = Memory {
            stream: curve("shared_stream")?,
            gather: curve("shared_gather")?,
        };
        let [threads, fork] = [numbers("threads", 1)?[0], numbers("fork", 1)?[0]];
        let is_complete = numbers("end", 0).is_some();
        (is_complete && threads >= 1.0 && learned >= 1.0).then_some(Rates {
            work,
            learned,
            alone,
            threads: threads as usize,
            shared,
            fork,
        })
    }
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, nanoseconds) in NAMES.iter().zip(self.work) {
            writeln!(f, "{name} {nanoseconds:.4}")?;
        }
        writeln!(f, "learned {:.0}", self.learned)?;
        let curves = [
            ("stream", &self.alone.stream),
            ("gather", &self.alone.gather),
            ("shared_stream", &self.shared.stream),
            ("shared_gather", &self.shared.gather),
        ];
        for (name, curve) in curves {
            write!(f, "{name}")?;
            curve.iter().try_for_each(|value| write!(f, " {value:.5}"))?;
            writeln!(f)?;
        }
        writeln!(f, "threads {}\nfork {:.0}\nend", self.threads, self.fork)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_read_between_their_points() {
        let mut curve = [1.0; SETS];
        curve[1] = 3.0;
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        near(at(&curve, 0.0), 1.0);
        near(at(&curve, SMALLEST as f64), 1.0);
        near(at(&curve, SMALLEST as f64 * 2f64.sqrt()), 2.0);
        near(at(&curve, 2.0 * SMALLEST as f64), 3.0);
        near(at(&curve, 1e30), 1.0);
    }

    #[test]
    fn rates_are_read_as_they_were_written() {
        let text = SHIPPED.to_string();
        let read = Rates::parse(&text).unwrap();
        assert_eq!(read, SHIPPED);
        assert_eq!(read.to_string(), text);
        let cut = &text[..text.len() - 4];
        let broken = [
            "",
            "sum x",
            cut,
            &text.replace("fork 610", "fork nan"),
            &text.replace("fork 610", "fork -1"),
            &text.replace("learned 4096", "learned 0"),
        ];
        for broken in broken {
            assert!(Rates::parse(broken).is_none(), "{broken}");
        }
    }

    #[test]
    fn more_threads_never_take_longer_for_a_stream_than_one() {
        for bytes in [0.0, 1e5, 1e6, 1e9] {
            let of = |threads| SHIPPED.stream(bytes, threads);
            assert!(of(2) <= of(1) && of(2) >= of(1) / 2.0);
            assert!(SHIPPED.gather(bytes, 2) >= 0.0);
        }
    }
}
