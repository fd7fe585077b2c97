//! A matrix as a source of its transpose.

use core::ops::Range;

use super::lend::Arrays;
use super::{Duplicates, Source};
use crate::format::{Kind, Order};

/// The elements of a matrix, rows and columns swapped. It hands over the arrays of the matrix as they are: a format with the same
/// levels, of the swapped dims, takes them.
pub(crate) struct Transposed<S>(pub(crate) S);

impl<S: Source<2>> Source<2> for Transposed<S> {
    type Scalar = S::Scalar;
    const ORDER: Order = match S::ORDER {
        Order::By(encoding) => Order::ByTransposed(encoding),
        Order::ByTransposed(encoding) => Order::By(encoding),
        Order::Unknown => Order::Unknown,
    };
    const KINDS: &'static [Kind] = S::KINDS;
    const IS_CHECKED: bool = S::IS_CHECKED;
    const HAS_DUPLICATES: bool = S::HAS_DUPLICATES;

    fn kinds(&self) -> &'static [Kind] {
        self.0.kinds()
    }

    fn shape(&self) -> [usize; 2] {
        let [rows, columns] = self.0.shape();
        [columns, rows]
    }

    fn count(&self) -> usize {
        self.0.count()
    }

    fn for_each(&self, mut visit: impl FnMut([usize; 2], S::Scalar)) {
        self.0.for_each(|[i, j], value| visit([j, i], value));
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        self.0.borders(pieces)
    }

    fn for_each_between(&self, piece: Range<usize>, mut visit: impl FnMut([usize; 2], S::Scalar)) {
        self.0.for_each_between(piece, |[i, j], value| visit([j, i], value));
    }

    fn duplicates(&self) -> Duplicates {
        self.0.duplicates()
    }

    fn lent_values(&self) -> impl ExactSizeIterator<Item = S::Scalar> + '_ {
        self.0.lent_values()
    }

    fn lend<'a>(&'a self, to: &mut Arrays<'a, S::Scalar>) {
        self.0.lend(to);
    }

    fn give(self, to: &mut Arrays<'_, S::Scalar>) {
        self.0.give(to);
    }
}
