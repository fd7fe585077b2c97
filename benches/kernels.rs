//! `spmv`, `spmm` and `spgemm` against loops that are written by hand over the same arrays, on one thread; and on all.
//!
//! `cargo bench --bench kernels [-- matrix.mtx ..]`
//!
//! All contestants of a workload run in turn, round after round, and every result is checked against that of the loops by
//! hand, which are checked against sums over the triplets. On one thread its own processor time is taken, which others on
//! the machine hardly disturb; on all threads the time on the wall. Printed are medians, the spread between the quartiles,
//! and the ratio of medians; and at last the geometric mean of these ratios.

use std::hint::black_box;
use std::time::Instant;

use cpu_time::ThreadTime;
use unisparse::kernels::spgemm;
use unisparse::prelude::*;

const ROUNDS: usize = 21;

/// Columns of the dense operand.
const COLUMNS: [usize; 2] = [8, 32];

fn spmv_by_hand(y: &mut [f64], a: &Csr<f64>, x: &[f64]) {
    let (col_idx, values) = (a.col_idx(), a.values());
    for (y, bounds) in y.iter_mut().zip(a.row_ptr().windows(2)) {
        let row = bounds[0] as usize..bounds[1] as usize;
        *y = values[row.clone()]
            .iter()
            .zip(&col_idx[row])
            .map(|(value, &col)| value * x[col as usize])
            .sum();
    }
}

fn spmm_by_hand(c: &mut [f64], a: &Csr<f64>, b: &[f64], columns: usize) {
    let (col_idx, values) = (a.col_idx(), a.values());
    for (c, bounds) in c.chunks_exact_mut(columns).zip(a.row_ptr().windows(2)) {
        let row = bounds[0] as usize..bounds[1] as usize;
        c.fill(0.0);
        for (value, &col) in values[row.clone()].iter().zip(&col_idx[row]) {
            let b = &b[col as usize * columns..][..columns];
            c.iter_mut().zip(b).for_each(|(c, b)| *c += value * b);
        }
    }
}

/// The arrays of the product, row by row: a dense row of sums, and a list of the columns in use.
fn spgemm_by_hand(a: &Csr<f64>, b: &Csr<f64>) -> (Vec<u32>, Vec<u32>, Vec<f64>) {
    let columns = b.shape()[1];
    let (a_ptr, a_idx, a_values) = (a.row_ptr(), a.col_idx(), a.values());
    let (b_ptr, b_idx, b_values) = (b.row_ptr(), b.col_idx(), b.values());
    let (mut sums, mut stamps) = (vec![0.0; columns], vec![usize::MAX; columns]);
    let (mut ptr, mut idx, mut values, mut used) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for (row, bounds) in a_ptr.windows(2).enumerate() {
        let range = bounds[0] as usize..bounds[1] as usize;
        used.clear();
        for (&k, &left) in a_idx[range.clone()].iter().zip(&a_values[range]) {
            let range = b_ptr[k as usize] as usize..b_ptr[k as usize + 1] as usize;
            for (&col, &right) in b_idx[range.clone()].iter().zip(&b_values[range]) {
                let at = col as usize;
                if stamps[at] == row {
                    sums[at] += left * right;
                } else {
                    stamps[at] = row;
                    sums[at] = left * right;
                    used.push(col);
                }
            }
        }
        used.sort_unstable();
        idx.extend_from_slice(&used);
        values.extend(used.iter().map(|&col| sums[col as usize]));
        ptr.push(idx.len() as u32);
    }
    (ptr, idx, values)
}

/// Seconds of each round.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn quartile(&mut self, part: usize) -> f64 {
        self.0.sort_by(f64::total_cmp);
        self.0[self.0.len() * part / 4]
    }

    fn spread(&mut self) -> f64 {
        100.0 * (self.quartile(3) - self.quartile(1)) / self.quartile(2)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Clock {
    Thread,
    Wall,
}

impl Clock {
    fn time<R>(self, work: impl FnOnce() -> R) -> f64 {
        match self {
            Clock::Thread => {
                let start = ThreadTime::now();
                black_box(work());
                start.elapsed().as_secs_f64()
            }
            Clock::Wall => {
                let start = Instant::now();
                black_box(work());
                start.elapsed().as_secs_f64()
            }
        }
    }
}

/// Runs both in turn, and prints how the one by hand compares.
fn compare(name: &str, clock: Clock, mut by_hand: impl FnMut(), mut ours: impl FnMut()) -> f64 {
    let (mut hand, mut own) = (Times::default(), Times::default());
    for round in 0..ROUNDS {
        // Neither always finds what the other left in the cache.
        if round % 2 == 0 {
            hand.0.push(clock.time(&mut by_hand));
            own.0.push(clock.time(&mut ours));
        } else {
            own.0.push(clock.time(&mut ours));
            hand.0.push(clock.time(&mut by_hand));
        }
    }
    let ratio = hand.quartile(2) / own.quartile(2);
    println!(
        "  {name:<10} {:>10.3} ms ({:>3.0} %) by hand {:>10.3} ms ({:>3.0} %) by hand/it {ratio:>6.3}",
        1e3 * own.quartile(2),
        own.spread(),
        1e3 * hand.quartile(2),
        hand.spread(),
    );
    ratio
}

fn is_close(found: &[f64], expected: &[f64]) -> bool {
    let close = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-10 * expected.abs().max(1.0);
    found.len() == expected.len() && found.iter().zip(expected).all(close)
}

fn workload(name: &str, triplets: &Triplets<f64, 2>, clock: Clock, ratios: &mut Vec<f64>) {
    let a: Csr<f64> = triplets.convert().expect("compressed rows are never refused here");
    let [rows, columns] = a.shape();
    println!("{name}: {rows} x {columns}, {} nonzeros", a.nnz());
    let x: Vec<f64> = (0..columns).map(|j| 1.0 + (j % 17) as f64 / 16.0).collect();
    let mut sums = vec![0.0; rows];
    for ([i, j], value) in triplets.iter() {
        sums[i] += value * x[j];
    }
    let (mut y, mut own) = (vec![f64::NAN; rows], vec![f64::NAN; rows]);
    spmv_by_hand(&mut y, &a, &x);
    spmv(&mut own, &a, &x).expect("the operands fit");
    assert!(is_close(&y, &sums) && is_close(&own, &y), "spmv");
    ratios.push(compare(
        "spmv",
        clock,
        || spmv_by_hand(&mut y, &a, &x),
        || spmv(&mut own, &a, &x).expect("the operands fit"),
    ));
    for width in COLUMNS {
        let b: Vec<f64> = (0..columns * width).map(|at| 1.0 + (at % 13) as f64 / 8.0).collect();
        let (mut c, mut own) = (vec![f64::NAN; rows * width], vec![f64::NAN; rows * width]);
        spmm_by_hand(&mut c, &a, &b, width);
        spmm(&mut own, &a, &b).expect("the operands fit");
        assert!(is_close(&own, &c), "spmm");
        ratios.push(compare(
            &format!("spmm, {width}"),
            clock,
            || spmm_by_hand(&mut c, &a, &b, width),
            || spmm(&mut own, &a, &b).expect("the operands fit"),
        ));
    }
    if rows == columns {
        let (ptr, idx, values) = spgemm_by_hand(&a, &a);
        let own: Csr<f64> = spgemm(&a, &a).expect("the operands fit");
        assert!(
            own.row_ptr() == ptr && own.col_idx() == idx && is_close(own.values(), &values),
            "spgemm"
        );
        drop(own);
        ratios.push(compare(
            "spgemm",
            clock,
            || drop(black_box(spgemm_by_hand(&a, &a))),
            || drop(black_box(spgemm::<Csr<f64>, _, _>(&a, &a).expect("the operands fit"))),
        ));
    }
}

/// The five-point operator on a square grid.
fn five_point(side: usize) -> Triplets<f64, 2> {
    let neighbours = |at: usize| {
        let (i, j) = (at / side, at % side);
        let inside = [
            (i > 0, at.wrapping_sub(side)),
            (j > 0, at.wrapping_sub(1)),
            (true, at),
            (j + 1 < side, at + 1),
            (i + 1 < side, at + side),
        ];
        inside
            .into_iter()
            .filter(|(inside, _)| *inside)
            .map(move |(_, to)| ([at, to], if to == at { 4.0 } else { -1.0 }))
    };
    Triplets::try_from_triplets([side * side; 2], (0..side * side).flat_map(neighbours)).expect("inside the grid")
}

/// Elements at random places.
fn uniform(extent: usize, per_row: usize) -> Triplets<f64, 2> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let elements = (0..extent * per_row).map(|at| ([at / per_row, next() % extent], 1.0 + (at % 7) as f64));
    Triplets::try_from_triplets([extent; 2], elements).expect("inside the shape")
}

fn main() {
    let bundled = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/xpetra-A-9pt.mtx.gz").to_owned();
    let given: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let mut matrices = Vec::new();
    for path in if given.is_empty() { vec![bundled] } else { given } {
        match unisparse::io::read_matrix_market(&path) {
            Ok(triplets) => matrices.push((path, triplets)),
            Err(error) => println!("{error}"),
        }
    }
    matrices.push(("five-point operator, in cache".to_owned(), five_point(120)));
    matrices.push(("five-point operator".to_owned(), five_point(700)));
    matrices.push(("uniform, 8 a row".to_owned(), uniform(60_000, 8)));
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    for (threads, clock) in [(1, Clock::Thread), (all, Clock::Wall)] {
        println!("\n{threads} threads");
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        let mut ratios = Vec::new();
        pool.install(|| {
            for (name, triplets) in &matrices {
                workload(name, triplets, clock, &mut ratios);
            }
        });
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!("geometric mean of by hand/it: {mean:.3}");
    }
}
