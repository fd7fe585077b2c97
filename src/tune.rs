//! A matrix in the format in which it is multiplied fastest.

use std::ops::Deref;

use unisparse_rt::private::{Candidate, Search};

use crate::formats::*;
use crate::kernels::items::{spmm, spmv};
use crate::{Error, Limit, LinearOperator, Scalar, SparseTensor, Tuned, Use};

/// A matrix, owned or borrowed.
struct Matrix<P>(P);

impl<T, F, P> LinearOperator<T> for Matrix<P>
where
    T: Scalar,
    F: SparseTensor<2, Scalar = T> + spmv<Scalar = T> + spmm<Scalar = T>,
    P: Deref<Target = F> + Send + Sync,
{
    fn format(&self) -> String {
        F::describe().title()
    }

    fn shape(&self) -> [usize; 2] {
        self.0.shape()
    }

    fn nnz(&self) -> usize {
        SparseTensor::nnz(&*self.0)
    }

    fn bytes(&self) -> usize {
        SparseTensor::bytes(&*self.0)
    }

    fn spmv(&self, y: &mut [T], x: &[T]) -> Result<(), Error> {
        spmv(y, &*self.0, x)
    }

    fn spmm(&self, c: &mut [T], b: &[T]) -> Result<(), Error> {
        spmm(c, &*self.0, b)
    }
}

/// Finds the format in which a matrix is multiplied fastest, if the time that this saves is more than the search takes.
///
/// The result holds the matrix in that format, or borrows `a` if no other is worth it. The search measures a product by `a`,
/// lets the model of [`advise`](fn@crate::advise) rank the stock formats by a sample of the rows, then converts to the most
/// promising ones and measures them, as long as the stated number of calls is expected to pay for it. It runs on the threads
/// of the current `rayon` pool, on which the calls should run, too.
///
/// ```
/// use unisparse::prelude::*;
/// use unisparse::{LinearOperator, Use};
///
/// let band = (0..3000).flat_map(|i| (0..3).map(move |step| ([i, (i + step) % 3000], 1.0)));
/// let a = Csr::try_from_triplets([3000, 3000], band)?;
/// let fast = unisparse::tune(&a, Use::Spmv { calls: 1000 })?;
/// let mut y = vec![0.0; 3000];
/// fast.spmv(&mut y, &vec![2.0; 3000])?;
/// assert_eq!(y, vec![6.0; 3000]);
/// println!("{fast}"); // the format, and what was measured
/// # Ok::<(), unisparse::Error>(())
/// ```
///
/// [`Tuner`] has formats of yours as candidates. Each candidate is compiled for the type of `a`, with its advice, conversion
/// and products. A search costs a share of the calls even where nothing is faster than `a`.
///
/// # Errors
/// Those of conversions, except `Limit` and `Overflow`: formats that would store mostly padding are left out.
pub fn tune<T, S>(a: &S, wanted: Use) -> Result<Tuned<'_, T>, Error>
where
    T: Scalar,
    S: SparseTensor<2, Scalar = T> + spmv<Scalar = T> + spmm<Scalar = T> + 'static,
{
    Tuner::new(a, wanted).with_stock().tune()
}

/// A search as [`tune`](fn@tune) makes it, among chosen formats.
///
/// ```
/// use unisparse::prelude::*;
/// use unisparse::{LinearOperator, Tuner, Use};
///
/// sparse_format! {
///     /// Diagonals of blocks of `B` rows.
///     format Mine<const B: usize = 48> = |i, j| (block: i / B, diag: j - i, lane: i % B) { merge(block); trim(diag); }
/// }
/// let band = (0..3000).flat_map(|i| (0..3).map(move |step| ([i, (i + step) % 3000], 1.0)));
/// let a = Csr::try_from_triplets([3000, 3000], band)?;
/// let tuner = Tuner::new(&a, Use::Spmm { columns: 8, calls: 500 });
/// let fast = tuner.with::<Mine<f64, 24>>().with::<Mine<f64, 48>>().within(Limit::bytes(1 << 20)).tune()?;
/// assert!(fast.bytes() <= 1 << 20);
/// let mut c = vec![0.0; 8 * 3000];
/// fast.spmm(&mut c, &vec![2.0; 8 * 3000])?;
/// assert_eq!(c, vec![6.0; 8 * 3000]);
/// # Ok::<(), unisparse::Error>(())
/// ```
#[must_use = "a search does nothing until `tune`"]
pub struct Tuner<'a, T: Scalar, S> {
    source: &'a S,
    search: Search<'a, T>,
}

impl<'a, T, S> Tuner<'a, T, S>
where
    T: Scalar,
    S: SparseTensor<2, Scalar = T> + spmv<Scalar = T> + spmm<Scalar = T> + 'static,
{
    /// Starts a search without candidates but the format of `a` itself.
    pub fn new(a: &'a S, wanted: Use) -> Self {
        Tuner {
            source: a,
            search: Search::new(a, Box::new(Matrix(a)), wanted),
        }
    }

    /// Adds a format. Those added last are left out if the time of all calls is short.
    pub fn with<F>(mut self) -> Self
    where
        F: SparseTensor<2, Scalar = T> + spmv<Scalar = T> + spmm<Scalar = T> + Send + 'static,
    {
        let hold = |built: F| -> Box<dyn LinearOperator<T> + 'a> { Box::new(Matrix(Box::new(built))) };
        self.search.with(Candidate::of(self.source, hold));
        self
    }

    /// Adds the stock formats that suit some matrices best, in common block sizes.
    pub fn with_stock(self) -> Self {
        macro_rules! all {
            ($($format:ident $(<$($argument:literal),*>)?),*) => {
                self$(.with::<$format<T $($(, $argument)*)?>>())*
            };
        }
        all!(
            Csr, Bdia<64>, Bdia<16>, Bcsr<3, 3>, Bcsr<2, 2>, Bcsr<4, 4>, Sell<8, 4096>, Sell<8, 64>, BdiaCsr<64>, Bcsr<6, 6>,
            Bcsr<8, 8>, Dcsr, Dia
        )
    }

    /// Bounds the bytes of each format that is built; the default is the [`Limit`] of conversions.
    pub fn within(mut self, limit: Limit) -> Self {
        self.search.within(limit);
        self
    }

    /// Runs the search.
    ///
    /// # Errors
    /// As [`tune`](fn@tune).
    pub fn tune(self) -> Result<Tuned<'a, T>, Error> {
        self.search.run()
    }
}
