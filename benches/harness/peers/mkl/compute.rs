//! Kernels of MKL: without and with the inspector.

use std::ffi::c_int;
use std::time::Instant;

use super::{AS_IT_IS, ConvertBsr, Handle, Matrix, Mkl, OfHandle, ROW_MAJOR};
use crate::harness::computation::{Problem, Task};
use crate::harness::matrices::{Element, Entries};
use crate::harness::measure::Contestant;

/// `struct matrix_descr`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Description {
    kind: c_int,
    triangle: c_int,
    diagonal: c_int,
}

const GENERAL: Description = Description {
    kind: 20,
    triangle: 0,
    diagonal: 0,
};

/// The number of calls announced to the inspector.
const CALLS: c_int = 1000;

type MultiplyVector<T> = unsafe extern "C" fn(c_int, T, Handle, Description, *const T, T, *mut T) -> c_int;
type MultiplyDense<T> =
    unsafe extern "C" fn(c_int, T, Handle, Description, c_int, *const T, c_int, c_int, T, *mut T, c_int) -> c_int;
type VectorHint = unsafe extern "C" fn(Handle, c_int, Description, c_int) -> c_int;
type DenseHint = unsafe extern "C" fn(Handle, c_int, Description, c_int, c_int, c_int) -> c_int;
type Multiply = unsafe extern "C" fn(c_int, Handle, Handle, *mut Handle) -> c_int;
type Add<T> = unsafe extern "C" fn(c_int, Handle, T, Handle, *mut Handle) -> c_int;

fn accepted(status: c_int) {
    assert_eq!(status, 0, "MKL refuses");
}

impl Mkl {
    pub(in super::super) fn compute<'a, T: Element>(
        &'a self,
        problem: &'a Problem<T>,
        entries: &Entries<T>,
    ) -> Vec<Contestant<'a>> {
        // SAFETY: the problem outlives the contestants.
        let rows = || unsafe { self.of_rows(problem.shape, &problem.rows) };
        match problem.task {
            Task::Multiply { .. } => {
                let mut all = vec![
                    self.dense("MKL", problem, rows()),
                    self.dense("MKL optimised", problem, self.optimised::<T>(rows(), problem.columns())),
                ];
                if problem.blocks(entries, 3).is_some() {
                    let blocks = self.made::<T>(|handle| {
                        // SAFETY: the types of mkl_spblas.h, and a matrix that lives until it is converted.
                        unsafe {
                            let convert: ConvertBsr = self.function::<T, _>("mkl_sparse_convert_bsr");
                            convert(rows().handle(), 3, ROW_MAJOR, AS_IT_IS, handle)
                        }
                    });
                    let blocks = self.optimised::<T>(blocks, problem.columns());
                    all.push(self.dense("MKL blocks", problem, blocks));
                }
                all
            }
            Task::Square | Task::AddTransposed => vec![self.sparse(problem, rows())],
            Task::Sample { .. } => Vec::new(),
        }
    }

    /// Returns the product by the optimised matrix, and the seconds that the optimisation takes.
    pub(in super::super) fn optimised_product<'a, T: Element>(
        &'a self,
        problem: &'a Problem<T>,
    ) -> (Contestant<'a>, f64) {
        // SAFETY: the problem outlives the contestant.
        let rows = unsafe { self.of_rows(problem.shape, &problem.rows) };
        let start = Instant::now();
        let matrix = self.optimised::<T>(rows, problem.columns());
        let seconds = start.elapsed().as_secs_f64();
        (self.dense("MKL optimised", problem, matrix), seconds)
    }

    /// Announces the calls, and optimises the matrix for them.
    fn optimised<T: Element>(&self, matrix: Matrix, columns: usize) -> Matrix {
        let (handle, columns) = (matrix.handle(), columns as c_int);
        // SAFETY: the types of mkl_spblas.h, and a matrix that lives.
        unsafe {
            if columns == 1 {
                let hint: VectorHint = self.function::<T, _>("mkl_sparse_set_mv_hint");
                accepted(hint(handle, AS_IT_IS, GENERAL, CALLS));
            } else {
                let hint: DenseHint = self.function::<T, _>("mkl_sparse_set_mm_hint");
                // MKL may have no optimisation for a kind of matrix, and reports that.
                let _ = hint(handle, AS_IT_IS, GENERAL, ROW_MAJOR, columns, CALLS);
            }
            let optimise: OfHandle = self.function::<T, _>("mkl_sparse_optimize");
            accepted(optimise(handle));
        }
        matrix
    }

    fn dense<'a, T: Element>(&'a self, name: &str, problem: &'a Problem<T>, matrix: Matrix) -> Contestant<'a> {
        // SAFETY: these are their types.
        let (vector, dense): (MultiplyVector<T>, MultiplyDense<T>) = unsafe {
            (
                self.function::<T, _>("mkl_sparse_?_mv"),
                self.function::<T, _>("mkl_sparse_?_mm"),
            )
        };
        let (one, zero, columns) = (T::rounded(1.0), T::default(), problem.columns() as c_int);
        // With a factor of zero MKL must not read the output, or the result would be NaN.
        let (mut output, input) = (problem.output(), &problem.dense[..]);
        let product = move |output: &mut [T]| {
            let (a, x, y) = (matrix.handle(), input.as_ptr(), output.as_mut_ptr());
            // SAFETY: the matrix lives, and both arrays have as many rows as it says, of `columns` each.
            accepted(unsafe {
                if columns == 1 {
                    vector(AS_IT_IS, one, a, GENERAL, x, zero, y)
                } else {
                    dense(
                        AS_IT_IS, one, a, GENERAL, ROW_MAJOR, x, columns, columns, zero, y, columns,
                    )
                }
            });
        };
        product(&mut output);
        problem.check_dense(name, &output);
        Contestant::new(name, move |shot| shot.time(|| product(&mut output)))
    }

    /// MKL does not sort the rows of its results. They are sorted here, because all other results are sorted.
    fn sparse<'a, T: Element>(&'a self, problem: &'a Problem<T>, a: Matrix) -> Contestant<'a> {
        // SAFETY: these are their types.
        let (multiply, add, order): (Multiply, Add<T>, OfHandle) = unsafe {
            (
                self.function::<T, _>("mkl_sparse_spmm"),
                self.function::<T, _>("mkl_sparse_?_add"),
                self.function::<T, _>("mkl_sparse_order"),
            )
        };
        let other = problem.transposed.as_ref();
        // SAFETY: the problem outlives the contestant.
        let other = other.map(|rows| unsafe { self.of_rows(problem.shape, rows) });
        let run = move || {
            // SAFETY: the operands are matrices of MKL's, and live.
            let result = self.made::<T>(|handle| unsafe {
                match &other {
                    None => multiply(AS_IT_IS, a.handle(), a.handle(), handle),
                    Some(other) => add(AS_IT_IS, a.handle(), T::rounded(1.0), other.handle(), handle),
                }
            });
            if other.is_none() {
                // SAFETY: it lives.
                accepted(unsafe { order(result.handle()) });
            }
            result
        };
        problem.check_sparse("MKL", &self.arrays(&run(), false));
        Contestant::new("MKL", move |shot| shot.time(&run))
    }
}
