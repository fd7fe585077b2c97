//! Private copies of an output for the threads of a kernel, in memory that is kept for the next kernel.
//!
//! The system maps and clears new memory a page at a time, which can take longer than the kernel.

use core::any::Any;
use std::sync::Mutex;

/// The most bytes that are kept between kernels, in the whole program.
const MOST: usize = 32 << 20;

/// The copies of the kernel that ran last. Kernels that run at the same time allocate their own.
static KEPT: Mutex<Option<Box<dyn Any + Send>>> = Mutex::new(None);

/// Calls `kernel` with `count` arrays of any length and content, which it may grow.
pub(super) fn with_copies<S: Send + 'static>(count: usize, kernel: impl FnOnce(&mut [Vec<S>])) {
    let mut copies = take::<S>();
    if copies.len() < count {
        copies.resize_with(count, Vec::new);
    }
    kernel(&mut copies[..count]);
    keep(copies);
}

fn take<S: 'static>() -> Vec<Vec<S>> {
    let kept = KEPT.try_lock().ok().and_then(|mut kept| kept.take());
    let copies = kept.and_then(|kept| kept.downcast().ok());
    copies.map_or_else(Vec::new, |copies| *copies)
}

fn keep<S: Send + 'static>(copies: Vec<Vec<S>>) {
    let bytes = copies.iter().map(|copy| copy.capacity() * size_of::<S>());
    if bytes.sum::<usize>() > MOST {
        return;
    }
    if let Ok(mut kept) = KEPT.try_lock() {
        *kept = Some(Box::new(copies));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_in_kernels_have_copies_of_their_own() {
        with_copies::<u64>(2, |outer| {
            outer.iter_mut().for_each(|copy| copy.resize(100, 7));
            with_copies::<u64>(3, |inner| inner.iter_mut().for_each(|copy| copy.resize(50, 9)));
            with_copies::<u8>(1, |inner| inner[0].resize(10, 1));
            assert!(outer.iter().all(|copy| *copy == [7; 100]));
        });
        with_copies::<u64>(4, |again| {
            assert_eq!(again.len(), 4);
            again.iter_mut().for_each(Vec::clear);
        });
    }

    #[test]
    fn large_copies_are_not_kept() {
        // No other test has copies of this type.
        type Own = [u32; 3];
        let mut copies: Vec<Vec<Own>> = vec![Vec::with_capacity(MOST / size_of::<Own>() + 1)];
        keep(core::mem::take(&mut copies));
        assert!(take::<Own>().is_empty());
    }
}
