//! A matrix of any format that can be multiplied by dense operands, behind one type.

use crate::element::Scalar;
use crate::error::Error;

/// A matrix in some format, and its products with dense operands. `tune` makes one of any declared format of two dims.
pub trait LinearOperator<T: Scalar>: Send + Sync {
    /// Returns the format and its const parameters: `Bdia<B=64>`.
    fn format(&self) -> String;

    /// Returns the numbers of rows and of columns.
    fn shape(&self) -> [usize; 2];

    /// Returns the number of stored elements, excluding holes.
    fn nnz(&self) -> usize;

    /// Returns the bytes of all arrays.
    fn bytes(&self) -> usize;

    /// Computes `y[i] = A[i, j] * x[j]`.
    ///
    /// # Errors
    /// `Shape` if the lengths do not fit the matrix.
    fn spmv(&self, y: &mut [T], x: &[T]) -> Result<(), Error>;

    /// Computes `C[i, n] = A[i, j] * B[j, n]`, for row-major `B` and `C`.
    ///
    /// # Errors
    /// `Shape` if the lengths do not fit the matrix, or each other.
    fn spmm(&self, c: &mut [T], b: &[T]) -> Result<(), Error>;
}
