//! A small generator, and tensors made with it.

use std::collections::{BTreeMap, btree_map};
use std::ops::{Deref, DerefMut};

use unisparse::{Scalar, Triplets};

/// The elements of a tensor by coordinate, which all tests compare with: a map that is collected element by element. To collect a
/// `BTreeMap` compiles a sort for each type of iterator, which was a fifth of some tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements<T, const N: usize>(BTreeMap<[usize; N], T>);

impl<T, const N: usize> Elements<T, N> {
    pub fn new() -> Self {
        Elements(BTreeMap::new())
    }
}

impl<T, const N: usize> Deref for Elements<T, N> {
    type Target = BTreeMap<[usize; N], T>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T, const N: usize> DerefMut for Elements<T, N> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<T, const N: usize> FromIterator<([usize; N], T)> for Elements<T, N> {
    fn from_iter<I: IntoIterator<Item = ([usize; N], T)>>(elements: I) -> Self {
        let mut all = Elements::new();
        for (at, value) in elements {
            all.insert(at, value);
        }
        all
    }
}

impl<T, const N: usize, const COUNT: usize> From<[([usize; N], T); COUNT]> for Elements<T, N> {
    fn from(elements: [([usize; N], T); COUNT]) -> Self {
        elements.into_iter().collect()
    }
}

impl<T, const N: usize> IntoIterator for Elements<T, N> {
    type Item = ([usize; N], T);
    type IntoIter = btree_map::IntoIter<[usize; N], T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a Elements<T, N> {
    type Item = (&'a [usize; N], &'a T);
    type IntoIter = btree_map::Iter<'a, [usize; N], T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Xorshift: the same numbers for the same seed on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns about `count` unordered triplets with some duplicates. Values are small positive
    /// integers, so sums are exact and never zero.
    pub fn triplets<const N: usize>(&mut self, shape: [usize; N], count: usize) -> Triplets<f64, N> {
        let mut triplets = Triplets::new(shape);
        if shape.contains(&0) {
            return triplets;
        }
        let mut last = None;
        for _ in 0..count {
            let coordinate = match last {
                Some(last) if self.below(5) == 0 => last,
                _ => shape.map(|extent| self.below(extent)),
            };
            last = Some(shape.map(|extent| self.below(extent)))
                .filter(|_| self.below(2) == 0)
                .or(Some(coordinate));
            triplets.push(coordinate, self.below(9) as f64 + 1.0).unwrap();
        }
        triplets
    }

    /// Returns a vector of small positive integers.
    pub fn vector(&mut self, len: usize) -> Vec<f64> {
        (0..len).map(|_| self.below(9) as f64 + 1.0).collect()
    }
}

/// Returns the tensor of the triplets, with duplicates summed.
pub fn elements<T: Scalar, const N: usize>(triplets: &Triplets<T, N>) -> Elements<T, N> {
    let mut all = Elements::new();
    for (coordinate, value) in triplets.iter() {
        all.entry(coordinate)
            .and_modify(|sum: &mut T| *sum = sum.plus(value))
            .or_insert(value);
    }
    all
}

/// Returns about this many elements, each coordinate once.
pub fn some<const N: usize>(shape: [usize; N], count: usize, seed: u64) -> Elements<f64, N> {
    Random::new(seed).triplets(shape, count).iter().collect()
}

/// Sorts elements by a key of their coordinates. Compiled once for each type of key, as a sort is much code.
pub fn sort_by<K: Ord, const N: usize>(elements: &mut [([usize; N], f64)], key: &dyn Fn([usize; N]) -> K) {
    elements.sort_by_key(|element| key(element.0));
}

/// Returns every coordinate of the box.
pub fn coordinates<const N: usize>(shape: [usize; N]) -> Vec<[usize; N]> {
    let count: usize = shape.iter().product();
    (0..count)
        .map(|mut number| {
            let mut coordinate = [0; N];
            for dim in (0..N).rev() {
                coordinate[dim] = number % shape[dim];
                number /= shape[dim];
            }
            coordinate
        })
        .collect()
}

/// Returns tensors of one shape: empty, one element at each corner, few, many, all elements.
pub fn tensors<const N: usize>(shape: [usize; N], seed: u64) -> Vec<Triplets<f64, N>> {
    let mut random = Random::new(seed);
    let mut all = vec![Triplets::new(shape)];
    if shape.contains(&0) {
        return all;
    }
    for corner in 0..1 << N {
        let at = core::array::from_fn(|dim| if corner >> dim & 1 == 0 { 0 } else { shape[dim] - 1 });
        all.push(Triplets::try_from_triplets(shape, [(at, 7.0)]).unwrap());
    }
    let count: usize = shape.iter().product();
    for density in [20, 4, 1] {
        let count = (count / density).clamp(1, 600);
        all.push(random.triplets(shape, count));
    }
    if count <= 400 {
        let mut full = coordinates(shape);
        for at in (1..full.len()).rev() {
            full.swap(at, random.below(at + 1));
        }
        let values = random.vector(full.len());
        all.push(Triplets::try_from_triplets(shape, full.into_iter().zip(values)).unwrap());
    }
    all
}
