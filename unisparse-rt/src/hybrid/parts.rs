//! The parts of a hybrid as one tensor, independent of the order and the parts of its elements.

use crate::error::{Error, ErrorKind};
use crate::source::{Source, checked_count};

/// Adapter that adds an exact length to an iterator.
pub struct Exactly<I> {
    items: I,
    left: usize,
}

impl<I: Iterator> Exactly<I> {
    /// Wraps `items`, which must yield exactly `left` items.
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

/// Checks that tensors can be the parts of one hybrid: they have one shape and share no coordinates.
pub struct Disjoint<const N: usize> {
    hybrid: &'static str,
    shape: Option<[usize; N]>,
    names: Vec<&'static str>,
    /// The coordinate of each element, and the number of its part.
    elements: Vec<([usize; N], usize)>,
}

impl<const N: usize> Disjoint<N> {
    /// Starts with no parts; `hybrid` is the hybrid's name.
    #[must_use]
    pub fn new(hybrid: &'static str) -> Self {
        Disjoint {
            hybrid,
            shape: None,
            names: Vec::new(),
            elements: Vec::new(),
        }
    }

    /// Adds a part.
    ///
    /// # Errors
    /// `Shape` if its shape differs from the first part's.
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
        self.elements.reserve(checked_count(part)?);
        part.for_each(|coordinate, _| self.elements.push((coordinate, number)));
        Ok(self)
    }

    /// Looks for coordinates that are in two parts. `O(n log n)`.
    ///
    /// # Errors
    /// `Duplicate`, naming the first such coordinate in logical order.
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
    use super::Disjoint;
    use crate::error::ErrorKind;
    use crate::source::same_elements;
    use crate::triplets::Triplets;

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
