//! Memory for intermediate results, which a thread keeps from one call to the next.
//!
//! Allocators return freed memory of a few hundred kilobytes to the system, or not, depending on what was freed before. Where they do, the
//! first touch of each page of an intermediate array takes longer than the work on it.

use core::cell::Cell;
use core::mem::MaybeUninit;

use super::pages;

/// Words that a thread keeps at most: 8 MB.
const KEPT: usize = 1 << 20;

thread_local! {
    /// An empty array, whose capacity the thread keeps.
    static MEMORY: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
    /// Words that were written before.
    static TABLE: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// Runs `work` on an array of `count` items, whose content is arbitrary.
///
/// The array is new if `work` is run within the `work` of another call, or needs more memory than the thread has kept.
pub(crate) fn with<T: Copy, R>(count: usize, work: impl FnOnce(&mut [MaybeUninit<T>]) -> R) -> R {
    const { assert!(align_of::<T>() <= align_of::<u64>()) };
    let words = count.saturating_mul(size_of::<T>()).div_ceil(size_of::<u64>());
    let mut memory = MEMORY.try_with(Cell::take).unwrap_or_default();
    if memory.capacity() < words {
        memory = pages::with_capacity(words);
    }
    let spare = memory.spare_capacity_mut();
    // SAFETY: the spare capacity has the bytes of `count` items and is aligned for them; they need not be initialised. It is borrowed
    // mutably from an array that nobody else has.
    let items = unsafe { core::slice::from_raw_parts_mut(spare.as_mut_ptr().cast(), count) };
    let result = work(items);
    if memory.capacity() <= KEPT {
        // A thread that ends keeps nothing.
        _ = MEMORY.try_with(|kept| kept.set(memory));
    }
    result
}

/// A table of words whose content is arbitrary at first: where few of many are used, no time is spent on the others.
///
/// The thread keeps its memory afterwards. The memory is new if another table of the thread is in use, or if it is too short.
pub(crate) struct Table(Vec<u64>);

impl Table {
    /// Creates a table of `count` words or more.
    pub(crate) fn new(count: usize) -> Self {
        let kept = TABLE.try_with(Cell::take).unwrap_or_default();
        Table(if kept.len() < count {
            pages::filled(0, count)
        } else {
            kept
        })
    }

    pub(crate) fn words(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        if self.0.capacity() <= KEPT {
            // A thread that ends keeps nothing.
            _ = TABLE.try_with(|kept| kept.set(core::mem::take(&mut self.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills an array of `count` items, and returns its address and the sum of what was written.
    fn fill<T: Copy + Into<u64>>(count: usize, item: impl Fn(usize) -> T, within: impl FnOnce()) -> (usize, u64) {
        with(count, |items| {
            assert_eq!(items.len(), count);
            for (at, place) in items.iter_mut().enumerate() {
                place.write(item(at));
            }
            within();
            // SAFETY: all items were written above.
            let sum = items.iter().map(|item| unsafe { item.assume_init() }.into()).sum();
            (items.as_ptr() as usize, sum)
        })
    }

    #[test]
    fn memory_is_kept() {
        let (first, sum) = fill(1000, |at| at as u32, || ());
        assert_eq!(sum, 499_500);
        let (second, sum) = fill(3000, |at| at as u8, || ());
        assert_eq!((second, sum), (first, (0..3000).map(|at| at % 256).sum()));
        let (larger, sum) = fill(1000, |at| at as u64, || ());
        assert_eq!(sum, 499_500);
        assert_eq!(fill(0, |_| 0u32, || ()), (larger, 0));
    }

    #[test]
    fn work_within_work_has_memory_of_its_own() {
        let (_, sum) = fill(
            1000,
            |at| at as u32,
            || {
                let (_, within) = fill(2000, |_| 7u32, || ());
                assert_eq!(within, 14_000);
            },
        );
        assert_eq!(sum, 499_500);
    }

    #[test]
    fn much_memory_is_freed() {
        fill(KEPT + 1, |_| 1u64, || ());
        assert!(MEMORY.take().capacity() <= KEPT);
        assert_eq!(Table::new(KEPT + 1).words().len(), KEPT + 1);
        assert_eq!(TABLE.take().capacity(), 0);
    }

    #[test]
    fn a_table_is_kept_and_not_shared() {
        let address = |count| Table::new(count).words().as_ptr() as usize;
        let first = address(1000);
        assert_eq!(address(500), first);
        let (mut table, mut other) = (Table::new(1000), Table::new(1000));
        table.words().fill(7);
        other.words().fill(3);
        assert!(table.words().iter().all(|&word| word == 7));
    }
}
