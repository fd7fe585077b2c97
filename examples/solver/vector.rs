//! What solvers need of vectors, on one machine or on several.

/// A vector, of which this process has all elements or a part.
pub(crate) trait Vector: Clone {
    /// The error of operations on such vectors.
    type Error: From<unisparse::Error>;

    /// Returns the elements of this process.
    fn elements(&self) -> &[f64];

    /// Returns the elements of this process for modification.
    fn elements_mut(&mut self) -> &mut [f64];

    /// Returns the sum of a number of each process.
    fn total(&self, own: f64) -> f64;
}

impl Vector for Vec<f64> {
    type Error = unisparse::Error;

    fn elements(&self) -> &[f64] {
        self
    }

    fn elements_mut(&mut self) -> &mut [f64] {
        self
    }

    fn total(&self, own: f64) -> f64 {
        own
    }
}
