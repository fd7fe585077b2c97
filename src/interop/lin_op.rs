//! A matrix in any format as a linear operator of `faer`.

use core::fmt;

use faer::dyn_stack::{MemStack, StackReq};
use faer::matrix_free::{BiLinOp, BiPrecond, LinOp, Precond};
use faer::reborrow::ReborrowMut;
use faer::traits::ComplexField;
use faer::{MatMut, MatRef, Par};
use unisparse_rt::{Scalar, SparseTensor, Stored};

use crate::kernels::items::spmv;

/// A matrix in any format as a linear operator of `faer`, for its iterative solvers.
///
/// ```
/// use faer::Par;
/// use faer::matrix_free::LinOp;
/// use unisparse::interop::AsLinOp;
/// use unisparse::prelude::*;
///
/// let a = Dia::try_from_triplets([2, 2], [([0, 0], 2.0), ([1, 1], 3.0)])?;
/// let x = faer::mat![[1.0], [10.0]];
/// let mut y = faer::Mat::zeros(2, 1);
/// AsLinOp(&a).apply(y.as_mut(), x.as_ref(), Par::Seq, faer::dyn_stack::MemStack::new(&mut []));
/// assert_eq!(y, faer::mat![[2.0], [30.0]]);
/// # Ok::<(), unisparse::Error>(())
/// ```
///
/// `apply` is the kernel `spmv`, once for each column, on the threads of the current `rayon` pool: results do not depend on
/// their number, and `Par` is not read. Transposed products visit the elements on the calling thread. Columns with gaps between
/// their elements are copied, and so are those of conjugated products of complex matrices.
pub struct AsLinOp<'a, A>(pub &'a A);

impl<A: SparseTensor<2>> fmt::Debug for AsLinOp<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.0.shape();
        write!(f, "AsLinOp({}, {rows} x {columns})", A::NAME)
    }
}

/// Sets each column of `out` to what `column` makes of that column of `rhs`.
fn each_column<T: ComplexField + Copy>(
    mut out: MatMut<'_, T>,
    rhs: MatRef<'_, T>,
    conjugate: bool,
    mut column: impl FnMut(&mut [T], &[T]),
) {
    assert!(
        out.ncols() == rhs.ncols(),
        "the output has {} columns, the right side {}",
        out.ncols(),
        rhs.ncols()
    );
    let conjugated = |value: &T| {
        if conjugate {
            faer::traits::math_utils::conj(value)
        } else {
            *value
        }
    };
    for number in 0..rhs.ncols() {
        let (mut to, from) = (out.rb_mut().col_mut(number), rhs.col(number));
        if let (Some(to), Some(from), false) = (to.rb_mut().try_as_col_major_mut(), from.try_as_col_major(), conjugate)
        {
            column(to.as_slice_mut(), from.as_slice());
            continue;
        }
        let from: Vec<T> = from.iter().map(conjugated).collect();
        let mut product = vec![T::zero_impl(); to.nrows()];
        column(&mut product, &from);
        for (to, product) in to.iter_mut().zip(&product) {
            *to = conjugated(product);
        }
    }
}

impl<A, T> AsLinOp<'_, A>
where
    A: SparseTensor<2, Scalar: Stored<Value = T>> + spmv,
    T: ComplexField + Scalar,
{
    /// Sets `y` to `A x`.
    #[track_caller]
    fn multiply(&self, y: &mut [T], x: &[T]) {
        if let Err(error) = spmv(y, self.0, x) {
            panic!("{error}");
        }
    }

    /// Sets `y` to `Aᵀ x`.
    #[track_caller]
    fn multiply_transposed(&self, y: &mut [T], x: &[T]) {
        let [rows, columns] = self.0.shape();
        assert!(
            (y.len(), x.len()) == (columns, rows),
            "a {rows} x {columns} matrix takes {rows} elements to {columns} if transposed, not {} to {}",
            x.len(),
            y.len()
        );
        y.fill(Scalar::ZERO);
        self.0
            .for_each(|[i, j], value| y[j] = y[j].plus(value.value().times(x[i])));
    }
}

impl<A, T> LinOp<T> for AsLinOp<'_, A>
where
    A: SparseTensor<2, Scalar: Stored<Value = T>> + spmv,
    T: ComplexField + Scalar,
{
    fn apply_scratch(&self, _: usize, _: Par) -> StackReq {
        StackReq::EMPTY
    }

    fn nrows(&self) -> usize {
        self.0.shape()[0]
    }

    fn ncols(&self) -> usize {
        self.0.shape()[1]
    }

    #[track_caller]
    fn apply(&self, out: MatMut<'_, T>, rhs: MatRef<'_, T>, _: Par, _: &mut MemStack) {
        each_column(out, rhs, false, |y, x| self.multiply(y, x));
    }

    #[track_caller]
    fn conj_apply(&self, out: MatMut<'_, T>, rhs: MatRef<'_, T>, _: Par, _: &mut MemStack) {
        // The conjugate of A times x is the conjugate of A times the conjugate of x.
        each_column(out, rhs, !T::IS_REAL, |y, x| self.multiply(y, x));
    }
}

impl<A, T> BiLinOp<T> for AsLinOp<'_, A>
where
    A: SparseTensor<2, Scalar: Stored<Value = T>> + spmv,
    T: ComplexField + Scalar,
{
    fn transpose_apply_scratch(&self, _: usize, _: Par) -> StackReq {
        StackReq::EMPTY
    }

    #[track_caller]
    fn transpose_apply(&self, out: MatMut<'_, T>, rhs: MatRef<'_, T>, _: Par, _: &mut MemStack) {
        each_column(out, rhs, false, |y, x| self.multiply_transposed(y, x));
    }

    #[track_caller]
    fn adjoint_apply(&self, out: MatMut<'_, T>, rhs: MatRef<'_, T>, _: Par, _: &mut MemStack) {
        each_column(out, rhs, !T::IS_REAL, |y, x| self.multiply_transposed(y, x));
    }
}

impl<A, T> Precond<T> for AsLinOp<'_, A>
where
    A: SparseTensor<2, Scalar: Stored<Value = T>> + spmv,
    T: ComplexField + Scalar,
{
}

impl<A, T> BiPrecond<T> for AsLinOp<'_, A>
where
    A: SparseTensor<2, Scalar: Stored<Value = T>> + spmv,
    T: ComplexField + Scalar,
{
}
