//! The tasks of peers, and their expected results: sums over the elements, in `f64`.

use super::matrices::{Compressed, Element, Entries};

/// A kernel that some peer has. All matrices are general, in compressed rows.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Task {
    /// `A B` for a dense row-major `B` with this number of columns, and a dense result; with one column, a matrix-vector product.
    Multiply { columns: usize },
    /// `A A` in compressed rows, with sorted columns.
    Square,
    /// `A + Aᵀ` in compressed rows, with sorted columns.
    AddTransposed,
    /// `A[i, j] P[i, k] Q[k, j]`, summed over this many `k` where `A` is stored.
    Sample { rank: usize },
}

/// The operands of a task, and its expected result.
pub(crate) struct Problem<T> {
    pub task: Task,
    pub shape: [usize; 2],
    pub rows: Compressed<T>,
    /// The dense operands, row-major: `x`, or `B`, or `P` and `Q`.
    pub dense: Vec<T>,
    pub second: Vec<T>,
    /// The transpose, if it is an operand.
    pub transposed: Option<Compressed<T>>,
    expected: Option<Compressed<f64>>,
    /// The number of multiplications and additions, without those of padding.
    pub flops: f64,
}

fn numbers<T: Element>(count: usize) -> Vec<T> {
    (0..count).map(|at| T::rounded(1.0 + (at % 17) as f64 / 16.0)).collect()
}

impl<T: Element> Problem<T> {
    /// `entries` are sorted by row and column.
    pub(crate) fn new(task: Task, entries: &Entries<T>) -> Self {
        let (shape, rows) = (entries.shape, Compressed::rows(entries));
        let mut problem = Problem {
            task,
            shape,
            rows,
            dense: Vec::new(),
            second: Vec::new(),
            transposed: None,
            expected: None,
            flops: 0.0,
        };
        let count = entries.len() as f64;
        match task {
            Task::Multiply { columns } => {
                problem.dense = numbers(shape[1] * columns);
                problem.flops = 2.0 * count * columns as f64;
            }
            Task::Sample { rank } => {
                problem.dense = numbers(shape[0] * rank);
                problem.second = numbers(rank * shape[1]);
                problem.flops = (2.0 * rank as f64 + 1.0) * count;
            }
            Task::Square => {
                problem.expected = Some(square(&problem.rows, shape[1]));
                problem.flops = 2.0 * products(&problem.rows) as f64;
            }
            Task::AddTransposed => {
                let transposed = Compressed::columns(entries);
                problem.expected = Some(sum(&problem.rows, &transposed));
                problem.transposed = Some(transposed);
                problem.flops = count;
            }
        }
        problem
    }

    /// Returns the number of columns of a dense result.
    pub(crate) fn columns(&self) -> usize {
        if let Task::Multiply { columns } = self.task {
            columns
        } else {
            0
        }
    }

    /// Returns a dense result to be overwritten; kernels must not read it.
    pub(crate) fn output(&self) -> Vec<T> {
        vec![T::rounded(f64::NAN); self.shape[0] * self.columns()]
    }

    /// Returns the bytes of the dense operands and of a dense result.
    pub(crate) fn dense_bytes(&self) -> usize {
        let output = match self.task {
            Task::Multiply { columns } => self.shape[0] * columns,
            _ => 0,
        };
        (self.dense.len() + self.second.len() + output) * size_of::<T>()
    }

    /// Checks a dense row-major result.
    pub(crate) fn check_dense(&self, name: &str, found: &[T]) {
        self.check_dense_of(name, found, |at| self.rows.values[at].into());
    }

    /// Checks the result for a matrix with the same pattern and other values.
    pub(crate) fn check_dense_of(&self, name: &str, found: &[T], value: impl Fn(usize) -> f64) {
        let columns = self.columns();
        assert_eq!(
            found.len(),
            self.shape[0] * columns,
            "{name}: another number of results"
        );
        let mut sums = vec![0.0f64; columns];
        for (i, found) in found.chunks_exact(columns).enumerate() {
            sums.fill(0.0);
            for at in self.rows.ptr[i] as usize..self.rows.ptr[i + 1] as usize {
                let value = value(at);
                let from = self.rows.idx[at] as usize * columns;
                let row = &self.dense[from..from + columns];
                for (sum, &factor) in sums.iter_mut().zip(row) {
                    let factor: f64 = factor.into();
                    *sum += value * factor;
                }
            }
            for (j, (&found, &sum)) in found.iter().zip(&sums).enumerate() {
                assert!(is_close(found, sum), "{name}: ({i}, {j}) is {found}, expected {sum}");
            }
        }
    }

    /// Checks a sparse result in compressed rows with sorted columns.
    pub(crate) fn check_sparse(&self, name: &str, found: &Compressed<T>) {
        let expected = self.expected.as_ref().expect("the result is sparse");
        assert!(found.ptr == expected.ptr, "{name}: other pointers");
        assert!(found.idx == expected.idx, "{name}: other columns");
        for (&found, &sum) in found.values.iter().zip(&expected.values) {
            assert!(is_close(found, sum), "{name}: a value is {found}, expected {sum}");
        }
    }

    /// Checks values at the places of `A`, row by row.
    pub(crate) fn check_samples(&self, name: &str, found: &[T]) {
        let Task::Sample { rank } = self.task else {
            panic!("no samples")
        };
        assert_eq!(found.len(), self.rows.values.len(), "{name}: another number of results");
        for (i, bounds) in self.rows.ptr.windows(2).enumerate() {
            let row = bounds[0] as usize..bounds[1] as usize;
            let elements = self.rows.idx[row.clone()].iter().zip(&self.rows.values[row.clone()]);
            for ((&j, &value), &found) in elements.zip(&found[row]) {
                let products = (0..rank).map(|k| {
                    let (left, right) = (self.dense[i * rank + k], self.second[k * self.shape[1] + j as usize]);
                    Into::<f64>::into(left) * Into::<f64>::into(right)
                });
                let sum = Into::<f64>::into(value) * products.sum::<f64>();
                assert!(is_close(found, sum), "{name}: ({i}, {j}) is {found}, expected {sum}");
            }
        }
    }

    /// Returns the matrix in dense blocks of `size` by `size`, if they divide it and are nearly full.
    pub(crate) fn blocks(&self, entries: &Entries<T>, size: usize) -> Option<Compressed<T>> {
        if self.shape.iter().any(|extent| extent % size != 0) {
            return None;
        }
        let blocks = Compressed::blocks(entries, size);
        (blocks.values.len() * 9 <= self.rows.values.len() * 10).then_some(blocks)
    }
}

/// All terms of all sums are positive, so each sum is also the sum of the magnitudes of its terms.
pub(crate) fn is_close<T: Element>(found: T, expected: f64) -> bool {
    (Into::<f64>::into(found) - expected).abs() <= T::TOLERANCE * expected
}

/// Returns the number of multiplications of `A A`.
pub(crate) fn products<T>(rows: &Compressed<T>) -> usize {
    let length = |row: u32| (rows.ptr[row as usize + 1] - rows.ptr[row as usize]) as usize;
    rows.idx.iter().map(|&row| length(row)).sum()
}

/// Returns sums of products by row and column.
fn square<T: Element>(rows: &Compressed<T>, extent: usize) -> Compressed<f64> {
    let row = |i: usize| rows.ptr[i] as usize..rows.ptr[i + 1] as usize;
    let mut sums = vec![0.0; extent];
    collect(rows.ptr.len() - 1, |i, columns| {
        for at in row(i) {
            let left: f64 = rows.values[at].into();
            for to in row(rows.idx[at] as usize) {
                let j = rows.idx[to];
                if sums[j as usize] == 0.0 {
                    columns.push((j, 0.0));
                }
                sums[j as usize] += left * Into::<f64>::into(rows.values[to]);
            }
        }
        for (j, sum) in columns {
            *sum = std::mem::take(&mut sums[*j as usize]);
        }
    })
}

fn sum<T: Element>(left: &Compressed<T>, right: &Compressed<T>) -> Compressed<f64> {
    collect(left.ptr.len() - 1, |i, columns| {
        for side in [left, right] {
            for at in side.ptr[i] as usize..side.ptr[i + 1] as usize {
                columns.push((side.idx[at], side.values[at].into()));
            }
        }
        columns.sort_by_key(|&(j, _)| j);
        columns.dedup_by(|next, first| {
            let equal = next.0 == first.0;
            if equal {
                first.1 += next.1;
            }
            equal
        });
    })
}

/// Returns the rows that `fill` computes, each sorted.
fn collect(count: usize, mut fill: impl FnMut(usize, &mut Vec<(u32, f64)>)) -> Compressed<f64> {
    let (mut ptr, mut idx, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut columns = Vec::new();
    for i in 0..count {
        columns.clear();
        fill(i, &mut columns);
        columns.sort_by_key(|&(j, _)| j);
        idx.extend(columns.iter().map(|&(j, _)| j));
        values.extend(columns.iter().map(|&(_, value)| value));
        ptr.push(idx.len() as u32);
    }
    Compressed { ptr, idx, values }
}
