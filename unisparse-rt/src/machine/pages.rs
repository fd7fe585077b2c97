//! Large arrays on large pages.
//!
//! Most of the time of a conversion can be spent on the first touch of its output, with a fault for each page of 4 KiB.
//! Arrays above [`WORTHWHILE`] request larger pages from the kernel before they are touched.

/// Minimum size in bytes of an array that requests large pages: half a large page costs less than small pages.
const WORTHWHILE: usize = 1 << 20;

/// Size of a large page, in bytes.
const LARGE: usize = 2 << 20;

/// Size of a small page, in bytes: reserved for what the allocator stores beside an array.
const SMALL: usize = 4 << 10;

/// Returns the capacity for `count` items with which an array fills large pages.
///
/// The kernel aligns only such arrays to large pages.
fn room<T>(count: usize) -> usize {
    let bytes = count.saturating_mul(size_of::<T>());
    if bytes < WORTHWHILE || size_of::<T>() == 0 {
        return count;
    }
    let whole = bytes.saturating_add(SMALL).div_ceil(LARGE).saturating_mul(LARGE) - SMALL;
    (whole / size_of::<T>()).max(count)
}

/// Whether the pages of an array have been written to, except the first, where the allocator stores the size.
#[derive(Clone, Copy, PartialEq)]
enum Pages {
    Fresh,
    Written,
}

/// Returns an empty array with a capacity of at least `capacity` items.
pub(crate) fn with_capacity<T>(capacity: usize) -> Vec<T> {
    let mut items = Vec::with_capacity(room::<T>(capacity));
    advise(&mut items, Pages::Fresh);
    items
}

/// Reserves capacity for `more` items.
///
/// An array that must grow becomes four times as long, if that can be allocated: memory that is not touched costs nothing,
/// and a large array is rarely moved.
#[inline]
pub(crate) fn reserve<T>(items: &mut Vec<T>, more: usize) {
    if items.capacity() - items.len() < more {
        grow(items, more);
    }
}

#[cold]
#[inline(never)]
fn grow<T>(items: &mut Vec<T>, more: usize) {
    let wanted = room::<T>(items.len().saturating_add(items.len().saturating_mul(3).max(more)));
    if items.try_reserve_exact(wanted - items.len()).is_err() {
        items.reserve(more);
    }
    advise(items, Pages::Written);
}

/// Reserves capacity for `count` items in an empty array, if that can be allocated.
pub(crate) fn expect<T>(items: &mut Vec<T>, count: usize) {
    debug_assert!(items.is_empty());
    if items.try_reserve_exact(room::<T>(count)).is_ok() {
        advise(items, Pages::Fresh);
    }
}

/// Returns `count` copies of an item. Zeros of primitive types take no time until they are touched.
pub(crate) fn filled<T: Copy>(item: T, count: usize) -> Vec<T> {
    let mut items = vec![item; room::<T>(count)];
    advise(&mut items, Pages::Fresh);
    items.truncate(count);
    items
}

/// Returns `count` copies of an item, of which about `written` will be written to, anywhere.
pub(crate) fn filled_in_part<T: Copy>(item: T, count: usize, written: usize) -> Vec<T> {
    // Elements are rarely spread evenly: with fewer of them, most small pages are never touched.
    const FEW: usize = 8;
    if written / FEW < count.saturating_mul(size_of::<T>()) / SMALL {
        return vec![item; count];
    }
    filled(item, count)
}

/// Returns a copy of some items.
pub(crate) fn copied<T: Clone>(items: &[T]) -> Vec<T> {
    let mut copy = with_capacity(items.len());
    copy.extend_from_slice(items);
    copy
}

/// Requests large pages for the capacity of an array.
#[cfg(target_os = "linux")]
fn advise<T>(items: &mut Vec<T>, pages: Pages) {
    let bytes = items.capacity().saturating_mul(size_of::<T>());
    if bytes < WORTHWHILE || size_of::<T>() == 0 {
        return;
    }
    let page = 4096;
    let start = items.as_mut_ptr() as usize;
    // Use whole pages, also those the array shares at its ends: a mapping that has one advice throughout grows without a copy.
    let (first, end) = (start / page * page, (start + bytes).next_multiple_of(page));
    // SAFETY: all these pages are mapped, as each holds bytes of one allocation that is borrowed mutably here, and the
    // advice changes no byte of them. A kernel that does not know it returns an error, which may be ignored.
    unsafe {
        libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE);
    }
    // One large page of small ones that hold something is a copy of these.
    if pages == Pages::Fresh && first % LARGE == 0 && end - first >= LARGE {
        /// `MADV_COLLAPSE`, which makes one large page of small ones, present or not; some targets' C libraries do not name it.
        const COLLAPSE: libc::c_int = 25;
        // The allocator has touched the first small page, where it stores the size, before the advice: without this call, the
        // first large page would remain small pages.
        // SAFETY: as above; these pages are some of those.
        unsafe {
            libc::madvise(first as *mut libc::c_void, LARGE, COLLAPSE);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_: &mut Vec<T>, _: Pages) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_what_they_would_be_anyway() {
        for count in [0, 1, WORTHWHILE / 8 + 3, LARGE / 8 + 3] {
            let mut items = with_capacity::<u64>(count);
            assert!(items.is_empty() && items.capacity() >= count);
            items.extend(0..count as u64);
            assert!(items.iter().copied().eq(0..count as u64));
            assert_eq!(filled(7u64, count), vec![7; count]);
            assert_eq!(copied(&items), items);
            assert_eq!(filled(0.0, count), vec![0.0; count]);
        }
    }

    #[test]
    fn arrays_grow() {
        let mut items: Vec<u64> = Vec::new();
        for count in [0, 1, 5, WORTHWHILE / 8 + 3] {
            let (before, more) = (items.len(), count);
            reserve(&mut items, more);
            assert!(items.capacity() >= before + more);
            items.extend(0..more as u64);
        }
        assert_eq!((items[0], items[1], items[6]), (0, 0, 0));
        assert_eq!(items.len(), WORTHWHILE / 8 + 9);
    }
}
