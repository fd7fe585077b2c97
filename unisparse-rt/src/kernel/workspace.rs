//! Workspaces: sums by coordinate within one fiber of a sparse output, returned in ascending order.

use super::fibers::Fibers;
use super::hash::Hash;
use super::key_order::KeyOrder;
use crate::element::{Index, Scalar};
use crate::error::{Error, ErrorKind};
use crate::machine::pages;

/// Maximum number of keys that have a place each; for more keys, a hash table grows with those that are added.
const MOST_PLACES: usize = 1 << 24;

/// Returns the number of keys that a workspace needs for elements with coordinates within these extents.
///
/// # Errors
/// `Overflow` if the number exceeds `usize`.
pub fn workspace_keys<const K: usize>(extents: [usize; K]) -> Result<usize, Error> {
    let keys = extents
        .iter()
        .try_fold(1usize, |keys, &extent| keys.checked_mul(extent));
    keys.ok_or_else(|| {
        Error::new(
            ErrorKind::Overflow,
            "the workspace of a sparse output",
            None,
            format!("fibers of extents {extents:?}"),
            "as many coordinates as `usize` counts",
        )
    })
}

/// Workspace for the sums of one fiber after another.
///
/// Sums are stored in the order in which their keys first occur: those of a short fiber stay cached, however many keys
/// there are.
#[derive(Debug)]
pub struct Workspace<S> {
    /// Number of the sum of each key. Numbers increase from fiber to fiber, so that none is ever cleared. Empty if there
    /// are more keys than [`MOST_PLACES`].
    places: Vec<u32>,
    /// Number of the first sum of the next fiber; never zero.
    first: u32,
    /// Key of each sum of a fiber. Has the length of `places`, and is touched only up to the length of the longest fiber.
    keys: Vec<u32>,
    /// Sums of a fiber, of the same length.
    sums: Vec<S>,
    key_order: KeyOrder,
    hash: Hash<S>,
}

impl<S: Scalar> Workspace<S> {
    /// Creates a workspace for keys below `keys`.
    ///
    /// Up to 2^24 keys take four bytes and a bit each, and memory for the longest fiber. With more keys, memory grows with the
    /// number of keys that are added to a fiber.
    #[must_use]
    pub fn new(keys: usize) -> Self {
        Self::with_places(if keys <= MOST_PLACES { keys } else { 0 })
    }

    fn with_places(places: usize) -> Self {
        Workspace {
            places: pages::filled(0, places),
            first: 1,
            keys: vec![0; places],
            sums: vec![S::ZERO; places],
            key_order: KeyOrder::new(places),
            hash: Hash::new(),
        }
    }

    /// Opens a new fiber, without elements.
    #[inline]
    pub fn open(&mut self) -> Fiber<'_, S> {
        if self.first > u32::MAX - MOST_PLACES as u32 {
            self.places.fill(0);
            self.first = 1;
        }
        if !self.hash.is_empty() {
            self.hash.clear();
        }
        Fiber {
            places: &mut self.places,
            first: self.first,
            next: &mut self.first,
            keys: &mut self.keys,
            sums: &mut self.sums,
            count: 0,
            key_order: &mut self.key_order,
            hash: &mut self.hash,
        }
    }
}

/// Sums of one fiber.
#[derive(Debug)]
pub struct Fiber<'a, S> {
    places: &'a mut [u32],
    first: u32,
    /// Where the number of the next fiber's first sum is stored.
    next: &'a mut u32,
    keys: &'a mut [u32],
    sums: &'a mut [S],
    /// Number of keys that have a sum.
    count: usize,
    key_order: &'a mut KeyOrder,
    hash: &'a mut Hash<S>,
}

impl<S: Scalar> Fiber<'_, S> {
    /// Adds a value: the first value of a key is stored as it is, later ones by `combine(sum, value)`. `O(1)`.
    ///
    /// A key that is not below the number of keys makes a fiber that the output rejects.
    #[inline]
    pub fn add(&mut self, key: usize, value: S, combine: impl Fn(S, S) -> S) {
        let at = self
            .places
            .get(key)
            .map(|place| place.wrapping_sub(self.first) as usize);
        match at {
            None => self.hash.add(key, value, combine),
            Some(at) if at < self.count => self.sums[at] = combine(self.sums[at], value),
            Some(_) => {
                self.places[key] = self.first + self.count as u32;
                (self.keys[self.count], self.sums[self.count]) = (key as u32, value);
                self.count += 1;
            }
        }
    }

    /// Runs `body`, in a function of its own, so that its loops have all registers.
    #[inline(never)]
    pub fn fill(&mut self, body: impl FnOnce(&mut Self)) {
        body(self);
    }

    /// Adds keys and values one after another, as [`add`](Fiber::add) does.
    #[inline(always)]
    pub fn extend(&mut self, mut elements: impl Iterator<Item = (usize, S)>, combine: impl Fn(S, S) -> S) {
        let places = &mut *self.places;
        let (keys, sums) = (&mut self.keys[..places.len()], &mut self.sums[..places.len()]);
        let (first, mut count) = (self.first, self.count);
        // Keys without a place are added in another loop, so that this one has no call inside.
        let unplaced = loop {
            let Some((key, value)) = elements.next() else {
                break None;
            };
            let Some(place) = places.get_mut(key) else {
                break Some((key, value));
            };
            // Places of earlier fibers are less than `first`: the difference wraps to a large number.
            let at = place.wrapping_sub(first) as usize;
            if at < count {
                // SAFETY: `at` is less than `count`, and that many sums were written, each inside the slice.
                let sum = unsafe { sums.get_unchecked_mut(at) };
                *sum = combine(*sum, value);
            } else {
                *place = first + count as u32;
                (keys[count], sums[count]) = (key as u32, value);
                count += 1;
            }
        };
        self.count = count;
        if let Some(unplaced) = unplaced {
            self.extend_unplaced(unplaced, elements, combine);
        }
    }

    #[cold]
    #[inline(never)]
    fn extend_unplaced(
        &mut self,
        (key, value): (usize, S),
        elements: impl Iterator<Item = (usize, S)>,
        combine: impl Fn(S, S) -> S,
    ) {
        self.hash.add(key, value, &combine);
        for (key, value) in elements {
            self.add(key, value, &combine);
        }
    }

    /// Returns the keys and sums that have a place, in the order they were added, and the argsort of the keys.
    #[inline]
    fn ordered(&mut self) -> (&[u32], &[S], &[u32]) {
        let (places, first) = (&*self.places, self.first);
        let (keys, sums) = (&self.keys[..self.count], &self.sums[..self.count]);
        *self.next = first + self.count as u32;
        let order = self.key_order.order(keys, |key| places[key as usize] - first);
        (keys, sums, order)
    }

    /// Appends the fiber to an output: each key is the last coordinate of an element, after the coordinates `outer`.
    #[inline]
    pub fn append_to<T: Scalar<Sum = S>, const N: usize, const ORDER: u64, I: Index>(
        mut self,
        output: &mut Fibers<T, N, ORDER, I>,
        outer: [usize; N],
    ) {
        let (keys, sums, order) = self.ordered();
        let (keys, sums) = (
            order.iter().map(|&at| I::truncated(keys[at as usize] as usize)),
            order.iter().map(|&at| T::narrow(sums[at as usize])),
        );
        output.append_fiber(outer, keys, sums);
        if !self.hash.is_empty() {
            let elements = self.hash.sorted().iter();
            let keys = elements.clone().map(|&(key, _)| I::truncated(key));
            output.append_fiber(outer, keys, elements.map(|&(_, sum)| T::narrow(sum)));
        }
    }

    /// Visits each key and its sum, in ascending order of keys.
    #[inline]
    pub fn drain(mut self, mut visit: impl FnMut(usize, S)) {
        let (keys, sums, order) = self.ordered();
        for &at in order {
            visit(keys[at as usize] as usize, sums[at as usize]);
        }
        for &(key, value) in self.hash.sorted() {
            visit(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    fn drained(fiber: Fiber<'_, i64>) -> Vec<(usize, i64)> {
        let mut all = Vec::new();
        fiber.drain(|key, value| all.push((key, value)));
        all
    }

    proptest! {
        #[test]
        fn sums_are_those_of_a_map(
            fibers in prop::collection::vec(prop::collection::vec((0..20_000usize, -9..9i64), 0..300), 0..6),
            near in any::<bool>(),
        ) {
            for mut workspace in [Workspace::new(20_000), Workspace::with_places(0)] {
                for fiber in &fibers {
                    let mut expected = BTreeMap::new();
                    let mut sums = workspace.open();
                    for &(key, value) in fiber {
                        let key = if near { key % 150 } else { key };
                        // The function is not commutative: the order of the values is kept.
                        let combine = |sum: i64, value: i64| sum.wrapping_mul(3).wrapping_add(value);
                        expected.entry(key).and_modify(|sum| *sum = combine(*sum, value)).or_insert(value);
                        sums.add(key, value, combine);
                    }
                    prop_assert_eq!(drained(sums), expected.into_iter().collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn few_keys_have_a_place_each() {
        assert_eq!(Workspace::<f64>::new(100).places.len(), 100);
        assert!(Workspace::<f64>::new(MOST_PLACES + 1).places.is_empty());
    }

    #[test]
    fn numbers_start_again() {
        for mut workspace in [Workspace::new(9), Workspace::with_places(0)] {
            (workspace.first, workspace.hash.round) = (u32::MAX - MOST_PLACES as u32 - 1, u32::MAX - 1);
            for _ in 0..4 {
                let mut sums = workspace.open();
                sums.add(7, 1, i64::plus);
                sums.add(7, 2, i64::plus);
                assert_eq!(drained(sums), [(7, 3)]);
            }
        }
    }
}
