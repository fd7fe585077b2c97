//! All elements as arrays, for queries whose order differs from the source's.

use super::elements::BATCH;
use super::{Column, Queries};
use crate::element::Stored;
use crate::machine::pages;

/// The elements in visiting order, with the results of the queries evaluated so far.
pub(super) struct List<T, const N: usize, const Q: usize> {
    pub(super) coordinates: Vec<[usize; N]>,
    pub(super) values: Vec<T>,
    pub(super) results: Vec<[i64; Q]>,
    /// The end of each piece.
    ends: Vec<usize>,
}

impl<T: Stored, const N: usize, const Q: usize> Queries<'_, T, N, Q> {
    /// Collects all elements.
    pub(super) fn list(&self) -> List<T, N, Q> {
        let count = self.count();
        let (mut coordinates, mut values) = (pages::with_capacity(count), pages::with_capacity(count));
        let evaluated = core::array::from_fn(|query| self.numbers[query].is_some() || self.tables.get(query).is_some());
        let (mut results, mut ends) = (Vec::new(), Vec::new());
        for piece in 0..self.pieces.len() {
            self.read(piece, evaluated, |some, of_these, found| {
                coordinates.extend_from_slice(some);
                values.extend_from_slice(of_these);
                if evaluated.contains(&true) {
                    results.extend_from_slice(found);
                }
            });
            ends.push(values.len());
        }
        if results.is_empty() {
            results = pages::filled([0; Q], values.len());
        }
        List {
            coordinates,
            values,
            results,
            ends,
        }
    }

    /// Returns the coordinates of the elements, their values and their query results, in visiting order.
    #[must_use]
    pub fn into_parts(self) -> (Vec<[usize; N]>, Vec<T>, Vec<[i64; Q]>) {
        let list = self.list();
        (list.coordinates, list.values, list.results)
    }
}

impl<T: Stored, const N: usize, const Q: usize> List<T, N, Q> {
    pub(super) fn len(&self) -> usize {
        self.results.len()
    }

    pub(super) fn coordinate(&self, element: usize) -> [i64; N] {
        super::signed(self.coordinates[element])
    }

    /// Adapts `function` to take the index of an element.
    pub(super) fn each<'a, R>(
        &'a self,
        function: &'a (impl Fn([i64; N], [i64; Q]) -> R + Sync),
    ) -> impl Fn(usize) -> R + Sync + 'a {
        |element| function(self.coordinate(element), self.results[element])
    }

    /// Computes a number for each element, as one column per piece.
    pub(super) fn columns(&self, number: impl Fn(usize) -> i64) -> Vec<Column> {
        let mut start = 0;
        let of_piece = |&end: &usize| {
            let mut column = Column::with_capacity(end - start);
            for start in (start..end).step_by(BATCH) {
                let count = BATCH.min(end - start);
                let numbers: [i64; BATCH] = core::array::from_fn(|at| if at < count { number(start + at) } else { 0 });
                column.extend(&numbers[..count]);
            }
            start = end;
            column
        };
        self.ends.iter().map(of_piece).collect()
    }
}
