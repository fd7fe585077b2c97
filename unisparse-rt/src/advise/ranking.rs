//! Formats next to each other.

use core::fmt;

use super::{Advice, milliseconds};
use crate::{Error, Source, SparseTensor};

/// Compares formats for the elements of one source: any declared ones, none of them built.
#[derive(Debug)]
pub struct Advisor<'a, S, const N: usize> {
    source: &'a S,
    advices: Vec<Advice>,
}

impl<'a, S: Source<N>, const N: usize> Advisor<'a, S, N> {
    /// Of this source, and no format yet.
    #[must_use]
    pub fn new(source: &'a S) -> Self {
        Advisor {
            source,
            advices: Vec::new(),
        }
    }

    /// One format more: the time of [`SparseTensor::advise`], nothing is built.
    ///
    /// # Errors
    /// As [`SparseTensor::advise`].
    pub fn with<F: SparseTensor<N, Scalar = S::Scalar>>(mut self) -> Result<Self, Error> {
        self.advices.push(Advice::of::<F, N>(self.source)?);
        Ok(self)
    }

    /// The formats in the order of their times; those that would be refused come last. Of equals, the smaller first, then
    /// the one named first.
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

/// Formats in the order of the times that a product would take. Printed by `{}` as a table.
#[derive(Debug, Clone)]
pub struct Ranking {
    advices: Vec<Advice>,
}

impl Ranking {
    /// The one with the least time; `None` if all would be refused.
    #[must_use]
    pub fn best(&self) -> Option<&Advice> {
        self.advices.first().filter(|advice| advice.refusal().is_none())
    }

    /// All of them, the best first.
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
