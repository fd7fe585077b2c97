//! Ranks formats by time.

use core::fmt;

use crate::error::Error;
use crate::model::{Advice, milliseconds};
use crate::source::Source;
use crate::tensor::SparseTensor;

/// Compares any declared formats for the elements of one source, without building them.
#[derive(Debug)]
pub struct Advisor<'a, S, const N: usize> {
    source: &'a S,
    advices: Vec<Advice>,
}

impl<'a, S: Source<N>, const N: usize> Advisor<'a, S, N> {
    /// Starts a comparison for this source, without formats.
    #[must_use]
    pub fn new(source: &'a S) -> Self {
        Advisor {
            source,
            advices: Vec::new(),
        }
    }

    /// Adds a format. Takes as long as [`SparseTensor::advise`]; nothing is built.
    ///
    /// # Errors
    /// As [`SparseTensor::advise`].
    pub fn with<F: SparseTensor<N, Scalar = S::Scalar>>(mut self) -> Result<Self, Error> {
        self.advices.push(F::advise(self.source)?);
        Ok(self)
    }

    /// Ranks the formats by time; formats that would be refused come last. Ties are broken by size, then by the order of the
    /// calls of [`with`](Self::with).
    #[must_use]
    pub fn rank(self) -> Ranking {
        let mut advices = self.advices;
        advices.sort_by(|left, right| {
            let by_refusal = left.refusal().is_some().cmp(&right.refusal().is_some());
            let by_time = left.seconds().total_cmp(&right.seconds());
            by_refusal.then(by_time).then(left.bytes().cmp(&right.bytes()))
        });
        Ranking { advices }
    }
}

/// Formats ordered by the modelled time of a product. `{}` prints them as a table.
#[derive(Debug, Clone)]
pub struct Ranking {
    advices: Vec<Advice>,
}

impl Ranking {
    /// Returns the format with the least time; `None` if all would be refused.
    #[must_use]
    pub fn best(&self) -> Option<&Advice> {
        self.advices.first().filter(|advice| advice.refusal().is_none())
    }

    /// Iterates over all formats, the best first.
    pub fn iter(&self) -> core::slice::Iter<'_, Advice> {
        self.advices.iter()
    }
}

impl<'a> IntoIterator for &'a Ranking {
    type Item = &'a Advice;
    type IntoIter = core::slice::Iter<'a, Advice>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self
            .advices
            .iter()
            .map(|advice| advice.format().len())
            .max()
            .unwrap_or(0)
            .max(6);
        writeln!(
            f,
            "{:width$}  {:>12}  {:>12}  {:>9}  why",
            "format", "stored", "bytes", "ms"
        )?;
        for advice in self {
            let [stored, bytes] = [advice.stored(), advice.bytes()];
            let time = match advice.refusal() {
                None => milliseconds(advice.seconds()),
                Some(_) => "-".to_owned(),
            };
            let (format, why) = (advice.format(), advice.why());
            writeln!(f, "{format:width$}  {stored:>12}  {bytes:>12}  {time:>9}  {why}")?;
        }
        Ok(())
    }
}
