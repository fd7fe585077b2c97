//! Products with dense vectors and matrices. Each receives its halo while the own part is computed.

use unisparse::{Scalar, SparseTensor, Stored, kernels};

use crate::dense::{DistributedMat, DistributedVec, divided_as};
use crate::element::Element;
use crate::error::{Error, ErrorKind};
use crate::matrix::Distributed;

/// Computes `y = A x`.
///
/// Each rank starts to send and receive the elements of `x` that belong to halo columns, multiplies its own part, waits for the
/// messages, multiplies the halo part, and adds. Both products are [`spmv`](fn@kernels::spmv) of one machine, on the threads of
/// the current `rayon` pool. Rows with elements in the halo are sums of two sums: results may differ in rounding from those of
/// one machine. On a rank, `O((own + halo elements) / threads)` and as many messages as [`Plan`](crate::Plan) says, of `halo columns`
/// elements in all.
///
/// # Errors
/// `Shape` or [`ErrorKind::Partition`] if the vectors are not divided as the rows and the columns of the matrix. All ranks find
/// the same without a message.
pub fn spmv<T, F, H>(y: &mut DistributedVec<T>, a: &Distributed<F, H>, x: &DistributedVec<T>) -> Result<(), Error>
where
    T: Scalar + Element,
    F: SparseTensor<2, Scalar: Element + Stored<Value = T>> + kernels::spmv,
    H: SparseTensor<2, Scalar = F::Scalar> + kernels::spmv,
{
    divided_as("spmv, output", y.partition(), a.rows())?;
    divided_as("spmv, input", x.partition(), a.columns())?;
    let (own, halo) = (
        |y: &mut [T], a: &F, x: &[T]| kernels::spmv(y, a, x),
        |y: &mut [T], a: &H, x: &[T]| kernels::spmv(y, a, x),
    );
    a.over_parts(y.own_mut(), x.own(), 1, T::ZERO, T::plus, own, halo)?;
    Ok(())
}

/// Computes `C = A B` for dense `B` and `C`, as [`spmv`] does for a vector: a message brings the rows of `B` that belong to the
/// halo columns.
///
/// # Errors
/// `Shape` or [`ErrorKind::Partition`] if the rows of `C` and `B` are not divided as the rows and the columns of `A`, or their
/// numbers of columns differ. All ranks find the same without a message.
pub fn spmm<T, F, H>(c: &mut DistributedMat<T>, a: &Distributed<F, H>, b: &DistributedMat<T>) -> Result<(), Error>
where
    T: Scalar + Element,
    F: SparseTensor<2, Scalar: Element + Stored<Value = T>> + kernels::spmm,
    H: SparseTensor<2, Scalar = F::Scalar> + kernels::spmm,
{
    divided_as("spmm, output", c.rows(), a.rows())?;
    divided_as("spmm, input", b.rows(), a.columns())?;
    let width = same_columns("spmm", c, b)?;
    if width == 0 {
        return Ok(());
    }
    let (own, halo) = (
        |c: &mut [T], a: &F, b: &[T]| kernels::spmm(c, a, b),
        |c: &mut [T], a: &H, b: &[T]| kernels::spmm(c, a, b),
    );
    a.over_parts(c.own_mut(), b.own(), width, T::ZERO, T::plus, own, halo)?;
    Ok(())
}

/// Computes `y = Aᵀ x`, without a transposed copy: `x` is divided as the rows, `y` as the columns.
///
/// Each rank visits its halo elements, starts to send the sums to the owners of their columns, visits its own part meanwhile, and adds
/// what it receives. The visits are on one thread; where many products follow, [`Distributed::transposed`] and [`spmv`] take less.
///
/// # Errors
/// As [`spmv`], with rows and columns swapped.
pub fn spmv_transposed<T, F, H>(
    y: &mut DistributedVec<T>,
    a: &Distributed<F, H>,
    x: &DistributedVec<T>,
) -> Result<(), Error>
where
    T: Scalar<Sum: Element> + Element,
    F: SparseTensor<2, Scalar: Element + Stored<Value = T>>,
    H: SparseTensor<2, Scalar = F::Scalar>,
{
    divided_as("spmv_transposed, output", y.partition(), a.columns())?;
    divided_as("spmv_transposed, input", x.partition(), a.rows())?;
    a.scatter_sums(y.own_mut(), x.own(), 1);
    Ok(())
}

/// Computes `C = Aᵀ B` for dense `B` and `C`, as [`spmv_transposed`] does for a vector.
///
/// # Errors
/// As [`spmm`], with rows and columns of `A` swapped.
pub fn spmm_transposed<T, F, H>(
    c: &mut DistributedMat<T>,
    a: &Distributed<F, H>,
    b: &DistributedMat<T>,
) -> Result<(), Error>
where
    T: Scalar<Sum: Element> + Element,
    F: SparseTensor<2, Scalar: Element + Stored<Value = T>>,
    H: SparseTensor<2, Scalar = F::Scalar>,
{
    divided_as("spmm_transposed, output", c.rows(), a.columns())?;
    divided_as("spmm_transposed, input", b.rows(), a.rows())?;
    let width = same_columns("spmm_transposed", c, b)?;
    a.scatter_sums(c.own_mut(), b.own(), width);
    Ok(())
}

/// Returns the number of columns of both matrices.
pub(crate) fn same_columns<T: Scalar + Element>(
    operation: &str,
    c: &DistributedMat<T>,
    b: &DistributedMat<T>,
) -> Result<usize, Error> {
    let ([_, found], [_, expected]) = (c.shape(), b.shape());
    if found == expected {
        return Ok(found);
    }
    Err(Error::new(
        ErrorKind::Tensor(unisparse::ErrorKind::Shape),
        format!("{operation}: the output has {found} columns, expected {expected}"),
    ))
}

impl<F, H> Distributed<F, H>
where
    F: SparseTensor<2, Scalar: Element>,
    H: SparseTensor<2, Scalar = F::Scalar>,
{
    /// Runs a kernel of yours that reads `x` as `spmv` does: `y[i] op= f(A[i, j], x[j])`, where `op` is associative and
    /// commutative.
    ///
    /// `own` is called with the elements of `y` and `x` of this rank and the own part, while messages bring the halo of `x`. Then
    /// `halo` is called with the halo part, the halo of `x`, and an output of `identity`, one element for each of the
    /// [`halo_rows`](Self::halo_rows); `combine` adds its results to `y`. It is not called on a rank without a halo. Terms without `A` belong into `own` only.
    ///
    /// ```no_run
    /// use unisparse_mpi::prelude::*;
    ///
    /// sparse_kernel! {
    ///     /// One round of relaxing the edges into each node.
    ///     fn relax: d[i] min= A[i, j] + s[j] where A: Csr;
    /// }
    /// # let world = unisparse_mpi::initialize()?;
    /// # let a: Distributed<Csr<f64>> = Distributed::read_matrix_market(&world, "graph.mtx")?;
    /// let before = DistributedVec::from_fn(&world, a.columns(), |i| if i == 0 { 0.0 } else { f64::INFINITY });
    /// let mut after = before.clone();
    /// a.apply(&mut after, &before, f64::INFINITY, f64::min, relax, relax)?;
    /// # Ok::<(), unisparse_mpi::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`spmv`], and what a kernel returns on any rank.
    pub fn apply<X: Scalar + Element, Y: Scalar + Element>(
        &self,
        y: &mut DistributedVec<Y>,
        x: &DistributedVec<X>,
        identity: Y,
        combine: impl Fn(Y, Y) -> Y,
        own: impl FnOnce(&mut [Y], &F, &[X]) -> Result<(), unisparse::Error>,
        halo: impl FnOnce(&mut [Y], &H, &[X]) -> Result<(), unisparse::Error>,
    ) -> Result<(), Error> {
        divided_as("apply, output", y.partition(), self.rows())?;
        divided_as("apply, input", x.partition(), self.columns())?;
        let done = self.over_parts(y.own_mut(), x.own(), 1, identity, combine, own, halo);
        self.world().agree(done)
    }

    /// Runs kernels over both parts, for dense operands of `width` columns.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn over_parts<X: Element, Y: Scalar>(
        &self,
        y: &mut [Y],
        x: &[X],
        width: usize,
        identity: Y,
        combine: impl Fn(Y, Y) -> Y,
        own: impl FnOnce(&mut [Y], &F, &[X]) -> Result<(), unisparse::Error>,
        halo: impl FnOnce(&mut [Y], &H, &[X]) -> Result<(), unisparse::Error>,
    ) -> Result<(), unisparse::Error> {
        let columns = self.columns_of_others();
        let (x_of_others, done) = columns.fetch(self.world(), x, width, || own(y, self.own(), x));
        done?;
        let rows = self.halo_rows();
        if rows.is_empty() {
            return Ok(());
        }
        let mut more = vec![identity; rows.len() * width];
        halo(&mut more, self.halo(), &x_of_others)?;
        for (row, more) in rows.iter().zip(more.chunks_exact(width)) {
            let y = &mut y[row * width..(row + 1) * width];
            y.iter_mut().zip(more).for_each(|(y, more)| *y = combine(*y, *more));
        }
        Ok(())
    }

    /// Sets `y` to the products of the transposed matrix with the rows of `x`, of `width` elements each. Sums have the type that kernels
    /// sum in, on all ranks.
    fn scatter_sums<T>(&self, y: &mut [T], x: &[T], width: usize)
    where
        T: Scalar<Sum: Element> + Element,
        F::Scalar: Stored<Value = T>,
    {
        let add = |to: &mut [T::Sum], value: T, from: &[T]| {
            to.iter_mut()
                .zip(from)
                .for_each(|(to, from)| *to = to.plus(value.wide().times(from.wide())));
        };
        let row = |at: usize| at * width..(at + 1) * width;
        let (columns, rows) = (self.columns_of_others(), self.halo_rows());
        let mut of_others = vec![T::Sum::ZERO; columns.columns.len() * width];
        self.halo()
            .for_each(|[i, j], value| add(&mut of_others[row(j)], value.value(), &x[row(rows[i])]));
        let (received, mut sums) = columns.give_back(self.world(), &of_others, width, || {
            let mut sums = vec![T::Sum::ZERO; y.len()];
            self.own()
                .for_each(|[i, j], value| add(&mut sums[row(j)], value.value(), &x[row(i)]));
            sums
        });
        for (at, column) in columns.wanted.iter().enumerate() {
            let received = &received[row(at)];
            sums[row(*column)]
                .iter_mut()
                .zip(received)
                .for_each(|(sum, more)| *sum = sum.plus(*more));
        }
        y.iter_mut().zip(sums).for_each(|(y, sum)| *y = T::narrow(sum));
    }
}
