//! Loops over many items, in pieces on the threads of the current `rayon` pool.
//!
//! What comes out never depends on how many threads there are: each item is computed by itself, and pieces are put
//! together by operations in which their borders make no difference. Few items are one loop on this thread.

use core::ops::Range;

use rayon::prelude::*;

use crate::pages;

/// Fewer items than this are not worth another thread.
pub(crate) const PIECE: usize = 1 << 16;

/// Into how many pieces work on `count` items is cut.
pub(crate) fn pieces(count: usize) -> usize {
    match count / PIECE {
        0 | 1 => 1,
        most => most.min(rayon::current_num_threads()),
    }
}

/// The numbers below `count`, cut into so many ranges.
pub(crate) fn ranges(count: usize, pieces: usize) -> Vec<Range<usize>> {
    let border = |piece: usize| (piece as u128 * count as u128 / pieces as u128) as usize;
    (0..pieces).map(|piece| border(piece)..border(piece + 1)).collect()
}

/// What `item` gives for each number below `count`.
pub(crate) fn map<R: Send>(count: usize, item: impl Fn(usize) -> R + Sync) -> Vec<R> {
    if pieces(count) == 1 {
        let mut items = pages::with_capacity(count);
        items.extend((0..count).map(item));
        return items;
    }
    let mut items = pages::with_capacity(count);
    let numbers = (0..count).into_par_iter().with_min_len(PIECE);
    numbers.map(&item).collect_into_vec(&mut items);
    items
}

/// Changes each item, which comes with its number.
pub(crate) fn update<R: Send>(items: &mut [R], change: impl Fn(usize, &mut R) + Sync) {
    if pieces(items.len()) == 1 {
        items.iter_mut().enumerate().for_each(|(at, item)| change(at, item));
    } else {
        let items = items.par_iter_mut().with_min_len(PIECE);
        items.enumerate().for_each(|(at, item)| change(at, item));
    }
}

/// Whether this holds of all numbers below `count`.
pub(crate) fn all(count: usize, holds: impl Fn(usize) -> bool + Sync) -> bool {
    if pieces(count) == 1 {
        return (0..count).all(holds);
    }
    (0..count).into_par_iter().with_min_len(PIECE).all(&holds)
}

/// All items of `start` and those that `item` gives for the numbers below `count`, put together by `join`, for which
/// the order does not matter and `start` makes no difference.
pub(crate) fn reduce<R: Copy + Send + Sync>(
    count: usize,
    start: R,
    item: impl Fn(usize) -> R + Sync,
    join: impl Fn(R, R) -> R + Sync,
) -> R {
    if pieces(count) == 1 {
        return (0..count).fold(start, |all, at| join(all, item(at)));
    }
    let numbers = (0..count).into_par_iter().with_min_len(PIECE);
    numbers
        .fold(|| start, |all, at| join(all, item(at)))
        .reduce(|| start, &join)
}

/// What `work` gives for each of a few pieces, in their order.
pub(crate) fn each<P: Send, R: Send>(pieces: Vec<P>, work: impl Fn(P) -> R + Sync) -> Vec<R> {
    if pieces.len() == 1 {
        return pieces.into_iter().map(work).collect();
    }
    each_of_many(pieces, &work)
}

/// One piece of code, whatever the work is: there is a lot of it.
fn each_of_many<P: Send, R: Send>(pieces: Vec<P>, work: &(dyn Fn(P) -> R + Sync)) -> Vec<R> {
    pieces.into_par_iter().with_max_len(1).map(work).collect()
}
