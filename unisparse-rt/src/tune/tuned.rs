//! The result of a search.

use core::fmt;

use super::linear_operator::LinearOperator;
use super::trial::Trial;
use crate::element::Scalar;
use crate::error::Error;

/// The matrix that `tune` was given, or the same in a format in which it is multiplied faster.
pub struct Tuned<'a, T: Scalar> {
    pub(super) operator: Box<dyn LinearOperator<T> + 'a>,
    pub(super) is_original: bool,
    pub(super) trials: Vec<Trial>,
    pub(super) seconds: f64,
}

impl<T: Scalar> Tuned<'_, T> {
    /// Returns whether no other format was worth it, so that this is the matrix itself, borrowed.
    #[must_use]
    pub fn is_original(&self) -> bool {
        self.is_original
    }

    /// Returns the measured formats: first the original, then what was built, in that order; none if nothing was measured.
    #[must_use]
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// Returns the seconds that the search took, with all conversions: processor time on Linux with one thread.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

impl<T: Scalar> LinearOperator<T> for Tuned<'_, T> {
    fn format(&self) -> String {
        self.operator.format()
    }

    fn shape(&self) -> [usize; 2] {
        self.operator.shape()
    }

    fn nnz(&self) -> usize {
        self.operator.nnz()
    }

    fn bytes(&self) -> usize {
        self.operator.bytes()
    }

    fn spmv(&self, y: &mut [T], x: &[T]) -> Result<(), Error> {
        self.operator.spmv(y, x)
    }

    fn spmm(&self, c: &mut [T], b: &[T]) -> Result<(), Error> {
        self.operator.spmm(c, b)
    }
}

impl<T: Scalar> fmt::Debug for Tuned<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tuned")
            .field("format", &self.format())
            .field("shape", &self.shape())
            .field("trials", &self.trials)
            .finish_non_exhaustive()
    }
}

/// Prints the format, the time of the search, and a line for each measured format.
impl<T: Scalar> fmt::Display for Tuned<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} after {:.3} ms", self.format(), 1e3 * self.seconds)?;
        for trial in &self.trials {
            writeln!(f, "  {trial}")?;
        }
        Ok(())
    }
}
