//! The terms of a sum: a map from what is multiplied to its coefficient.

/// A map with few keys, in a list that is sorted by them.
///
/// Sums have one or two terms, and millions of them are made: a `BTreeMap` took a third of the time of the tests of this crate, and macros
/// are compiled without optimisation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Terms<K, C>(Vec<(K, C)>);

impl<K, C> Default for Terms<K, C> {
    fn default() -> Self {
        Terms(Vec::new())
    }
}

impl<K: Ord, C> Terms<K, C> {
    /// Returns the place of a key, or the place where it would be.
    fn place(&self, key: &K) -> Result<usize, usize> {
        for (place, (other, _)) in self.0.iter().enumerate() {
            match other.cmp(key) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(place),
                std::cmp::Ordering::Greater => return Err(place),
            }
        }
        Err(self.0.len())
    }

    pub(super) fn get(&self, key: &K) -> Option<&C> {
        Some(&self.0[self.place(key).ok()?].1)
    }

    /// Adds a term: `sum` returns the coefficient of a key that has one already, or `None` if it becomes zero.
    pub(super) fn add(&mut self, key: K, coefficient: C, sum: impl Fn(&C, &C) -> Option<C>) {
        match self.place(&key) {
            Err(place) => self.0.insert(place, (key, coefficient)),
            Ok(place) => match sum(&self.0[place].1, &coefficient) {
                Some(sum) => self.0[place].1 = sum,
                None => drop(self.0.remove(place)),
            },
        }
    }

    /// Returns the terms with other coefficients, none of which is zero.
    pub(super) fn map(&self, change: impl Fn(&C) -> C) -> Self
    where
        K: Clone,
    {
        Terms(self.iter().map(|(key, c)| (key.clone(), change(c))).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &C)> {
        self.0.iter().map(|(key, coefficient)| (key, coefficient))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    pub(super) fn coefficients(&self) -> impl Iterator<Item = &C> {
        self.iter().map(|(_, coefficient)| coefficient)
    }

    /// Returns the term of the least key.
    pub(super) fn first(&self) -> Option<(&K, &C)> {
        self.iter().next()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
