//! Large arrays on large pages.
//!
//! Most of the time of a conversion can go into the first touch of its output: a fault for each page of 4 KiB.
//! Arrays above [`WORTHWHILE`] ask the kernel for larger pages before they are touched.

/// Bytes from which an array asks for large pages: half of one of the common size, which costs less than the small ones.
const WORTHWHILE: usize = 1 << 20;

/// A large page.
const LARGE: usize = 2 << 20;

/// A small page.
const SMALL: usize = 4 << 10;

/// Where an array begins in pages that the allocator of the system got for it, and what it takes of these at most.
const NOTE: usize = 16;
const NOTES: usize = 64;

/// How many items to make room for, so that the array that is made next lies on large pages as far as `count` items go.
///
/// The allocator notes the length of an array in its first page, before the kernel can be asked for a large one there: that
/// page is to be the last before the border of a large one, and whole large pages are to follow. The kernel puts an array
/// right below others, so that where one that is tried ends says where one of another length begins.
fn room<T>(count: usize) -> usize {
    /// Gaps between other arrays that are tried.
    const TRIES: usize = 3;
    let bytes = count.saturating_mul(size_of::<T>());
    if bytes < WORTHWHILE || size_of::<T>() == 0 {
        return count;
    }
    let whole = bytes.saturating_add(NOTES).saturating_sub(SMALL).div_ceil(LARGE);
    let room = whole.saturating_mul(LARGE).saturating_add(SMALL - NOTES);
    let mut more = 0;
    for _ in 0..TRIES {
        let mut tried = Vec::<u8>::new();
        if tried.try_reserve_exact(room + more).is_err() {
            return count;
        }
        let start = core::hint::black_box(tried.as_ptr()) as usize;
        let before = (start - start % SMALL + more + SMALL) % LARGE;
        // Memory that was used before has its pages, and other allocators note elsewhere. Whole large pages and nothing else
        // are put at a border.
        if start % SMALL != NOTE || before == more || before == LARGE - SMALL {
            break;
        }
        more = before;
    }
    (room + more) / size_of::<T>()
}

/// An empty array with room for at least `capacity` items.
pub(crate) fn with_capacity<T>(capacity: usize) -> Vec<T> {
    let mut items = Vec::with_capacity(room::<T>(capacity));
    advise(&mut items);
    items
}

/// Room for so many items more. Where there is too little, four times as much as before if the machine gives that: what
/// is not touched takes no memory, and a large array is rarely moved.
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
    advise(items);
}

/// Room for so many items in an empty array, if the machine gives that.
pub(crate) fn expect<T>(items: &mut Vec<T>, count: usize) {
    debug_assert!(items.is_empty());
    if items.try_reserve_exact(room::<T>(count)).is_ok() {
        advise(items);
    }
}

/// `count` times the same item, which is best zero: zeros of primitive types take no time until they are touched.
pub(crate) fn filled<T: Copy>(item: T, count: usize) -> Vec<T> {
    let mut items = vec![item; room::<T>(count)];
    advise(&mut items);
    items.truncate(count);
    items
}

/// A copy of some items.
pub(crate) fn copied<T: Clone>(items: &[T]) -> Vec<T> {
    let mut copy = with_capacity(items.len());
    copy.extend_from_slice(items);
    copy
}

/// Asks for large pages below the room of an array.
#[cfg(target_os = "linux")]
fn advise<T>(items: &mut Vec<T>) {
    let bytes = items.capacity().saturating_mul(size_of::<T>());
    if bytes < WORTHWHILE || size_of::<T>() == 0 {
        return;
    }
    let page = 4096;
    let start = items.as_mut_ptr() as usize;
    // Whole pages, also those the array shares at its ends: a mapping that has one advice throughout grows without a copy.
    let (first, end) = (start / page * page, (start + bytes).next_multiple_of(page));
    // SAFETY: all these pages are mapped, as each holds bytes of one allocation that is borrowed mutably here, and the
    // advice changes no byte of them. A kernel that does not know it answers with an error, which is of no interest.
    unsafe {
        libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_what_they_would_be_anyway() {
        for count in [0, 1, WORTHWHILE / 8 + 3] {
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
