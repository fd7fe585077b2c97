//! Loops over many items, in pieces on the threads of the current `rayon` pool.
//!
//! Results never depend on the number of threads: each item is computed by itself, and pieces are combined by operations
//! for which their borders make no difference. Few items are processed in one loop on this thread.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

pub(crate) use super::team::Helpers;
use super::{pages, team};

/// Minimum number of multiplications that are worth another thread.
pub(crate) const PIECE: usize = 1 << 15;

/// Minimum number of items that are worth another thread if a conversion counts, moves or sorts them.
const ITEMS: usize = 1 << 13;

/// Minimum number of items that are worth another thread, if it is awake and if nothing is to do but each item by itself.
pub(crate) const SHORT: usize = 1 << 12;

/// Returns the number of pieces for work on `count` items.
pub(crate) fn pieces(count: usize) -> usize {
    pieces_of(ITEMS, count)
}

/// Returns the number of pieces of at least `piece` items for work on `count` items.
pub(crate) fn pieces_of(piece: usize, count: usize) -> usize {
    match count / piece {
        0 | 1 => 1,
        _ => pieces_on(rayon::current_num_threads(), piece, count),
    }
}

/// Returns the number of pieces of at least `piece` items for work on `count` items with this number of threads.
pub(crate) fn pieces_on(threads: usize, piece: usize, count: usize) -> usize {
    (count / piece).clamp(1, threads.max(1))
}

/// Cuts the numbers below `count` into `pieces` ranges.
pub(crate) fn ranges(count: usize, pieces: usize) -> Vec<Range<usize>> {
    let border = |piece: usize| (piece as u128 * count as u128 / pieces as u128) as usize;
    (0..pieces).map(|piece| border(piece)..border(piece + 1)).collect()
}

/// Runs `work` on each number below `count`; threads take the next number when they are done with one.
///
/// The calling thread is one of them even if it is not in the pool, as its caches have what it worked on last.
fn tasks(count: usize, helpers: Helpers, work: &(dyn Fn(usize) + Sync)) {
    let others = rayon::current_num_threads().min(count).saturating_sub(1);
    team::run(count, others, helpers, work);
}

/// Runs `work` on each of a few pieces: as [`each`], but compiled once for each type of piece.
pub(crate) fn run<P: Clone + Sync>(pieces: &[P], work: &(dyn Fn(P) + Sync)) {
    match pieces {
        [piece] => work(piece.clone()),
        _ => tasks(pieces.len(), Helpers::Woken, &|at| work(pieces[at].clone())),
    }
}

/// Cuts the numbers below `count` into ranges of about [`ITEMS`]: more ranges than threads balance the load.
fn chunks(count: usize) -> Vec<Range<usize>> {
    ranges(count, count.div_ceil(ITEMS))
}

/// Returns the results of `item` for the numbers below `count`.
pub(crate) fn map<R: Send>(count: usize, item: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let mut items = pages::with_capacity(count);
    if pieces(count) == 1 {
        items.extend((0..count).map(item));
        return items;
    }
    let mut rest = &mut items.spare_capacity_mut()[..count];
    let mut slots = Vec::new();
    for numbers in chunks(count) {
        let (first, after) = rest.split_at_mut(numbers.len());
        slots.push((numbers, first));
        rest = after;
    }
    each(slots, |(numbers, slots)| {
        for (number, slot) in numbers.zip(slots) {
            slot.write(item(number));
        }
    });
    // SAFETY: the chunks are all numbers below `count`, and each has written its slots: a task that panics panics here, too.
    unsafe { items.set_len(count) };
    items
}

/// Changes each item by `change`, which also gets its number.
pub(crate) fn update<R: Send>(items: &mut [R], change: impl Fn(usize, &mut R) + Sync) {
    let change_all = |first: usize, items: &mut [R]| {
        for (at, item) in items.iter_mut().enumerate() {
            change(first + at, item);
        }
    };
    if pieces(items.len()) == 1 {
        return change_all(0, items);
    }
    let chunks: Vec<(usize, &mut [R])> = items.chunks_mut(ITEMS).enumerate().collect();
    each(chunks, |(chunk, items)| change_all(chunk * ITEMS, items));
}

/// Returns whether `holds` is true of all numbers below `count`.
pub(crate) fn all(count: usize, holds: impl Fn(usize) -> bool + Sync) -> bool {
    if pieces(count) == 1 {
        return (0..count).all(holds);
    }
    let (chunks, failed) = (chunks(count), AtomicBool::new(false));
    tasks(chunks.len(), Helpers::Woken, &|chunk| {
        if !failed.load(Ordering::Relaxed) && !chunks[chunk].clone().all(&holds) {
            failed.store(true, Ordering::Relaxed);
        }
    });
    !failed.into_inner()
}

/// Reduces the results of `item` for the numbers below `count`.
///
/// `join` must not depend on the order, and `start` must be neutral to it.
pub(crate) fn reduce<R: Copy + Send + Sync>(
    count: usize,
    start: R,
    item: impl Fn(usize) -> R + Sync,
    join: impl Fn(R, R) -> R + Sync,
) -> R {
    let reduced = |numbers: Range<usize>| numbers.fold(start, |all, at| join(all, item(at)));
    if pieces(count) == 1 {
        return reduced(0..count);
    }
    each(chunks(count), reduced).into_iter().fold(start, &join)
}

/// Runs `work` on each of a few pieces, and returns the results in order.
pub(crate) fn each<P: Send, R: Send>(pieces: Vec<P>, work: impl Fn(P) -> R + Sync) -> Vec<R> {
    each_by(Helpers::Woken, pieces, work)
}

/// Does what [`each`] does, by these helpers.
#[inline]
pub(crate) fn each_by<P: Send, R: Send>(helpers: Helpers, pieces: Vec<P>, work: impl Fn(P) -> R + Sync) -> Vec<R> {
    results(helpers, pieces, &work)
}

/// Does what [`each_by`] does; this is compiled once for each type of pieces and results.
fn results<P: Send, R: Send>(helpers: Helpers, pieces: Vec<P>, work: &(dyn Fn(P) -> R + Sync)) -> Vec<R> {
    if pieces.len() == 1 {
        let mut results = Vec::with_capacity(1);
        for piece in pieces {
            results.push(work(piece));
        }
        return results;
    }
    // Loops, not chains of iterators, which are much more code.
    let mut slots = Vec::with_capacity(pieces.len());
    for piece in pieces {
        slots.push(Mutex::new(Slot::Piece(piece)));
    }
    tasks(slots.len(), helpers, &|at| {
        let slot = &mut *locked(&slots[at]);
        if let Slot::Piece(piece) = core::mem::replace(slot, Slot::Taken) {
            *slot = Slot::Result(work(piece));
        }
    });
    let mut results = Vec::with_capacity(slots.len());
    for slot in slots {
        match slot.into_inner() {
            Ok(Slot::Result(result)) => results.push(result),
            _ => unreachable!("each task leaves a result, or panics"),
        }
    }
    results
}

/// A piece of work, and what becomes of it.
enum Slot<P, R> {
    Piece(P),
    Taken,
    Result(R),
}

/// Locks what one task alone uses.
fn locked<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().expect("no other task uses the slot")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 3 * PIECE + 7;

    fn on_pools(run: impl Fn() + Sync) {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(&run);
        }
    }

    #[test]
    fn items_come_in_order_on_any_number_of_threads() {
        on_pools(|| {
            // Items that are dropped, so that a lost or doubled one is seen by a sanitizer.
            let items = map(COUNT, |number| vec![number as u8]);
            assert!(items.iter().enumerate().all(|(number, item)| *item == [number as u8]));
            let mut numbers: Vec<usize> = vec![1; COUNT];
            update(&mut numbers, |at, number| *number += at);
            assert!(numbers.into_iter().eq(1..=COUNT));
            assert_eq!(reduce(COUNT, 0, |number| number, |a, b| a + b), COUNT * (COUNT - 1) / 2);
            assert!(all(COUNT, |number| number < COUNT));
            assert!(!all(COUNT, |number| number != COUNT - 1));
            let pieces: Vec<Vec<usize>> = (0..9).map(|piece| vec![piece]).collect();
            assert!(each(pieces, |piece| piece[0] * 2).into_iter().eq((0..18).step_by(2)));
            assert!(each(Vec::<usize>::new(), |piece| piece).is_empty());
        });
    }

    #[test]
    fn a_panic_of_a_task_is_that_of_the_caller() {
        on_pools(|| {
            let panics = || map(COUNT, |number| assert_ne!(number, COUNT - 1));
            assert!(std::panic::catch_unwind(panics).is_err());
        });
    }
}
