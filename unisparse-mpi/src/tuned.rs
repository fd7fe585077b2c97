//! Products in the formats that a search finds on each rank.

use std::fmt;

use unisparse::{LinearOperator, Scalar, SparseTensor, Stored, Tuned};

use crate::dense::{DistributedMat, DistributedVec, divided_as};
use crate::element::Element;
use crate::error::Error;
use crate::matrix::Distributed;
use crate::product::same_columns;

/// A distributed matrix, each part of which is multiplied in the format that a search has found on its rank:
/// [`Distributed::tuned`] makes it.
pub struct TunedProduct<'a, T: Scalar, F, H> {
    matrix: &'a Distributed<F, H>,
    own: Tuned<'a, T>,
    halo: Tuned<'a, T>,
}

impl<F, H> Distributed<F, H>
where
    F: SparseTensor<2, Scalar: Element>,
    H: SparseTensor<2, Scalar = F::Scalar>,
{
    /// Searches a format for each part of each rank, as [`unisparse::tune`](fn@unisparse::tune) does. Ranks may find different ones.
    ///
    /// ```no_run
    /// use unisparse::{Use, tune};
    /// use unisparse_mpi::prelude::*;
    ///
    /// # let world = unisparse_mpi::initialize()?;
    /// let a: Distributed<Csr<f64>> = Distributed::read_matrix_market(&world, "a.mtx")?;
    /// let (x, mut y) = (DistributedVec::zeros(&world, a.columns()), DistributedVec::zeros(&world, a.rows()));
    /// let calls = 1000;
    /// let fast = a.tuned(|own| tune(own, Use::Spmv { calls }), |halo| tune(halo, Use::Spmv { calls }))?;
    /// fast.spmv(&mut y, &x)?;
    /// println!("{fast:?}");
    /// # Ok::<(), unisparse_mpi::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the searches.
    pub fn tuned<'a, T: Scalar>(
        &'a self,
        own: impl FnOnce(&'a F) -> Result<Tuned<'a, T>, unisparse::Error>,
        halo: impl FnOnce(&'a H) -> Result<Tuned<'a, T>, unisparse::Error>,
    ) -> Result<TunedProduct<'a, T, F, H>, Error>
    where
        F::Scalar: Stored<Value = T>,
    {
        let found = own(self.own()).and_then(|own| Ok((own, halo(self.halo())?)));
        let (own, halo) = self.world().agree(found)?;
        Ok(TunedProduct {
            matrix: self,
            own,
            halo,
        })
    }
}

impl<'a, T, F, H> TunedProduct<'a, T, F, H>
where
    T: Scalar + Element,
    F: SparseTensor<2, Scalar: Element + Stored<Value = T>>,
    H: SparseTensor<2, Scalar = F::Scalar>,
{
    /// Returns the own part of this rank in the format that was found. Not collective.
    #[must_use]
    pub fn own(&self) -> &Tuned<'a, T> {
        &self.own
    }

    /// Returns the halo part of this rank in the format that was found. Not collective.
    #[must_use]
    pub fn halo(&self) -> &Tuned<'a, T> {
        &self.halo
    }

    /// Computes `y = A x`, see [`spmv`](fn@crate::spmv).
    ///
    /// # Errors
    /// As [`spmv`](fn@crate::spmv).
    pub fn spmv(&self, y: &mut DistributedVec<T>, x: &DistributedVec<T>) -> Result<(), Error> {
        divided_as("spmv, output", y.partition(), self.matrix.rows())?;
        divided_as("spmv, input", x.partition(), self.matrix.columns())?;
        let own = |y: &mut [T], _: &F, x: &[T]| self.own.spmv(y, x);
        let halo = |y: &mut [T], _: &H, x: &[T]| self.halo.spmv(y, x);
        self.matrix
            .over_parts(y.own_mut(), x.own(), 1, T::ZERO, T::plus, own, halo)?;
        Ok(())
    }

    /// Computes `C = A B`, see [`spmm`](fn@crate::spmm).
    ///
    /// # Errors
    /// As [`spmm`](fn@crate::spmm).
    pub fn spmm(&self, c: &mut DistributedMat<T>, b: &DistributedMat<T>) -> Result<(), Error> {
        divided_as("spmm, output", c.rows(), self.matrix.rows())?;
        divided_as("spmm, input", b.rows(), self.matrix.columns())?;
        let width = same_columns("spmm", c, b)?;
        let own = |c: &mut [T], _: &F, b: &[T]| self.own.spmm(c, b);
        let halo = |c: &mut [T], _: &H, b: &[T]| self.halo.spmm(c, b);
        if width > 0 {
            self.matrix
                .over_parts(c.own_mut(), b.own(), width, T::ZERO, T::plus, own, halo)?;
        }
        Ok(())
    }
}

impl<T: Scalar, F, H> fmt::Debug for TunedProduct<'_, T, F, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "TunedProduct(own part in {}, halo in {})",
            self.own.format(),
            self.halo.format()
        )
    }
}
