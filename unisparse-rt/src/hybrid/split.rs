//! Divides the elements of a tensor among the parts of a hybrid, by the numbers of their groups.

use crate::convert::assemble::by_dims::queries_by_dims;
use crate::convert::query::Queries;
use crate::element::Stored;
use crate::error::Error;
use crate::limit::Limit;
use crate::source::{Duplicates, Source, check_inside};
use crate::tensor::SparseTensor;

/// The elements of a tensor in logical order, with the number of each element's group.
pub struct Numbered<T, const N: usize> {
    pub(super) shape: [usize; N],
    pub(super) coordinates: Vec<[usize; N]>,
    pub(super) values: Vec<T>,
    pub(super) numbers: Vec<[i64; 1]>,
    pub(super) limit: Limit,
}

impl<T: Stored, const N: usize> Numbered<T, N> {
    /// Collects the elements of a source, with the results of the query that `evaluate` evaluates.
    ///
    /// # Errors
    /// As [`gather`] and the query.
    pub fn new<S: Source<N, Scalar = T>>(
        hybrid: &'static str,
        source: &S,
        limit: Limit,
        evaluate: impl FnOnce(&mut Queries<T, N, 1>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut queries = queries_by_dims(hybrid, source)?;
        let shape = queries.shape();
        queries.limit(limit.allowed(queries.count(), size_of::<T>(), &shape));
        evaluate(&mut queries)?;
        let (coordinates, values, numbers) = queries.into_parts();
        if !S::IS_CHECKED {
            // The visit that is kept may have given others than the one that was checked.
            check_inside(&shape, coordinates.iter().copied())?;
        }
        Ok(Numbered {
            shape,
            coordinates,
            values,
            numbers,
            limit,
        })
    }

    /// Divides the elements: an element belongs to the first part whose threshold its number exceeds, or to the last part if
    /// it exceeds none.
    #[must_use]
    pub fn by(self, thresholds: &[i64]) -> Split<T, N> {
        Split {
            parts: parts_of(&self.numbers, thresholds),
            elements: self,
        }
    }

    /// Returns the elements of part `part`, where `parts` holds the part of each element.
    pub(super) fn part<'a>(&'a self, parts: &'a [usize], part: usize) -> PartOf<'a, T, N> {
        PartOf {
            elements: self,
            parts,
            part,
        }
    }
}

/// Returns the part of each element, given the number of its group.
pub(super) fn parts_of(numbers: &[[i64; 1]], thresholds: &[i64]) -> Vec<usize> {
    let part = |&[number]: &[i64; 1]| thresholds.iter().position(|&threshold| number > threshold);
    numbers
        .iter()
        .map(|number| part(number).unwrap_or(thresholds.len()))
        .collect()
}

/// The elements of a tensor, divided among the parts of a hybrid.
pub struct Split<T, const N: usize> {
    elements: Numbered<T, N>,
    /// The part of each element.
    parts: Vec<usize>,
}

impl<T: Stored, const N: usize> Split<T, N> {
    /// Assembles one part and subtracts its bytes from the limit.
    ///
    /// # Errors
    /// As [`SparseTensor::assemble`].
    pub fn part<F: SparseTensor<N, Scalar = T>>(&mut self, part: usize) -> Result<F, Error> {
        let tensor = F::assemble(&self.elements.part(&self.parts, part), self.elements.limit)?;
        self.elements.limit = self.elements.limit.after(tensor.bytes() as u128);
        Ok(tensor)
    }

    /// Returns the elements of one part.
    #[must_use]
    pub fn elements(&self, part: usize) -> PartOf<'_, T, N> {
        self.elements.part(&self.parts, part)
    }
}

/// The elements of one part, in logical order.
pub struct PartOf<'a, T, const N: usize> {
    elements: &'a Numbered<T, N>,
    parts: &'a [usize],
    part: usize,
}

impl<T: Stored, const N: usize> Source<N> for PartOf<'_, T, N> {
    type Scalar = T;
    const IS_CHECKED: bool = true;

    fn shape(&self) -> [usize; N] {
        self.elements.shape
    }

    fn count(&self) -> usize {
        self.parts.iter().filter(|&&part| part == self.part).count()
    }

    fn for_each(&self, mut visit: impl FnMut([usize; N], T)) {
        let elements = self.elements.coordinates.iter().zip(&self.elements.values);
        for ((&coordinate, &value), &part) in elements.zip(self.parts) {
            if part == self.part {
                visit(coordinate, value);
            }
        }
    }

    fn sorted_by(&self) -> Option<([usize; N], bool)> {
        Some((core::array::from_fn(|dim| dim), true))
    }

    fn duplicates(&self) -> Duplicates {
        Duplicates::Reject
    }
}

#[cfg(test)]
mod tests {
    use super::parts_of;

    fn parts(numbers: &[i64], thresholds: &[i64]) -> Vec<usize> {
        parts_of(&numbers.iter().map(|&number| [number]).collect::<Vec<_>>(), thresholds)
    }

    #[test]
    fn a_group_goes_to_the_first_part_whose_threshold_it_exceeds() {
        assert_eq!(parts(&[5, 6, 2, 3, 0], &[5, 2]), [1, 0, 2, 1, 2]);
        assert_eq!(parts(&[5, 6, 2], &[2, 5]), [0, 0, 2], "thresholds in no order");
        assert_eq!(parts(&[i64::MAX, 1], &[i64::MAX]), [1, 1]);
        assert_eq!(parts(&[], &[3]), [0; 0]);
    }
}
