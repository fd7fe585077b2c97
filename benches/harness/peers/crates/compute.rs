//! Kernels of sprs, nalgebra-sparse and faer.

use faer::sparse::linalg::matmul::{dense_sparse_matmul, sparse_sparse_matmul};
use faer::sparse::{SparseRowMat, SymbolicSparseRowMat};
use faer::{Accum, MatMut, MatRef, Par};
use nalgebra_sparse::CsrMatrix;
use nalgebra_sparse::na::{DMatrix, DMatrixView, DMatrixViewMut};
use nalgebra_sparse::ops::Op;
use nalgebra_sparse::ops::serial::spmm_csr_dense;
use ndarray::{ArrayView2, ArrayViewMut2};
use sprs::CsMatI;

use super::wide;
use crate::harness::computation::{Problem, Task};
use crate::harness::matrices::{Compressed, Element};
use crate::harness::measure::Contestant;

pub(in super::super) fn contestants<'a, T: Element>(problem: &'a Problem<T>, threads: usize) -> Vec<Contestant<'a>> {
    // faer uses the pool of `rayon`.
    let par = if threads == 1 { Par::Seq } else { Par::rayon(threads) };
    match problem.task {
        Task::Multiply { .. } => vec![
            sprs_multiply(problem),
            nalgebra_multiply(problem),
            faer_multiply(problem, par),
        ],
        Task::Square | Task::AddTransposed => vec![
            sprs_sparse(problem),
            nalgebra_sparse(problem),
            faer_sparse(problem, par),
        ],
        Task::Sample { .. } => Vec::new(),
    }
}

fn of_sprs<T: Element>(shape: [usize; 2], rows: &Compressed<T>) -> CsMatI<T, u32> {
    let Compressed { ptr, idx, values } = rows.clone();
    CsMatI::new((shape[0], shape[1]), ptr, idx, values)
}

fn of_nalgebra<T: Element>(shape: [usize; 2], rows: &Compressed<T>) -> CsrMatrix<T> {
    let (ptr, idx) = (wide(&rows.ptr), wide(&rows.idx));
    CsrMatrix::try_from_csr_data(shape[0], shape[1], ptr, idx, rows.values.clone()).expect("compressed rows")
}

fn of_faer<T: Element>(shape: [usize; 2], rows: &Compressed<T>) -> SparseRowMat<u32, T> {
    let Compressed { ptr, idx, values } = rows.clone();
    SparseRowMat::new(
        SymbolicSparseRowMat::new_checked(shape[0], shape[1], ptr, None, idx),
        values,
    )
}

fn sprs_multiply<'a, T: Element>(problem: &'a Problem<T>) -> Contestant<'a> {
    let matrix = of_sprs(problem.shape, &problem.rows);
    let ([rows, cols], columns) = (problem.shape, problem.columns());
    let (mut output, dense) = (problem.output(), &problem.dense[..]);
    let product = move |output: &mut [T]| {
        // The product is added to the result.
        output.fill(T::default());
        if columns == 1 {
            sprs::prod::mul_acc_mat_vec_csr(matrix.view(), dense, output);
        } else {
            let b = ArrayView2::from_shape((cols, columns), dense).expect("row-major");
            let c = ArrayViewMut2::from_shape((rows, columns), output).expect("row-major");
            sprs::prod::csr_mulacc_dense_rowmaj(matrix.view(), b, c);
        }
    };
    product(&mut output);
    problem.check_dense("sprs", &output);
    Contestant::new("sprs", move |shot| shot.time(|| product(&mut output)))
}

/// nalgebra's dense matrices are column-major.
fn nalgebra_multiply<'a, T: Element>(problem: &'a Problem<T>) -> Contestant<'a> {
    let matrix = of_nalgebra(problem.shape, &problem.rows);
    let ([rows, cols], columns) = (problem.shape, problem.columns());
    let b = DMatrix::from_row_slice(cols, columns, &problem.dense);
    let mut c = DMatrix::from_element(rows, columns, T::default());
    let product = move |c: &mut DMatrix<T>| {
        let b = DMatrixView::from_slice(b.as_slice(), cols, columns);
        let c = DMatrixViewMut::from_slice(c.as_mut_slice(), rows, columns);
        spmm_csr_dense(T::default(), c, T::rounded(1.0), Op::NoOp(&matrix), Op::NoOp(b));
    };
    product(&mut c);
    problem.check_dense("nalgebra", c.transpose().as_slice());
    Contestant::new("nalgebra", move |shot| shot.time(|| product(&mut c)))
}

/// faer stores columns, so this computes the transpose: `Cᵀ = Bᵀ Aᵀ`.
fn faer_multiply<'a, T: Element>(problem: &'a Problem<T>, par: Par) -> Contestant<'a> {
    let matrix = of_faer(problem.shape, &problem.rows);
    let ([rows, cols], columns) = (problem.shape, problem.columns());
    let (mut output, dense) = (problem.output(), &problem.dense[..]);
    let product = move |output: &mut [T]| {
        let b = MatRef::from_row_major_slice(dense, cols, columns).transpose();
        let c = MatMut::from_row_major_slice_mut(output, rows, columns).transpose_mut();
        dense_sparse_matmul(c, Accum::Replace, b, matrix.as_ref().transpose(), T::rounded(1.0), par);
    };
    product(&mut output);
    problem.check_dense("faer", &output);
    Contestant::new("faer", move |shot| shot.time(|| product(&mut output)))
}

fn sprs_sparse<'a, T: Element>(problem: &'a Problem<T>) -> Contestant<'a> {
    let a = of_sprs(problem.shape, &problem.rows);
    let other = problem.transposed.as_ref().map(|rows| of_sprs(problem.shape, rows));
    let run = move || match &other {
        None => sprs::smmp::mul_csr_csr::<T, T, T, u32, u32>(a.view(), a.view()),
        Some(other) => sprs::binop::csmat_binop(a.view(), other.view(), |&left, &right| left + right),
    };
    let result = run();
    let ptr = result.indptr();
    let ptr = ptr.raw_storage().iter().copied();
    problem.check_sparse(
        "sprs",
        &Compressed::of(ptr, result.indices().iter().copied(), result.data()),
    );
    Contestant::new("sprs", move |shot| shot.time(&run))
}

fn nalgebra_sparse<'a, T: Element>(problem: &'a Problem<T>) -> Contestant<'a> {
    let a = of_nalgebra(problem.shape, &problem.rows);
    let other = problem.transposed.as_ref().map(|rows| of_nalgebra(problem.shape, rows));
    let run = move || match &other {
        None => &a * &a,
        Some(other) => &a + other,
    };
    let result = run();
    let (ptr, idx, values) = result.csr_data();
    problem.check_sparse(
        "nalgebra",
        &Compressed::of(ptr.iter().copied(), idx.iter().copied(), values),
    );
    Contestant::new("nalgebra", move |shot| shot.time(&run))
}

/// In columns of the transposes: `(A A)ᵀ = Aᵀ Aᵀ`.
fn faer_sparse<'a, T: Element>(problem: &'a Problem<T>, par: Par) -> Contestant<'a> {
    let a = of_faer(problem.shape, &problem.rows);
    let other = problem.transposed.as_ref().map(|rows| of_faer(problem.shape, rows));
    let run = move || {
        let a = a.as_ref().transpose();
        let result = match &other {
            None => sparse_sparse_matmul(a, a, T::rounded(1.0), par),
            Some(other) => faer::sparse::ops::add(a, other.as_ref().transpose()),
        };
        result.expect("there is memory")
    };
    let result = run();
    let (ptr, idx) = (result.symbolic().col_ptr(), result.symbolic().row_idx());
    problem.check_sparse(
        "faer",
        &Compressed::of(ptr.iter().copied(), idx.iter().copied(), result.val()),
    );
    Contestant::new("faer", move |shot| shot.time(&run))
}
