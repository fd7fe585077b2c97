//! The allocation of arrays.

use std::sync::atomic::{AtomicBool, Ordering};

static FRESH: AtomicBool = AtomicBool::new(false);

/// Whether [`always_fresh`] was called, for processes that are started.
pub(crate) fn is_fresh() -> bool {
    FRESH.load(Ordering::Relaxed)
}

/// Makes `malloc` take large blocks from the system and return them to it. Otherwise, results would reuse memory of an earlier round,
/// which a program that converts once does not have.
pub(crate) fn always_fresh() {
    FRESH.store(true, Ordering::Relaxed);
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::set(&[(glibc::MMAP_THRESHOLD, 128 << 10)]);
}

/// Makes all threads share one heap, if called before others allocate: each would have one of its own, of at most 64 MB.
pub(crate) fn share_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::set(&[(glibc::ARENA_MAX, 1)]);
}

/// Makes `malloc` keep all memory that is freed for what is allocated next, for good. Otherwise, it returns blocks to the system or not,
/// depending on their size and on those before.
pub(crate) fn always_reused() {
    FRESH.store(false, Ordering::Relaxed);
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::set(&[(glibc::MMAP_MAX, 0), (glibc::TRIM_THRESHOLD, i32::MAX)]);
}

/// Parameters of glibc's `malloc`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    use std::ffi::c_int;

    pub(super) const TRIM_THRESHOLD: c_int = -1;
    pub(super) const MMAP_THRESHOLD: c_int = -3;
    pub(super) const MMAP_MAX: c_int = -4;
    pub(super) const ARENA_MAX: c_int = -8;

    unsafe extern "C" {
        fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }

    /// Sets parameters.
    ///
    /// # Panics
    /// If one is refused.
    pub(super) fn set(parameters: &[(c_int, c_int)]) {
        for &(parameter, value) in parameters {
            // SAFETY: glibc declares it like this; it only sets a number.
            let is_set = unsafe { mallopt(parameter, value) };
            assert_eq!(is_set, 1, "`malloc` has a parameter {parameter} that may be {value}");
        }
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
