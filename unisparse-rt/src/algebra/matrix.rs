//! Operations on matrices.

use super::combine::Ordered;
use super::{joined, make, product, room};
use crate::convert::assemble::by_dims::for_each_once;
use crate::describe::Spy;
use crate::element::{Scalar, Stored};
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use crate::source::{Transposed, ValueOf};
use crate::tensor::SparseTensor;
use crate::triplets::Triplets;

/// Operations that every matrix has, beside those of [every tensor](super::Operations). Results are vectors, or matrices in any
/// format, which the caller names.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{MatrixOperations, Triplets};
/// let a = Triplets::diags([3, 3], &[(-1, &[1.0, 2.0]), (0, &[4.0, 5.0, 6.0])])?;
/// assert_eq!((a.diag()?, a.trace()?), (vec![4.0, 5.0, 6.0], 15.0));
/// assert_eq!(a.row_sums()?, [4.0, 6.0, 8.0]);
/// let lower: Triplets<f64, 2> = a.tril(-1)?;
/// assert_eq!(lower.iter().collect::<Vec<_>>(), [([1, 0], 1.0), ([2, 1], 2.0)]);
/// # Ok::<(), unisparse::Error>(())
/// ```
pub trait MatrixOperations: SparseTensor<2> {
    /// Returns the elements of the main diagonal, zero where none is stored. `O(nnz)`.
    ///
    /// # Errors
    /// `Limit` if there is no memory for the diagonal.
    fn diag(&self) -> Result<Vec<ValueOf<Self, 2>>, Error> {
        let [rows, columns] = self.shape();
        self.sums("the diagonal", rows.min(columns), |[i, j]| (i == j).then_some(i))
    }

    /// Returns the sum of the main diagonal. `O(nnz)`.
    ///
    /// # Errors
    /// As for a conversion, if elements are repeated.
    fn trace(&self) -> Result<ValueOf<Self, 2>, Error> {
        let sums = self.sums("the trace", 1, |[i, j]| (i == j).then_some(0))?;
        Ok(sums[0])
    }

    /// Returns the sum of each row. `O(nnz + rows)`.
    ///
    /// # Errors
    /// `Limit` if there is no memory for the sums.
    fn row_sums(&self) -> Result<Vec<ValueOf<Self, 2>>, Error> {
        self.sums("the sums of the rows", self.shape()[0], |[i, _]| Some(i))
    }

    /// Returns the sum of each column. `O(nnz + columns)`.
    ///
    /// # Errors
    /// `Limit` if there is no memory for the sums.
    fn col_sums(&self) -> Result<Vec<ValueOf<Self, 2>>, Error> {
        self.sums("the sums of the columns", self.shape()[1], |[_, j]| Some(j))
    }

    /// Adds each element to the sum that `place` names.
    #[doc(hidden)]
    fn sums(
        &self,
        what: &'static str,
        count: usize,
        place: impl Fn([usize; 2]) -> Option<usize>,
    ) -> Result<Vec<ValueOf<Self, 2>>, Error> {
        let mut sums = room::filled(what, <ValueOf<Self, 2> as Scalar>::Sum::ZERO, count)?;
        let mut add = |at, value: Self::Scalar| {
            if let Some(sum) = place(at).and_then(|place| sums.get_mut(place)) {
                *sum = sum.plus(value.wide());
            }
        };
        for_each_once(what, self, &mut add)?;
        Ok(sums.into_iter().map(Scalar::narrow).collect())
    }

    /// Multiplies each row by a factor, in place. Time, memory and further errors as for [`update`](SparseTensor::update).
    ///
    /// # Errors
    /// `Length` unless there is one factor for each row.
    fn scale_rows(&mut self, factors: &[Self::Scalar]) -> Result<(), Error>
    where
        Self::Scalar: Scalar,
    {
        one_for_each("row", factors.len(), self.shape()[0])?;
        self.update(|[i, _], value| factors[i].times(value))
    }

    /// Multiplies each column by a factor, in place. Time, memory and further errors as for [`update`](SparseTensor::update).
    ///
    /// # Errors
    /// `Length` unless there is one factor for each column.
    fn scale_cols(&mut self, factors: &[Self::Scalar]) -> Result<(), Error>
    where
        Self::Scalar: Scalar,
    {
        one_for_each("column", factors.len(), self.shape()[1])?;
        self.update(|[_, j], value| value.times(factors[j]))
    }

    /// Returns the elements on and below diagonal `k`: those with `j - i <= k`.
    ///
    /// # Errors
    /// As for a conversion.
    fn tril<C: SparseTensor<2, Scalar = Self::Scalar>>(&self, k: isize) -> Result<C, Error> {
        C::assemble(
            &filtered(self, |[i, j]| j as i128 - i as i128 <= k as i128),
            Limit::default(),
        )
    }

    /// Returns the elements on and above diagonal `k`: those with `j - i >= k`.
    ///
    /// # Errors
    /// As for a conversion.
    fn triu<C: SparseTensor<2, Scalar = Self::Scalar>>(&self, k: isize) -> Result<C, Error> {
        C::assemble(
            &filtered(self, |[i, j]| j as i128 - i as i128 >= k as i128),
            Limit::default(),
        )
    }

    /// Returns the matrix product, in the format that the caller names. The rows are computed one after another, as
    /// [Gustavson's algorithm](https://doi.org/10.1145/355791.355796) does; the kernel `spgemm` reads the matrices where they
    /// are, on all threads.
    ///
    /// # Errors
    /// `Shape` if the other matrix does not have as many rows as this one has columns, otherwise as for a conversion.
    fn matmul<C, B>(&self, other: &B) -> Result<C, Error>
    where
        Self::Scalar: Scalar,
        B: SparseTensor<2, Scalar = Self::Scalar>,
        C: SparseTensor<2, Scalar = Self::Scalar>,
    {
        let (left, right) = (Ordered::of(Self::NAME, self)?, Ordered::of(B::NAME, other)?);
        let result = product::matrix(&left, &right, [self.shape(), other.shape()])?;
        C::assemble(&result, Limit::default())
    }

    /// Returns the transpose, and consumes the matrix. No element is moved, and no array is copied, if the format of the result
    /// has the same levels, of the swapped dims: a `Csr` becomes a `Csc` of the same arrays, and a `Bcsr<2, 3>` a
    /// `Bcsc<3, 2>`. Other formats are assembled.
    ///
    /// # Errors
    /// As for a conversion.
    fn into_transposed<C: SparseTensor<2, Scalar = Self::Scalar>>(self) -> Result<C, Error> {
        C::assemble_from(Transposed(self), Limit::default())
    }

    /// Returns a picture of where elements are stored, as text or SVG. `O(nnz)`.
    fn spy(&self) -> Spy {
        Spy::of(self)
    }

    /// Returns a matrix with ones on the main diagonal.
    ///
    /// # Errors
    /// `Limit` if there is no memory for the ones, otherwise as for a conversion.
    fn eye(shape: [usize; 2]) -> Result<Self, Error>
    where
        Self::Scalar: Scalar,
    {
        let count = shape[0].min(shape[1]);
        let mut ones = room::triplets("the identity", shape, count)?;
        for at in 0..count {
            ones.add([at, at], Scalar::ONE);
        }
        Self::assemble(&ones, Limit::default())
    }

    /// Returns a matrix with the given diagonals: diagonal `k` has the elements `[i, i + k]`. If one is given twice, the values
    /// are added.
    ///
    /// # Errors
    /// `Length` if a diagonal does not have as many values as its place in the shape, otherwise as for a conversion.
    fn diags(shape: [usize; 2], diagonals: &[(isize, &[Self::Scalar])]) -> Result<Self, Error>
    where
        Self::Scalar: Scalar,
    {
        Self::assemble(&make::diagonals(shape, diagonals)?, Limit::default())
    }

    /// Returns the matrices one below the other.
    ///
    /// # Errors
    /// `Shape` if their columns differ in number, `Structure` without a matrix, otherwise as for a conversion.
    fn vstack<B: SparseTensor<2, Scalar = Self::Scalar>>(matrices: &[&B]) -> Result<Self, Error> {
        let blocks: Vec<[Option<&B>; 1]> = matrices.iter().map(|matrix| [Some(*matrix)]).collect();
        let rows: Vec<&[Option<&B>]> = blocks.iter().map(|row| &row[..]).collect();
        Self::assemble(&joined::blocks("vstack", &rows)?, Limit::default())
    }

    /// Returns the matrices one beside the other.
    ///
    /// # Errors
    /// `Shape` if their rows differ in number, `Structure` without a matrix, otherwise as for a conversion.
    fn hstack<B: SparseTensor<2, Scalar = Self::Scalar>>(matrices: &[&B]) -> Result<Self, Error> {
        let row: Vec<Option<&B>> = matrices.iter().map(|matrix| Some(*matrix)).collect();
        Self::assemble(&joined::blocks("hstack", &[&row])?, Limit::default())
    }

    /// Returns the matrix of these blocks, row by row; `None` is a block of zeros.
    ///
    /// # Errors
    /// `Length` if the rows of blocks have different lengths, `Structure` if there are no blocks, or a row or a column of blocks
    /// has none that gives its extent, `Shape` if blocks side by side do not fit, otherwise as for a conversion.
    fn block<B: SparseTensor<2, Scalar = Self::Scalar>>(rows: &[&[Option<&B>]]) -> Result<Self, Error> {
        Self::assemble(&joined::blocks("block", rows)?, Limit::default())
    }
}

impl<A: SparseTensor<2>> MatrixOperations for A {}

/// Returns the elements whose coordinates satisfy a condition.
fn filtered<A: SparseTensor<2>>(matrix: &A, keep: impl Fn([usize; 2]) -> bool) -> Triplets<A::Scalar, 2> {
    let mut result = Triplets::new(matrix.shape()).duplicates(matrix.duplicates());
    matrix.for_each(|at, value| {
        if keep(at) {
            result.add(at, value);
        }
    });
    result
}

fn one_for_each(what: &str, found: usize, extent: usize) -> Result<(), Error> {
    if found == extent {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Length,
        "the factors",
        None,
        format!("{found} {}", if found == 1 { "factor" } else { "factors" }),
        format!("{extent}, one for each {what}"),
    ))
}
