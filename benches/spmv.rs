//! `y = A x` on one thread: every suitable stock format, a hand-written loop over the arrays of `Csr`, and
//! the crates a user would pick instead.
//!
//! `cargo bench --bench spmv [-- matrix.mtx ..]`
//!
//! All contestants of a workload run in turn, round after round, and every one is checked against a sum over the
//! triplets. Printed are medians, the spread between the quartiles, and the time of the hand-written loop over it.

use std::time::Instant;

use nalgebra_sparse::ops::Op;
use nalgebra_sparse::ops::serial::spmm_csr_dense;
use nalgebra_sparse::{CooMatrix, CsrMatrix};
use sprs::TriMat;
use unisparse::prelude::*;

const ROUNDS: usize = 41;

/// `y = A x`
type Product<'a> = Box<dyn FnMut(&mut [f64], &[f64]) + 'a>;

struct Contestant<'a> {
    name: String,
    run: Product<'a>,
    times: Vec<f64>,
}

/// The product as one would write it by hand over the arrays of compressed rows.
fn by_hand(y: &mut [f64], a: &Csr<f64>, x: &[f64]) {
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

fn contestant<'a>(name: impl Into<String>, run: impl FnMut(&mut [f64], &[f64]) + 'a) -> Contestant<'a> {
    Contestant {
        name: name.into(),
        run: Box::new(run),
        times: Vec::new(),
    }
}

macro_rules! formats {
    ($triplets:expr, $list:expr, $($name:literal => $format:ty),* $(,)?) => {$(
        if let Ok(matrix) = $triplets.convert::<$format>() {
            $list.push(contestant($name, move |y, x| spmv(y, &matrix, x).expect("the operands fit")));
        }
    )*};
}

fn compare(workload: &str, triplets: &Triplets<f64, 2>) {
    let [rows, cols] = triplets.shape();
    let x: Vec<f64> = (0..cols).map(|j| 1.0 + (j % 17) as f64 / 16.0).collect();
    let mut expected = vec![0.0; rows];
    let mut magnitude = vec![0.0; rows];
    for ([i, j], value) in triplets.iter() {
        expected[i] += value * x[j];
        magnitude[i] += (value * x[j]).abs();
    }

    let csr: Csr<f64> = triplets.convert().expect("compressed rows are never refused here");
    let mut list = vec![contestant("by hand, Csr", |y: &mut [f64], x: &[f64]| {
        by_hand(y, &csr, x);
    })];
    formats!(triplets, list,
        "Csr" => Csr<f64>, "Csc" => Csc<f64>, "Coo" => Coo<f64>, "Dia" => Dia<f64>,
        "Bdia<16>" => Bdia<f64, 16>, "Bdia<64>" => Bdia<f64, 64>, "Bcsr<2,2>" => Bcsr<f64, 2, 2>,
        "Bcsr<3,3>" => Bcsr<f64, 3, 3>, "Csb<256>" => Csb<f64, 256>,
    );
    let mut entries = TriMat::new((rows, cols));
    let mut coo = CooMatrix::new(rows, cols);
    for ([i, j], value) in triplets.iter() {
        entries.add_triplet(i, j, value);
        coo.push(i, j, value);
    }
    let theirs = entries.to_csr::<usize>();
    list.push(contestant("sprs", move |y, x| {
        y.fill(0.0);
        sprs::prod::mul_acc_mat_vec_csr(theirs.view(), x, y);
    }));
    let theirs = CsrMatrix::from(&coo);
    list.push(contestant("nalgebra-sparse", move |y, x| {
        // Its factor of zero does not clear a NaN.
        y.fill(0.0);
        let x = nalgebra_sparse::na::DMatrixView::from_slice(x, cols, 1);
        let y = nalgebra_sparse::na::DMatrixViewMut::from_slice(y, rows, 1);
        spmm_csr_dense(0.0, y, 1.0, Op::NoOp(&theirs), Op::NoOp(x));
    }));

    let mut y = vec![f64::NAN; rows];
    for contestant in &mut list {
        y.fill(f64::NAN);
        (contestant.run)(&mut y, &x);
        for i in 0..rows {
            let close = (y[i] - expected[i]).abs() <= 1e-12 * magnitude[i];
            assert!(
                close,
                "{}: y[{i}] is {}, expected {}",
                contestant.name, y[i], expected[i]
            );
        }
    }
    for _ in 0..ROUNDS {
        for contestant in &mut list {
            let start = Instant::now();
            (contestant.run)(&mut y, &x);
            contestant.times.push(start.elapsed().as_secs_f64());
        }
    }
    let median = |times: &mut Vec<f64>, part: usize| {
        times.sort_by(f64::total_cmp);
        times[times.len() * part / 4]
    };
    let hand = median(&mut list[0].times, 2);
    println!("\n{workload}: {rows} x {cols}, {} nonzeros", csr.nnz());
    println!("{:<18} {:>9} {:>8} {:>9}", "", "ns/nnz", "spread", "by hand/it");
    for contestant in &mut list {
        let [low, middle, high] = [1, 2, 3].map(|part| median(&mut contestant.times, part));
        let spread = 100.0 * (high - low) / middle;
        let per_element = 1e9 * middle / csr.nnz() as f64;
        println!(
            "{:<18} {per_element:>9.3} {spread:>7.0}% {:>9.2}",
            contestant.name,
            hand / middle
        );
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
    for path in if given.is_empty() { vec![bundled] } else { given } {
        match unisparse::io::read_matrix_market(&path) {
            Ok(triplets) => compare(&path, &triplets),
            Err(error) => println!("{error}"),
        }
    }
    compare("five-point operator, in cache", &five_point(200));
    compare("five-point operator", &five_point(1000));
    compare("uniform, 8 a row", &uniform(250_000, 8));
}
