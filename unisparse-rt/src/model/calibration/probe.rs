//! Measures a machine: small loops like those of products, streams, and accesses to random lines.
//!
//! The loops of generated kernels differ from most of these in details, so the shipped constants, which were fitted to kernels, are
//! scaled: by what a loop here takes on this machine, over what it took on the machine of the shipped constants.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::array::{Domain, Indices, Pointers};
use crate::machine::parallel;
use crate::machine::simd::multiversioned;
use crate::model::rates::{KINDS, Memory, Rates, SETS, SHIPPED, SMALLEST, Work};

/// Number of measurements of which the least is taken: interruptions only add time.
const ROUNDS: usize = if cfg!(test) { 1 } else { 7 };
/// Number of probes.
const PROBES: usize = 7;
/// The nanoseconds of the probes on the machine of the shipped constants.
const SHIPPED_PROBES: [f64; PROBES] = [0.091, 0.60, 0.73, 0.74, 3.94, 2.43, 9.03];

/// The probe by which each kind of work is scaled.
const SCALED_BY: [(Work, usize); KINDS] = [
    (Work::Sum, 0),
    (Work::Along, 0),
    (Work::FarAlong, 0),
    (Work::Column, 0),
    (Work::LookedUpSum, 1),
    (Work::Dot, 1),
    (Work::LookedUpTile, 1),
    (Work::LookedUpAlong, 2),
    (Work::Scatter, 3),
    (Work::LookedUpScatter, 3),
    (Work::Repeated, 4),
    (Work::Return, 4),
    (Work::UnevenPass, 5),
    (Work::DotPass, 5),
    (Work::EmptyPass, 5),
    (Work::EvenPass, 5),
    (Work::AlongPass, 5),
    (Work::OuterPass, 5),
    (Work::Misprediction, 6),
    (Work::DotMisprediction, 6),
];

pub(super) fn measure() -> Rates {
    let mut work = SHIPPED.work;
    let probes = probes();
    for (kind, probe) in SCALED_BY {
        // A machine that is that much slower or faster was disturbed.
        work[kind as usize] *= (probes[probe] / SHIPPED_PROBES[probe]).clamp(1.0 / 16.0, 16.0);
    }
    let numbers = vec![1.0; (SMALLEST << (SETS - 1)) / size_of::<f64>()];
    let threads = rayon::current_num_threads();
    let learned = learned();
    let alone = memory(&numbers, 1);
    let shared = if threads > 1 { memory(&numbers, threads) } else { alone };
    Rates {
        work,
        learned,
        alone,
        threads,
        shared,
        fork: fork(threads),
    }
}

/// Returns the least nanoseconds of `work`.
fn least(mut work: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        work();
        least = least.min(start.elapsed().as_secs_f64() * 1e9);
    }
    least
}

/// Returns the nanoseconds of starting and joining all threads: the least time of a piece of work on each of them, less that of one
/// piece on one.
fn fork(threads: usize) -> f64 {
    /// Long enough that each thread has started before another is done with its piece, and would take the next.
    const PIECE: Duration = Duration::from_micros(50);
    let work = |_| {
        let start = Instant::now();
        while start.elapsed() < PIECE {
            std::hint::spin_loop();
        }
    };
    let pieces: Vec<usize> = (0..threads).collect();
    match threads {
        1 => 0.0,
        _ => (least(|| parallel::run(&pieces, &work)) - least(|| work(0))).max(0.0),
    }
}

fn memory(numbers: &[f64], threads: usize) -> Memory {
    /// Minimum bytes that each thread reads between two reads of the clock.
    const LONG: usize = 4 << 20;
    /// Number of accesses to random lines.
    const ACCESSES: usize = 1 << 16;
    let set = |at: usize| &numbers[..(SMALLEST << at) / size_of::<f64>()];
    let pieces: Vec<usize> = (0..threads).collect();
    let stream = |at: usize| {
        let set = set(at);
        let part = |thread: usize| &set[thread * set.len() / threads..(thread + 1) * set.len() / threads];
        let repeats = (LONG / size_of_val(part(0)).max(1)).max(1);
        let read = |thread: usize| {
            for _ in 0..repeats {
                black_box(sum(black_box(part(thread))));
            }
        };
        least(|| parallel::run(&pieces, &read)) / (repeats * size_of_val(set)) as f64
    };
    let gather = |at: usize| {
        let set = set(at);
        let mut rounds = 0..;
        let work = || {
            // Other lines in each round, so that a set beyond the caches is not in them.
            let first = rounds.next().unwrap_or(0) * threads;
            let read = |thread: usize| {
                black_box(gathered(black_box(set), (first + thread) * ACCESSES, ACCESSES));
            };
            parallel::run(&pieces, &read);
        };
        least(work) / ACCESSES as f64
    };
    Memory {
        stream: ascending(core::array::from_fn(stream)),
        gather: ascending(core::array::from_fn(gather)),
    }
}

/// Removes noise: a larger working set is not faster.
fn ascending(mut curve: [f64; SETS]) -> [f64; SETS] {
    for at in (0..SETS - 1).rev() {
        curve[at] = curve[at].min(curve[at + 1]);
    }
    curve
}

fn sum(numbers: &[f64]) -> f64 {
    multiversioned(
        #[inline(always)]
        |_| {
            let mut sums = [0.0; 32];
            for chunk in numbers.chunks_exact(32) {
                sums.iter_mut().zip(chunk).for_each(|(sum, number)| *sum += number);
            }
            sums.iter().sum()
        },
    )
}

/// Sums numbers on random lines.
fn gathered(numbers: &[f64], first: usize, count: usize) -> f64 {
    /// Numbers on a line.
    const LINE: u64 = 8;
    let lines = numbers.len() as u64 / LINE;
    let mut sums = [0.0; 4];
    for at in 0..count as u64 / 4 {
        for (k, sum) in sums.iter_mut().enumerate() {
            let random = (first as u64 + 4 * at + k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            *sum += numbers[(((random * lines) >> 32) * LINE) as usize];
        }
    }
    sums.iter().sum()
}

/// A small matrix in compressed rows, all of it in the nearest caches.
struct ProbeMatrix {
    ptr: Pointers<u32>,
    idx: Indices<u32>,
    values: Vec<f64>,
}

/// Number of elements of the vectors of a probe.
const EXTENT: usize = 1 << 10;
/// Number of elements of the matrix of a probe.
const COUNT: usize = 1 << 14;
/// Number of rows whose lengths no processor learns.
const MANY: usize = 1 << 17;
/// Average number of elements of short rows.
const SHORT: usize = 4;

impl ProbeMatrix {
    fn new(count: usize, length: impl Fn(usize) -> usize) -> Self {
        let (mut ptr, mut end) = (vec![0], 0);
        while end < count {
            end = count.min(end + length(ptr.len() - 1));
            ptr.push(end as u32);
        }
        let idx = (0..count).map(|at| random(at, EXTENT) as u32).collect();
        let domain = Domain { lo: 0, size: EXTENT };
        ProbeMatrix {
            ptr: Pointers::try_new("row", ptr).expect("the pointers start at zero and do not decrease"),
            idx: Indices::try_new("col", idx, domain).expect("all are below the extent"),
            values: vec![1.0; count],
        }
    }

    fn rows(&self) -> usize {
        self.ptr.len() - 1
    }

    /// Returns the nanoseconds of a product, whose loop is that of kernels.
    fn product(&self) -> f64 {
        self.repeated_product(1)
    }

    /// Returns the nanoseconds of one of this number of products, one after another.
    fn repeated_product(&self, repeats: usize) -> f64 {
        let (x, mut y) = (vec![1.0; EXTENT], vec![0.0; self.rows()]);
        let all = least(|| {
            for _ in 0..repeats {
                let rows = self.ptr.over((&self.values[..], self.idx.gather(&x)));
                rows.dots(0..y.len(), &mut y);
                black_box(&mut y);
            }
        });
        all / repeats as f64
    }
}

/// Returns a number below `bound` that looks random.
fn random(at: usize, bound: usize) -> usize {
    let hash = (at as u64 + 1).wrapping_mul(0xd1b5_4a32_d192_ed03);
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((u128::from(hash ^ (hash >> 32)) * bound as u128) >> 64) as usize
}

/// Returns the nanoseconds by which a row of random length takes longer than one among rows of equal length, `SHORT` on average, if as many
/// products as `repeats` are computed one after another.
fn misprediction(rows: usize, repeats: usize) -> f64 {
    let length = |row| random(row, 2 * SHORT + 1);
    let [equal, mixed] = [
        ProbeMatrix::new(rows * SHORT, |_| SHORT),
        ProbeMatrix::new((0..rows).map(length).sum(), length),
    ];
    (mixed.repeated_product(repeats) - equal.product()) / rows as f64
}

/// Returns the number of changes of row length that a processor learns: by the model, half of the number of which it mispredicts half.
fn learned() -> f64 {
    /// Number of rows of the smallest matrix, of which each has twice as many as the one before.
    const FEWEST: usize = 1 << 10;
    // Enough products that what can be learned is.
    let of = |rows: usize| misprediction(rows, (4 * MANY / rows).clamp(4, 64));
    let all = of(MANY);
    let mut rows = FEWEST;
    while rows < MANY && of(rows) < all / 2.0 {
        rows *= 2;
    }
    // Between this matrix and the one before; a row is as long as the one before it once in nine times.
    let changes = rows as f64 / core::f64::consts::SQRT_2 * (1.0 - 1.0 / (2 * SHORT + 1) as f64);
    changes / 2.0
}

/// Returns the nanoseconds of: a step along slices, a looked-up step of a sum, one along slices, a scattered step, one to the
/// same output again and again, the start of a pass, and a pass of another length.
fn probes() -> [f64; PROBES] {
    let long = ProbeMatrix::new(COUNT, |_| 64);
    let each = long.product() / COUNT as f64;
    let short = ProbeMatrix::new(COUNT, |_| SHORT);
    let pass = (short.product() - COUNT as f64 * each).max(0.0) / short.rows() as f64;
    let misprediction = misprediction(MANY, 1).max(0.0);
    let per_step = |work: &mut dyn FnMut(&mut [f64])| {
        let mut y = vec![0.0; EXTENT];
        least(|| work(black_box(&mut y))) / COUNT as f64
    };
    let (ProbeMatrix { idx, values, .. }, one) = (&long, vec![7; COUNT]);
    [
        per_step(&mut |y| along(y, values)),
        each,
        per_step(&mut |y| looked_up_along(y, values, idx)),
        per_step(&mut |y| scatter(y, values, idx)),
        per_step(&mut |y| scatter(y, values, &one)),
        pass,
        misprediction,
    ]
}

/// Number of sums in registers.
const TILE: usize = 32;

fn along(y: &mut [f64], values: &[f64]) {
    multiversioned(
        #[inline(always)]
        |_| {
            for (tile, values) in y.chunks_exact_mut(TILE).zip(values.chunks_exact(COUNT * TILE / EXTENT)) {
                let mut sums = [0.0; TILE];
                for values in values.chunks_exact(TILE) {
                    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value * 0.5);
                }
                tile.copy_from_slice(&sums);
            }
        },
    );
}

fn looked_up_along(y: &mut [f64], values: &[f64], idx: &[u32]) {
    let x = [0.5; EXTENT];
    multiversioned(
        #[inline(always)]
        |_| {
            let all = values
                .chunks_exact(COUNT * TILE / EXTENT)
                .zip(idx.chunks_exact(COUNT * TILE / EXTENT));
            for (tile, (values, idx)) in y.chunks_exact_mut(TILE).zip(all) {
                let mut sums = [0.0; TILE];
                for (values, idx) in values.chunks_exact(TILE).zip(idx.chunks_exact(TILE)) {
                    for (sum, (value, &at)) in sums.iter_mut().zip(values.iter().zip(idx)) {
                        *sum += value * x[at as usize];
                    }
                }
                tile.copy_from_slice(&sums);
            }
        },
    );
}

fn scatter(y: &mut [f64], values: &[f64], idx: &[u32]) {
    for (value, &at) in values.iter().zip(idx) {
        y[at as usize] += value * 0.5;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_work_is_scaled_once() {
        let mut kinds: Vec<usize> = SCALED_BY.iter().map(|&(kind, _)| kind as usize).collect();
        kinds.sort_unstable();
        assert!(kinds.into_iter().eq(0..KINDS));
    }

    #[test]
    fn random_numbers_cover_their_range() {
        let mut counts = [0; 9];
        (0..9000).for_each(|at| counts[random(at, 9)] += 1);
        assert!(counts.iter().all(|count| (800..1200).contains(count)), "{counts:?}");
    }

    #[test]
    fn the_loops_of_probes_compute_what_they_should() {
        let mut y = vec![0.0; EXTENT];
        along(&mut y, &vec![2.0; COUNT]);
        assert_eq!(y, vec![(COUNT / EXTENT) as f64; EXTENT]);
        looked_up_along(&mut y, &vec![4.0; COUNT], &vec![7; COUNT]);
        assert_eq!(y, vec![2.0 * (COUNT / EXTENT) as f64; EXTENT]);
        y.fill(0.0);
        scatter(&mut y, &[2.0, 4.0], &[3, 3]);
        assert_eq!(y[3], 3.0);
        assert_eq!(gathered(&[1.0; 64], 5, 40), 40.0);
        assert_eq!(sum(&[0.5; 64]), 32.0);
    }

    #[test]
    fn measured_rates_can_be_written_and_read() {
        let rates = measure();
        let read = Rates::parse(&rates.to_string()).expect("all numbers are those of a machine");
        assert_eq!(read.threads, rates.threads);
        assert!(read.alone.stream.is_sorted() && read.shared.gather.is_sorted());
        assert!(read.work.iter().all(|&nanoseconds| nanoseconds >= 0.0));
    }
}
