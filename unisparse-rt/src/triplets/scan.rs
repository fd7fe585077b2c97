//! Detects the order of a coordinate list.

use core::ops::Range;

use crate::element::Index;
use crate::machine::parallel;

/// Number of coordinates checked against one candidate order before the next: few enough to stay cached.
const CHUNK: usize = 512;

/// The largest number of dims for which all permutations are tried.
const ALL: usize = 3;

/// A coordinate list.
pub(crate) trait List<const N: usize>: Sync {
    /// Returns the number of coordinates.
    fn len(&self) -> usize;

    /// Returns whether a range ascends lexicographically by the dims in this order: weakly if `weakly`, else strictly.
    fn ascends(&self, range: Range<usize>, order: &[usize; N], weakly: bool) -> bool;

    /// Returns whether no two neighbours in a range are equal.
    fn differ(&self, range: Range<usize>) -> bool;
}

impl<const N: usize> List<N> for [[usize; N]] {
    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    fn ascends(&self, range: Range<usize>, order: &[usize; N], weakly: bool) -> bool {
        ascends(&self[range], order, weakly)
    }

    fn differ(&self, range: Range<usize>) -> bool {
        let pairs = self[range].windows(2);
        pairs.fold(true, |distinct, pair| distinct & (pair[0] != pair[1]))
    }
}

/// One array per dim, each as long as the first.
impl<I: Index, const N: usize> List<N> for [&[I]; N] {
    fn len(&self) -> usize {
        self.first().map_or(0, |first| first.len())
    }

    fn ascends(&self, range: Range<usize>, order: &[usize; N], weakly: bool) -> bool {
        let arrays = order.map(|dim| &self[dim][range.clone()]);
        (1..range.len()).fold(true, |all, at| {
            let ordered = |rest: bool, array: &&[I]| is_before(array[at - 1], array[at], rest);
            all & arrays.iter().rev().fold(weakly, ordered)
        })
    }

    fn differ(&self, range: Range<usize>) -> bool {
        let arrays = self.map(|array| &array[range.clone()]);
        (1..range.len()).fold(true, |distinct, at| {
            let differ = |any: bool, array: &&[I]| any | (array[at - 1] != array[at]);
            distinct & arrays.iter().fold(false, differ)
        })
    }
}

/// Returns a permutation of the dims by which `coordinates` ascend lexicographically, and whether they ascend strictly,
/// that is, without equal coordinates.
///
/// Tries all permutations up to three dims, only the identity and its reverse above; the identity is preferred. One parallel
/// pass over the coordinates, which ends early once no candidate is left.
#[must_use]
pub(crate) fn scan<const N: usize>(coordinates: &(impl List<N> + ?Sized)) -> Option<([usize; N], bool)> {
    let pairs = coordinates.len().saturating_sub(1);
    let pieces = parallel::ranges(pairs, parallel::pieces(pairs));
    // The ranges count pairs of neighbours, so adjacent pieces share a coordinate.
    let orders_of = |pairs: Range<usize>| orders(coordinates, pairs.start..coordinates.len().min(pairs.end + 1));
    let of_pieces = parallel::each(pieces, orders_of).into_iter();
    let (orders, strict) = of_pieces.reduce(|(mut orders, strict), (others, more)| {
        orders.retain(|order| others.contains(order));
        (orders, strict && more)
    })?;
    Some((*orders.first()?, strict))
}

/// As [`scan`], for a matrix.
pub(crate) fn scan_matrix(coordinates: &[[usize; 2]]) -> Option<([usize; 2], bool)> {
    scan(coordinates)
}

/// Returns the candidate orders by which `range` ascends, and whether it ascends strictly.
fn orders<const N: usize>(coordinates: &(impl List<N> + ?Sized), range: Range<usize>) -> (Vec<[usize; N]>, bool) {
    let mut candidates = candidates();
    let mut strict = true;
    let mut start = range.start;
    while start + 1 < range.end && !candidates.is_empty() {
        let end = range.end.min(start + CHUNK + 1);
        let chunk = start..end;
        // Usually one order is left and no coordinate is repeated: one strict check then settles both questions.
        let is_strict = matches!(candidates[..], [order] if coordinates.ascends(chunk.clone(), &order, false));
        if !is_strict {
            candidates.retain(|order| coordinates.ascends(chunk.clone(), order, true));
            // Equal coordinates are neighbours in every order.
            strict = strict && coordinates.differ(chunk);
        }
        start = end - 1;
    }
    (candidates, strict)
}

/// Returns the candidate orders, the identity first.
fn candidates<const N: usize>() -> Vec<[usize; N]> {
    let identity = std::array::from_fn(|dim| dim);
    if N > ALL {
        return vec![identity, reversed(identity)];
    }
    let mut orders = vec![identity];
    let mut order = identity;
    while advance(&mut order) {
        orders.push(order);
    }
    orders
}

/// Advances to the next permutation in lexicographic order; returns `false` if there is none.
fn advance(order: &mut [usize]) -> bool {
    let Some(at) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else {
        return false;
    };
    let with = order.iter().rposition(|&dim| dim > order[at]).unwrap_or(at);
    order.swap(at, with);
    order[at + 1..].reverse();
    true
}

fn reversed<const N: usize>(mut dims: [usize; N]) -> [usize; N] {
    dims.reverse();
    dims
}

/// Returns whether the coordinates ascend lexicographically by the dims in this order: weakly if `weakly`, else strictly.
/// The two most frequent orders have specialized loops.
fn ascends<const N: usize>(coordinates: &[[usize; N]], order: &[usize; N], weakly: bool) -> bool {
    if order.is_sorted() {
        ascends_as(coordinates, weakly, |coordinate| coordinate)
    } else if order.iter().rev().is_sorted() {
        ascends_as(coordinates, weakly, reversed)
    } else {
        ascends_as(coordinates, weakly, |coordinate| order.map(|dim| coordinate[dim]))
    }
}

/// Compares two tuples by their first numbers, given whether the remaining numbers are in order (`rest`). Branch-free.
#[inline(always)]
fn is_before<K: Ord>(left: K, right: K, rest: bool) -> bool {
    (left < right) | ((left == right) & rest)
}

#[inline(always)]
fn ascends_as<const N: usize>(
    coordinates: &[[usize; N]],
    weakly: bool,
    key: impl Fn([usize; N]) -> [usize; N],
) -> bool {
    // Branch-free within a chunk.
    coordinates.windows(2).fold(true, |all, pair| {
        let (left, right) = (key(pair[0]), key(pair[1]));
        let ordered = |rest: bool, dim: usize| is_before(left[dim], right[dim], rest);
        all & (0..N).rev().fold(weakly, ordered)
    })
}
