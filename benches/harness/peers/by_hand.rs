//! Loops over compressed rows as users would write them in Rust, compiled with the flags of the library.

use crate::harness::computation::{Problem, Task};
use crate::harness::matrices::{Compressed, Element};
use crate::harness::measure::{Contestant, Shot};

pub(super) fn contestant<'a, T: Element>(problem: &'a Problem<T>) -> Option<Contestant<'a>> {
    let (rows, dense) = (&problem.rows, &problem.dense[..]);
    match problem.task {
        Task::Multiply { columns: 1 } => {
            let mut y = problem.output();
            multiply_vector(&mut y, rows, dense);
            problem.check_dense("by hand", &y);
            Some(Contestant::new("by hand", move |shot| {
                shot.time(|| multiply_vector(&mut y, rows, dense))
            }))
        }
        Task::Multiply { columns } => {
            let mut c = problem.output();
            multiply(&mut c, rows, dense, columns);
            problem.check_dense("i-k-j loop", &c);
            let shot = move |shot: Shot| shot.time(|| multiply(&mut c, rows, dense, columns));
            Some(Contestant::new("i-k-j loop", shot))
        }
        Task::Square => {
            let square = || square(rows, problem.shape[1]);
            problem.check_sparse("by hand", &square());
            Some(Contestant::new("by hand", move |shot| shot.time(square)))
        }
        Task::AddTransposed => {
            let add = || add(rows, problem.transposed.as_ref().expect("it is an operand"));
            problem.check_sparse("by hand", &add());
            Some(Contestant::new("by hand", move |shot| shot.time(add)))
        }
        Task::Sample { .. } => None,
    }
}

fn multiply_vector<T: Element>(y: &mut [T], a: &Compressed<T>, x: &[T]) {
    for (y, bounds) in y.iter_mut().zip(a.ptr.windows(2)) {
        let row = bounds[0] as usize..bounds[1] as usize;
        let terms = a.values[row.clone()].iter().zip(&a.idx[row]);
        *y = terms.fold(T::default(), |sum, (&value, &col)| sum + value * x[col as usize]);
    }
}

/// The textbook loop: it keeps a row of the result in memory, and the compiler vectorises it.
fn multiply<T: Element>(c: &mut [T], a: &Compressed<T>, b: &[T], columns: usize) {
    for (c, bounds) in c.chunks_exact_mut(columns).zip(a.ptr.windows(2)) {
        let row = bounds[0] as usize..bounds[1] as usize;
        c.fill(T::default());
        for (&value, &col) in a.values[row.clone()].iter().zip(&a.idx[row]) {
            let b = &b[col as usize * columns..][..columns];
            c.iter_mut().zip(b).for_each(|(c, &b)| *c += value * b);
        }
    }
}

/// Gustavson's algorithm: a dense row of sums, and a list of its nonzero columns.
fn square<T: Element>(a: &Compressed<T>, extent: usize) -> Compressed<T> {
    let (mut sums, mut stamps) = (vec![T::default(); extent], vec![usize::MAX; extent]);
    let (mut ptr, mut idx, mut values, mut used) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for (i, bounds) in a.ptr.windows(2).enumerate() {
        let row = bounds[0] as usize..bounds[1] as usize;
        used.clear();
        for (&k, &left) in a.idx[row.clone()].iter().zip(&a.values[row]) {
            let row = a.ptr[k as usize] as usize..a.ptr[k as usize + 1] as usize;
            for (&col, &right) in a.idx[row.clone()].iter().zip(&a.values[row]) {
                let at = col as usize;
                if stamps[at] == i {
                    sums[at] += left * right;
                } else {
                    stamps[at] = i;
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
    Compressed { ptr, idx, values }
}

/// Merges both rows.
fn add<T: Element>(left: &Compressed<T>, right: &Compressed<T>) -> Compressed<T> {
    let most = left.idx.len() + right.idx.len();
    let (mut idx, mut values) = (Vec::with_capacity(most), Vec::with_capacity(most));
    let mut ptr = Vec::with_capacity(left.ptr.len());
    ptr.push(0);
    for (from, to) in left.ptr.windows(2).zip(right.ptr.windows(2)) {
        let (mut l, mut r) = (from[0] as usize, to[0] as usize);
        let (l_end, r_end) = (from[1] as usize, to[1] as usize);
        while l < l_end && r < r_end {
            let (a, b) = (left.idx[l], right.idx[r]);
            idx.push(a.min(b));
            if a == b {
                values.push(left.values[l] + right.values[r]);
                (l, r) = (l + 1, r + 1);
            } else if a < b {
                values.push(left.values[l]);
                l += 1;
            } else {
                values.push(right.values[r]);
                r += 1;
            }
        }
        idx.extend_from_slice(&left.idx[l..l_end]);
        idx.extend_from_slice(&right.idx[r..r_end]);
        values.extend_from_slice(&left.values[l..l_end]);
        values.extend_from_slice(&right.values[r..r_end]);
        ptr.push(idx.len() as u32);
    }
    Compressed { ptr, idx, values }
}
