//! The allocation of arrays.

use std::sync::atomic::{AtomicBool, Ordering};

static FRESH: AtomicBool = AtomicBool::new(false);

/// Whether [`always_fresh`] was called, for processes that are started.
pub(crate) fn is_fresh() -> bool {
    FRESH.load(Ordering::Relaxed)
}

/// Makes `malloc` take large blocks from the system and return them to it. Otherwise, results below 32 MiB would reuse
/// memory of an earlier round, which a program that converts once does not have.
pub(crate) fn always_fresh() {
    FRESH.store(true, Ordering::Relaxed);
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn mallopt(parameter: std::ffi::c_int, value: std::ffi::c_int) -> std::ffi::c_int;
        }
        const MMAP_THRESHOLD: std::ffi::c_int = -3;
        // SAFETY: glibc declares it like this; it only sets a number.
        unsafe { mallopt(MMAP_THRESHOLD, 128 << 10) };
    }
}

/// Returns `count` numbers on huge pages, like our large arrays, because reads of them are faster.
pub(crate) fn on_large_pages(number: f64, count: usize) -> Vec<f64> {
    let mut numbers = Vec::with_capacity(count);
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn madvise(start: *mut std::ffi::c_void, length: usize, advice: std::ffi::c_int) -> std::ffi::c_int;
        }
        const HUGE_PAGES: std::ffi::c_int = 14;
        let start: *mut f64 = numbers.as_mut_ptr();
        let (first, end) = (
            (start as usize).next_multiple_of(4096),
            (start as usize + 8 * count) / 4096 * 4096,
        );
        if first < end {
            // SAFETY: the C library declares it like this; the range lies in the vector's memory, whose bytes stay.
            unsafe { madvise(start.byte_add(first - start as usize).cast(), end - first, HUGE_PAGES) };
        }
    }
    numbers.resize(count, number);
    numbers
}
