//! Prefetch hints for items of an array that are about to be read or written.
//!
//! A hint reads nothing, changes nothing and never faults, whatever the address: the index may be out of bounds. Where a
//! target has no such instruction, a hint does nothing.

/// Whether loops over arrays give hints. Without optimisation they do not: each loop would have the code of its hints.
pub(crate) const IS_USED: bool = cfg!(any(optimised, test));

/// Prefetches the cache line of `slice[index]` for a read.
#[inline(always)]
pub fn read<T>(slice: &[T], index: usize) {
    near(slice.as_ptr().wrapping_add(index).cast());
}

/// Prefetches the cache line of `slice[index]` for a write.
#[inline(always)]
pub fn write<T>(slice: &[T], index: usize) {
    near_for_writing(slice.as_ptr().wrapping_add(index).cast());
}

/// Prefetches for a write, some bytes after `place`.
#[inline(always)]
pub(crate) fn after<T>(place: *const T, bytes: usize) {
    near_for_writing(place.wrapping_byte_add(bytes).cast());
}

/// Distance in bytes at which scatter streams prefetch, if there are up to a hundred.
pub(crate) const AFTER: usize = 2 * LINE;

/// Distance in bytes at which they prefetch if there may be thousands: what they have prefetched must stay in L2 until it is written.
pub(crate) const SHORTLY_AFTER: usize = LINE / 4;

/// Bytes of the arrays that scatter streams write to from which on prefetching pays.
///
/// Of less, a counting sort takes up to 10 % longer with it on a Zen 3. From there on, it takes 0.4 to 1.1 of the time: its arrays do
/// not stay in the last cache, which other machines use, too.
pub(crate) const FAR_WRITES: usize = 9 << 18;

/// Returns whether scatter streams are long enough to prefetch: what follows a short one in memory is mostly another one's.
pub(crate) fn are_long(count: usize, streams: usize) -> bool {
    const SHORT: usize = 8;
    count / SHORT >= streams
}

/// Bytes of the records that two counting sorts scatter from which on prefetching pays: about an L2.
///
/// Above, they take 0.55 to 0.95 of the time with it; below, 1.0.
pub(crate) const FAR_SCATTER: usize = 512 << 10;

/// Items between one that a loop scatters and the one whose place it prefetches.
pub(crate) const ITEMS_AHEAD: usize = 12;

/// Bytes of a stream from which on prefetching what follows a segment pays.
///
/// Below, hardware prefetchers bring it from the last cache: a product with a `Csr` of 1 to 5 MB takes up to 12 % longer with prefetches
/// where the one before left the arrays there, as in a solver, and 5 to 15 % less time where they are in memory.
pub(crate) const FAR_SEGMENTS: usize = 8 << 20;

/// Bytes of a dense operand from which on a product prefetches what it gathers.
///
/// Rows of ten elements in random columns, on a Zen 3 of which other machines use the last cache, too: of 16 MB, a product takes 0.5 to
/// 1.1 of the time; of 5.6 MB, 0.45 to 0.9, but 1.05 to 1.25 while the last cache is free. In plain C, 0.9 to 1.1 of 3.5 MB, and 1.15 of
/// 1.6 MB. Columns near the diagonal, in any vector, take up to 1.4 times as long, so that it must be known that they are scattered.
pub(crate) const FAR_GATHER: usize = 4 << 20;

/// Elements between one that a product multiplies and the one for which it prefetches what that gathers.
pub(crate) const GATHERED_AHEAD: usize = 64;

/// Prefetch distance of the arrays of a loop, in bytes: about what memory delivers during the latency of one request.
const AHEAD: usize = 8 << 10;
/// Size of a cache line, in bytes.
pub(crate) const LINE: usize = 64;
/// Assumed capacity of L2, in bytes.
pub(crate) const NEAR: usize = 1 << 20;

/// Prefetches the cache lines of `count` items from `slice[first]` on, moved forward by `AHEAD` bytes.
#[inline(always)]
pub(crate) fn ahead<T>(slice: &[T], first: usize, count: usize) {
    lines(slice, first.wrapping_add(AHEAD / size_of::<T>().max(1)), count);
}

/// Minimum distance in rows from which a read of one row says nothing about whether the other is cached.
pub const FAR: usize = 64;

/// Returns the prefetch distance in rows of `count` items; zero if the array fits in L2.
#[inline(always)]
#[must_use]
pub fn distance<T>(array: &[T], count: usize) -> usize {
    const FEWEST: usize = 16;
    if size_of_val(array) <= NEAR {
        return 0;
    }
    (AHEAD / (count * size_of::<T>()).max(LINE)).max(FEWEST)
}

/// Prefetches a few items from `slice[first]` on, which are on one cache line or two.
#[inline(always)]
pub(crate) fn few<T>(slice: &[T], first: usize) {
    const FEW: usize = 8;
    read(slice, first);
    read(slice, first.wrapping_add(FEW - 1));
}

/// Prefetches `count` items from `slice[first]` on.
#[inline(always)]
pub fn row<T>(slice: &[T], first: usize, count: usize) {
    lines(slice, first, count);
    // Rows rarely begin where a cache line does: the last item may be on one more line.
    read(slice, first.wrapping_add(count).wrapping_sub(1));
}

/// Prefetches one cache line for each 64 bytes of `count` items from `slice[first]` on.
#[inline(always)]
fn lines<T>(slice: &[T], first: usize, count: usize) {
    if !IS_USED {
        return;
    }
    let address = slice.as_ptr().wrapping_add(first).cast::<i8>();
    let bytes = count.wrapping_mul(size_of::<T>());
    let mut line = 0;
    while line < bytes {
        near(address.wrapping_add(line));
        line += LINE;
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn near(address: *const i8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: SSE is part of the architecture, and a prefetch of any address is allowed.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn near_for_writing(address: *const i8) {
    use core::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
    // SAFETY: as above; where the target may not have a prefetch for writing, this is the one for reading.
    unsafe { _mm_prefetch::<_MM_HINT_ET0>(address) };
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
#[inline(always)]
fn near(address: *const i8) {
    // SAFETY: a prefetch of any address is allowed, and has no effect that a program could see.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, readonly, preserves_flags));
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
#[inline(always)]
fn near_for_writing(address: *const i8) {
    // SAFETY: as above.
    unsafe {
        core::arch::asm!("prfm pstl1keep, [{}]", in(reg) address, options(nostack, readonly, preserves_flags));
    }
}

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[inline(always)]
fn near(_: *const i8) {}

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[inline(always)]
fn near_for_writing(_: *const i8) {}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_happens_whatever_the_index() {
        let items = [1u64, 2, 3];
        for index in [0, 2, 3, 1 << 20, usize::MAX / 8, usize::MAX] {
            super::read(&items, index);
            super::write(&items, index);
            super::ahead(&items, index, 1000);
            super::row(&items, index, 1000);
            super::few(&items, index);
            super::read::<u8>(&[], index);
            super::write(&[()], index);
            super::after(items.as_ptr(), index);
        }
        assert_eq!(items, [1, 2, 3]);
    }
}
