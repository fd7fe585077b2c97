//! Loops over compressed rows as one writes them in Rust, built as the library is.

use super::super::computation::{Problem, Task};
use super::super::matrices::{Compressed, Element};
use super::super::measure::Contestant;
use super::super::tensors::Tensor;

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
            let shot = move |shot: super::super::measure::Shot| shot.time(|| multiply(&mut c, rows, dense, columns));
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

/// The loop of papers: a row of the result is kept in memory, and the compiler makes vectors along it.
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

/// A dense row of sums, and a list of the columns in use.
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

/// A merge of both, row by row.
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

/// A tensor of three dims as compressed fibers, for peers: arrays of each level, the last with the values.
pub(crate) struct Fibers<T> {
    pub shape: [usize; 3],
    /// For each `i`, where its fibers begin.
    pub slices: Vec<u32>,
    /// The `j` of each fiber.
    pub rows: Vec<u32>,
    /// Where its elements begin.
    pub starts: Vec<u32>,
    /// The `k` of each element.
    pub cols: Vec<u32>,
    pub values: Vec<T>,
}

impl<T: Element> Fibers<T> {
    pub(crate) fn of(tensor: &Tensor) -> Self {
        let starts = tensor.fibers();
        let first: Vec<[u32; 3]> = starts[..starts.len() - 1].iter().map(|&at| tensor.places[at]).collect();
        let slices = (0..=tensor.shape[0] as u32).map(|i| first.partition_point(|place| place[0] < i) as u32);
        Fibers {
            shape: tensor.shape,
            slices: slices.collect(),
            rows: first.iter().map(|place| place[1]).collect(),
            starts: starts.iter().map(|&at| at as u32).collect(),
            cols: tensor.places.iter().map(|place| place[2]).collect(),
            values: (0..tensor.places.len()).map(Tensor::value).collect(),
        }
    }
}
