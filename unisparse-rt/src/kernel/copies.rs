//! Private copies of an output for the threads of a kernel, in memory that is kept for the next kernel.
//!
//! The system maps and clears new memory a page at a time, which can take longer than the kernel.

use core::any::Any;
use std::sync::Mutex;

/// The most bytes that are kept between kernels.
const MOST: usize = 32 << 20;

/// The copies of all kernels of the program.
pub(super) static COPIES: Copies = Copies::new();

/// The copies of the kernel that ran last. Kernels that run at the same time allocate their own.
pub(super) struct Copies(Mutex<Option<Box<dyn Any + Send>>>);

impl Copies {
    const fn new() -> Self {
        Copies(Mutex::new(None))
    }

    /// Calls `kernel` with `count` arrays of any length and content, which it may grow.
    pub(super) fn with<S: Send + 'static>(&self, count: usize, kernel: impl FnOnce(&mut [Vec<S>])) {
        let mut copies = self.take::<S>();
        if copies.len() < count {
            copies.resize_with(count, Vec::new);
        }
        kernel(&mut copies[..count]);
        self.keep(copies);
    }

    fn take<S: 'static>(&self) -> Vec<Vec<S>> {
        let kept = self.0.try_lock().ok().and_then(|mut kept| kept.take());
        let copies = kept.and_then(|kept| kept.downcast().ok());
        copies.map_or_else(Vec::new, |copies| *copies)
    }

    fn keep<S: Send + 'static>(&self, copies: Vec<Vec<S>>) {
        let bytes = copies.iter().map(|copy| copy.capacity() * size_of::<S>());
        if bytes.sum::<usize>() > MOST {
            return;
        }
        if let Ok(mut kept) = self.0.try_lock() {
            *kept = Some(Box::new(copies));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_kept_for_the_next_kernel_of_the_same_type() {
        let copies = Copies::new();
        let place_of = |fill: u64| {
            let mut place = core::ptr::null();
            copies.with::<u64>(1, |own| {
                own[0].clear();
                own[0].resize(100, fill);
                place = own[0].as_ptr();
            });
            place
        };
        let first = place_of(1);
        assert_eq!(place_of(2), first);
        copies.with::<u8>(1, |own| assert!(own[0].is_empty()));
        assert!(copies.take::<u64>().is_empty());
    }

    #[test]
    fn kernels_in_kernels_have_copies_of_their_own() {
        let copies = Copies::new();
        copies.with::<u64>(2, |outer| {
            outer.iter_mut().for_each(|copy| copy.resize(100, 7));
            copies.with::<u64>(3, |inner| inner.iter_mut().for_each(|copy| copy.resize(50, 9)));
            copies.with::<u8>(1, |inner| inner[0].resize(10, 1));
            assert!(outer.iter().all(|copy| *copy == [7; 100]));
        });
        copies.with::<u64>(4, |again| {
            assert_eq!(again.len(), 4);
            again.iter_mut().for_each(Vec::clear);
        });
    }

    #[test]
    fn large_copies_are_not_kept() {
        let copies = Copies::new();
        copies.keep::<u32>(vec![Vec::with_capacity(MOST / size_of::<u32>() + 1)]);
        assert!(copies.take::<u32>().is_empty());
    }
}
