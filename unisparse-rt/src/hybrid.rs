//! Tensors in parts: how elements are divided among the parts, and what the parts are together.

use crate::query::Queries;
use crate::{Duplicates, Error, ErrorKind, Estimate, Limit, Source, SparseTensor, Stored};

/// The elements of a tensor, divided among the parts of a hybrid.
pub struct Split<T, const N: usize> {
    shape: [usize; N],
    coordinates: Vec<[usize; N]>,
    values: Vec<T>,
    /// The part of each element.
    parts: Vec<usize>,
    limit: Limit,
}

impl<T: Stored, const N: usize> Split<T, N> {
    /// Divides the elements of a source by the number that `evaluate` finds for the group of each: to the first
    /// part where it is more than the first threshold, else to the second where it is more than the second, and
    /// so on.
    ///
    /// A threshold that is not given, the `k`-th of `K` from 0, is `K - k` parts of `K + 1` of the greatest
    /// number, rounded down.
    ///
    /// # Errors
    /// As [`Queries::gather`] and the query.
    pub fn new<S: Source<N, Scalar = T>, const K: usize>(
        hybrid: &'static str,
        source: &S,
        limit: Limit,
        thresholds: [Option<i64>; K],
        evaluate: impl FnOnce(&mut Queries<T, N, 1>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut queries = Queries::gather(hybrid, source)?;
        let shape = queries.shape();
        queries.limit(limit.allowed(queries.count(), size_of::<T>(), &shape));
        evaluate(&mut queries)?;
        let (coordinates, values, numbers) = queries.into_parts();
        Ok(Split {
            shape,
            coordinates,
            values,
            parts: parts_of(&numbers, thresholds),
            limit,
        })
    }

    /// The storage of one part. Its bytes are taken off the limit.
    ///
    /// # Errors
    /// As [`SparseTensor::assemble`].
    pub fn part<F: SparseTensor<N, Scalar = T>>(&mut self, part: usize) -> Result<F, Error> {
        let tensor = F::assemble(&PartOf { split: self, part }, self.limit)?;
        self.limit = self.limit.after(tensor.bytes());
        Ok(tensor)
    }
}

impl<T: Stored, const N: usize> Split<T, N> {
    /// How large one part is.
    ///
    /// # Errors
    /// As [`SparseTensor::estimate_of`].
    pub fn estimate<F: SparseTensor<N, Scalar = T>>(&self, part: usize) -> Result<Estimate, Error> {
        F::estimate_of(&PartOf { split: self, part })
    }
}

/// The part of each element, by the number of its group.
fn parts_of<const K: usize>(numbers: &[[i64; 1]], thresholds: [Option<i64>; K]) -> Vec<usize> {
    let greatest = numbers.iter().map(|&[number]| number).max().unwrap_or(0);
    let chosen = |k: usize| {
        let share = i128::from(greatest) * (K - k) as i128 / (K + 1) as i128;
        i64::try_from(share).unwrap_or(greatest)
    };
    let thresholds: [i64; K] = core::array::from_fn(|k| thresholds[k].unwrap_or_else(|| chosen(k)));
    let part = |&[number]: &[i64; 1]| thresholds.iter().position(|&threshold| number > threshold);
    numbers.iter().map(|number| part(number).unwrap_or(K)).collect()
}

/// The elements of one part, in logical order.
struct PartOf<'a, T, const N: usize> {
    split: &'a Split<T, N>,
    part: usize,
}

impl<T: Stored, const N: usize> Source<N> for PartOf<'_, T, N> {
    type Scalar = T;

    fn shape(&self) -> [usize; N] {
        self.split.shape
    }

    fn count(&self) -> usize {
        self.split.parts.iter().filter(|&&part| part == self.part).count()
    }

    fn for_each(&self, mut visit: impl FnMut([usize; N], T)) {
        let elements = self.split.coordinates.iter().zip(&self.split.values);
        for ((&coordinate, &value), &part) in elements.zip(&self.split.parts) {
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

/// The elements of any source, sorted by coordinate.
fn sorted<S: Source<N>, const N: usize>(source: &S) -> Vec<([usize; N], S::Scalar)> {
    let mut elements = Vec::with_capacity(source.count());
    source.for_each(|coordinate, value| elements.push((coordinate, value)));
    if !elements.is_sorted_by_key(|&(coordinate, _)| coordinate) {
        elements.sort_unstable_by_key(|&(coordinate, _)| coordinate);
    }
    elements
}

/// Whether two tensors are equal, in whatever order they give their elements: the same shape, and the same
/// values at the same coordinates.
pub fn same_elements<S: Source<N>, const N: usize>(left: &S, right: &S) -> bool {
    left.shape() == right.shape() && sorted(left) == sorted(right)
}

/// An iterator whose length is known from elsewhere.
pub struct Exactly<I> {
    items: I,
    left: usize,
}

impl<I: Iterator> Exactly<I> {
    /// `items`, of which there are `left`.
    #[must_use]
    pub fn new(items: I, left: usize) -> Self {
        Exactly { items, left }
    }
}

impl<I: Iterator> Iterator for Exactly<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let item = self.items.next();
        self.left -= usize::from(item.is_some());
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<I: Iterator> ExactSizeIterator for Exactly<I> {}

/// Tensors that are to be the parts of one: of one shape, and no element in two of them.
pub struct Disjoint<const N: usize> {
    hybrid: &'static str,
    shape: Option<[usize; N]>,
    names: Vec<&'static str>,
    /// Each element, and its part.
    elements: Vec<([usize; N], usize)>,
}

impl<const N: usize> Disjoint<N> {
    /// No parts yet, of this hybrid.
    #[must_use]
    pub fn new(hybrid: &'static str) -> Self {
        Disjoint {
            hybrid,
            shape: None,
            names: Vec::new(),
            elements: Vec::new(),
        }
    }

    /// One part more.
    ///
    /// # Errors
    /// `Shape`, if it is not the shape of those before.
    pub fn with<S: Source<N>>(mut self, name: &'static str, part: &S) -> Result<Self, Error> {
        let (number, shape) = (self.names.len(), part.shape());
        let expected = *self.shape.get_or_insert(shape);
        if shape != expected {
            return Err(Error::new(
                ErrorKind::Shape,
                format!("part `{name}` of `{}`", self.hybrid),
                None,
                format!("shape {shape:?}"),
                format!("{expected:?}, as of part `{}`", self.names[0]),
            ));
        }
        self.names.push(name);
        self.elements.reserve(part.count());
        part.for_each(|coordinate, _| self.elements.push((coordinate, number)));
        Ok(self)
    }

    /// Looks for elements that are in two parts. `O(n log n)`.
    ///
    /// # Errors
    /// `Duplicate`, naming the first in logical order.
    pub fn check(mut self) -> Result<(), Error> {
        self.elements.sort_unstable();
        let twice = self.elements.windows(2).find(|pair| pair[0].0 == pair[1].0);
        let Some(&[(coordinate, first), (_, second)]) = twice.and_then(|pair| pair.first_chunk()) else {
            return Ok(());
        };
        Err(Error::new(
            ErrorKind::Duplicate,
            format!("part `{}` of `{}`", self.names[second], self.hybrid),
            None,
            format!("an element at {coordinate:?}"),
            format!("none there, as part `{}` has one", self.names[first]),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::{Disjoint, parts_of, same_elements};
    use crate::{ErrorKind, Triplets};

    fn parts<const K: usize>(numbers: &[i64], thresholds: [Option<i64>; K]) -> Vec<usize> {
        parts_of(&numbers.iter().map(|&number| [number]).collect::<Vec<_>>(), thresholds)
    }

    #[test]
    fn a_group_goes_to_the_first_part_whose_threshold_it_exceeds() {
        assert_eq!(parts(&[5, 6, 2, 3, 0], [Some(5), Some(2)]), [1, 0, 2, 1, 2]);
        assert_eq!(
            parts(&[5, 6, 2], [Some(2), Some(5)]),
            [0, 0, 2],
            "thresholds in no order"
        );
        assert_eq!(parts(&[i64::MAX, 1], [Some(i64::MAX)]), [1, 1]);
    }

    #[test]
    fn thresholds_not_given_follow_the_greatest_group() {
        assert_eq!(parts(&[3, 4, 7], [None]), [1, 0, 0], "3 of 7");
        assert_eq!(parts(&[2, 3, 5, 6, 9], [None, None]), [2, 2, 1, 1, 0], "6 and 3 of 9");
        assert_eq!(parts(&[i64::MAX, i64::MAX / 3 * 2], [None, None]), [0, 1]);
        assert_eq!(parts(&[0, 0], [None]), [1, 1]);
        assert_eq!(parts(&[], [None, Some(3)]), [0; 0]);
    }

    #[test]
    fn parts_that_share_an_element_are_found() {
        let triplets = |entries: &[[usize; 2]]| {
            Triplets::try_from_triplets([3, 3], entries.iter().map(|&at| (at, 1.0))).expect("inside the shape")
        };
        let (left, right) = (triplets(&[[2, 1], [0, 2]]), triplets(&[[1, 1], [2, 0]]));
        let disjoint = || Disjoint::new("Hybrid").with("left", &left);
        assert!(
            disjoint()
                .and_then(|parts| parts.with("right", &right)?.check())
                .is_ok()
        );
        let third = triplets(&[[2, 0], [0, 2]]);
        let error = disjoint()
            .and_then(|parts| parts.with("right", &right)?.with("third", &third)?.check())
            .expect_err("two elements are shared");
        assert_eq!(error.kind(), ErrorKind::Duplicate);
        assert_eq!(
            error.to_string(),
            "part `third` of `Hybrid`: found an element at [0, 2], expected none there, as part `left` has one"
        );
        let other = Triplets::<f64, 2>::new([3, 4]);
        let error = disjoint()
            .and_then(|parts| parts.with("right", &other))
            .err()
            .expect("another shape");
        assert_eq!(error.kind(), ErrorKind::Shape);
    }

    #[test]
    fn order_does_not_matter_to_equality() {
        let forth = Triplets::try_from_triplets([2, 2], [([0, 1], 1.0), ([1, 0], 2.0)]).expect("inside the shape");
        let back = Triplets::try_from_triplets([2, 2], [([1, 0], 2.0), ([0, 1], 1.0)]).expect("inside the shape");
        let other = Triplets::try_from_triplets([2, 2], [([1, 0], 1.0), ([0, 1], 2.0)]).expect("inside the shape");
        assert!(same_elements(&forth, &back));
        assert!(!same_elements(&forth, &other));
        assert!(!same_elements(&forth, &Triplets::new([2, 2])));
        assert!(!same_elements(&Triplets::<f64, 2>::new([2, 3]), &Triplets::new([2, 2])));
    }
}
