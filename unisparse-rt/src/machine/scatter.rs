//! Scatter and streaming stores into an array that several threads fill.

use core::any::TypeId;
use core::marker::PhantomData;
#[cfg(target_has_atomic = "64")]
use core::sync::atomic::AtomicU64;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

use super::prefetch;

/// Mutably borrowed array in which any place may be written by many threads, even the same place.
///
/// Where several threads have written one place, each machine word there comes from one of their items, not necessarily all from the
/// same.
pub(crate) struct ScatterSlice<'a, T> {
    start: *mut T,
    len: usize,
    array: PhantomData<&'a mut [T]>,
}

impl<T> Clone for ScatterSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ScatterSlice<'_, T> {}

// SAFETY: nothing is read through it, and callers of `set` ensure that threads write one place only if writes are atomic.
unsafe impl<T: Send> Sync for ScatterSlice<'_, T> {}
// SAFETY: it is a mutable borrow of items that can be sent.
unsafe impl<T: Send> Send for ScatterSlice<'_, T> {}

impl<'a, T: Copy + 'static> ScatterSlice<'a, T> {
    pub(crate) fn new(array: &'a mut [T]) -> Self {
        Self::at(array.as_mut_ptr(), array.len())
    }

    /// Borrows the first `len` places of the spare capacity of an empty array.
    ///
    /// # Panics
    /// If the capacity is less.
    pub(crate) fn spare(array: &'a mut Vec<T>, len: usize) -> Self {
        let places = &mut array.spare_capacity_mut()[..len];
        Self::at(places.as_mut_ptr().cast(), len)
    }

    fn at(start: *mut T, len: usize) -> Self {
        ScatterSlice {
            start,
            len,
            array: PhantomData,
        }
    }

    /// Returns whether items are written by atomic operations: they are words without padding, or have no bytes.
    pub(crate) fn is_atomic() -> bool {
        macro_rules! is_one_of {
            ($($item:ty)*) => { [$(TypeId::of::<$item>()),*].contains(&TypeId::of::<T>()) };
        }
        let whole = is_one_of!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 num_complex::Complex32 num_complex::Complex64);
        #[cfg(feature = "half")]
        let whole = whole || is_one_of!(half::f16 half::bf16);
        let nothing = size_of::<T>() == 0 && align_of::<T>() <= 8;
        nothing || whole && (align_of::<T>() < 8 || cfg!(target_has_atomic = "64"))
    }

    /// Prefetches for a write, some bytes after a place. Both may be outside the array.
    #[inline(always)]
    pub(crate) fn prefetch(&self, at: usize, bytes: usize) {
        prefetch::after(self.start.wrapping_add(at), bytes);
    }

    /// Writes an item to a place. In a large array, prefetches `AFTER` bytes after it, for the next writes of the same stream; not if `AFTER` is zero.
    ///
    /// # Safety
    /// Unless [`is_atomic`](ScatterSlice::is_atomic), no other thread writes the same place while this one may.
    ///
    /// # Panics
    /// If the place is outside the array.
    #[inline(always)]
    pub(crate) unsafe fn set<const AFTER: usize>(&self, at: usize, item: T) {
        assert!(at < self.len);
        // With a constant, compilers find that all items of a loop need the same, and take the test out of it.
        if AFTER > 0 && self.len.saturating_mul(size_of::<T>()) > prefetch::FAR_WRITES {
            self.prefetch(at, AFTER);
        }
        // SAFETY: the place is inside the array, and the caller's promise.
        unsafe { self.put(at, item) };
    }

    /// Writes an item here and another there, to the same place, as [`set`](ScatterSlice::set) does. One check is for both.
    ///
    /// # Safety
    /// That of [`set`](ScatterSlice::set), for both arrays.
    ///
    /// # Panics
    /// If the place is outside one of the arrays.
    #[inline(always)]
    pub(crate) unsafe fn set_both<const AFTER: usize, U: Copy + 'static>(
        &self,
        other: &ScatterSlice<'_, U>,
        at: usize,
        items: (T, U),
    ) {
        let len = self.len.min(other.len);
        assert!(at < len);
        if AFTER > 0 && len.saturating_mul(size_of::<T>() + size_of::<U>()) > prefetch::FAR_WRITES {
            self.prefetch(at, AFTER);
            other.prefetch(at, AFTER);
        }
        // SAFETY: the place is inside both arrays, and the caller's promise.
        unsafe {
            self.put(at, items.0);
            other.put(at, items.1);
        }
    }

    /// Writes an item to a place.
    ///
    /// # Safety
    /// The place is inside the array, and unless [`is_atomic`](ScatterSlice::is_atomic), no other thread writes it while this
    /// one may.
    #[inline(always)]
    unsafe fn put(&self, at: usize, item: T) {
        // SAFETY: the place is inside the array, which is borrowed mutably for as long as this lives.
        let place = unsafe { self.start.add(at) };
        if !Self::is_atomic() {
            // SAFETY: the caller ensures that this thread alone writes there.
            return unsafe { place.write(item) };
        }
        // SAFETY: an item is as many words of its own alignment as fit, all of them initialized, and everyone writes them
        // atomically.
        unsafe {
            match align_of::<T>() {
                1 => store::<T, AtomicU8>(place, item),
                2 => store::<T, AtomicU16>(place, item),
                4 => store::<T, AtomicU32>(place, item),
                #[cfg(target_has_atomic = "64")]
                8 => store::<T, AtomicU64>(place, item),
                _ => unreachable!("a word has at most 8 bytes"),
            }
        }
    }

    /// Writes items to consecutive places, with non-temporal stores where possible: the old content is not read first.
    ///
    /// [`store_fence`] makes the items visible.
    ///
    /// # Safety
    /// No other thread writes these places while this one may, and none reads them before this one calls [`store_fence`].
    ///
    /// # Panics
    /// If some of these places are outside the array.
    #[inline(always)]
    pub(crate) unsafe fn stream(&self, first: usize, items: &[T]) {
        assert!(first <= self.len && items.len() <= self.len - first);
        // SAFETY: the places are inside the array, which is borrowed mutably for as long as this lives.
        let place = unsafe { self.start.add(first) };
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
            let (lanes, rest) = (size_of_val(items) / 16, size_of_val(items) % 16);
            if Self::is_atomic() && rest == 0 && place.addr() % 16 == 0 {
                let (from, to) = (items.as_ptr().cast::<__m128i>(), place.cast::<__m128i>());
                for lane in 0..lanes {
                    // SAFETY: SSE2 is part of the architecture. Items are initialized words with as many bytes as the lanes;
                    // the places have as many bytes, begin at a lane boundary, and are this thread's alone.
                    unsafe { _mm_stream_si128(to.add(lane), _mm_loadu_si128(from.add(lane))) };
                }
                return;
            }
        }
        // SAFETY: there are as many places as items, and they are this thread's alone; the items are borrowed, so they are not
        // among the places.
        unsafe { place.copy_from_nonoverlapping(items.as_ptr(), items.len()) };
    }
}

/// Makes this thread's streamed stores visible to all threads, as its other writes are: a store fence.
#[inline(always)]
pub(crate) fn store_fence() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: SSE is part of the architecture.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Writes an item word by word, atomically.
///
/// # Safety
/// `T` consists of words of this size and alignment, and `place` is valid for atomic writes.
#[inline(always)]
unsafe fn store<T: Copy, W: Word>(place: *mut T, item: T) {
    let from = (&raw const item).cast::<W::Plain>();
    for word in 0..size_of::<T>() / size_of::<W>() {
        // SAFETY: as the caller ensures.
        unsafe { W::store(place.cast::<W::Plain>().add(word), from.add(word).read()) };
    }
}

/// Atomic integers.
trait Word {
    type Plain;
    /// # Safety
    /// The address is valid for atomic writes.
    unsafe fn store(address: *mut Self::Plain, word: Self::Plain);
}

macro_rules! word {
    ($($atomic:ident $plain:ident)*) => {$(
        impl Word for $atomic {
            type Plain = $plain;
            #[inline(always)]
            unsafe fn store(address: *mut $plain, word: $plain) {
                // SAFETY: as the caller ensures.
                unsafe { $atomic::from_ptr(address) }.store(word, Relaxed);
            }
        }
    )*};
}

word!(AtomicU8 u8 AtomicU16 u16 AtomicU32 u32);
#[cfg(target_has_atomic = "64")]
word!(AtomicU64 u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_fill_places_of_their_own() {
        let mut items = vec![0usize; 1000];
        let cells = ScatterSlice::new(&mut items);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let cells = &cells;
                scope.spawn(move || {
                    for at in (thread..1000).step_by(4) {
                        // SAFETY: each thread writes the places that are congruent to its number modulo 4.
                        unsafe { cells.set::<0>(at, at + 1) };
                    }
                });
            }
        });
        assert!(items.into_iter().eq(1..=1000));
    }

    #[test]
    #[should_panic(expected = "at < self.len")]
    fn there_is_no_place_past_the_end() {
        let mut items = [0; 3];
        // SAFETY: there is one thread.
        unsafe { ScatterSlice::new(&mut items).set::<0>(3, 1) };
    }

    #[test]
    #[should_panic(expected = "at < len")]
    fn there_is_no_place_past_the_end_of_the_shorter_array() {
        let (mut items, mut others) = ([0; 3], [0.0; 2]);
        // SAFETY: there is one thread.
        unsafe { ScatterSlice::new(&mut items).set_both::<0, _>(&ScatterSlice::new(&mut others), 2, (1, 1.0)) };
    }

    #[test]
    fn threads_may_write_the_same_places() {
        fn meet<T: Copy + PartialEq + core::fmt::Debug + Send + Sync + 'static>(zero: T, items: [T; 2]) {
            assert!(ScatterSlice::<T>::is_atomic());
            let mut array = [zero; 100];
            let cells = ScatterSlice::new(&mut array);
            std::thread::scope(|scope| {
                for item in items {
                    let cells = &cells;
                    // SAFETY: the writes are atomic.
                    scope.spawn(move || (0..99).for_each(|at| unsafe { cells.set::<0>(at, item) }));
                }
            });
            assert!(array[..99].iter().all(|item| items.contains(item)));
            assert_eq!(array[99], zero);
        }
        meet(false, [true; 2]);
        meet(0u8, [7, 9]);
        meet(0i16, [-7, 9]);
        meet(0.0f32, [1.5, -0.25]);
        meet(0.0, [1.5, f64::MAX]);
        meet(
            num_complex::Complex64::default(),
            [num_complex::Complex64::new(1.0, -2.0); 2],
        );
    }

    #[test]
    fn runs_of_any_length_go_to_any_place() {
        fn put<T: Copy + PartialEq + core::fmt::Debug + 'static>(zero: T, item: impl Fn(u8) -> T) {
            let items: Vec<T> = (0..40).map(item).collect();
            for (first, len) in [(0, 0), (0, 16), (3, 16), (5, 40), (4, 7), (60, 4), (64, 0)] {
                let mut array = [zero; 64];
                // SAFETY: there is one thread, which calls `store_fence` before it reads.
                unsafe { ScatterSlice::new(&mut array).stream(first, &items[..len]) };
                store_fence();
                assert_eq!(array[first..first + len], items[..len]);
                assert!(
                    array[..first]
                        .iter()
                        .chain(&array[first + len..])
                        .all(|&item| item == zero)
                );
            }
        }
        put(0u8, |at| at);
        put(0u32, u32::from);
        put(0.0, f64::from);
        put([0.0f32; 3], |at| [f32::from(at); 3]);
        put((), |_| ());
    }

    #[test]
    #[should_panic(expected = "items.len() <= self.len - first")]
    fn a_run_ends_inside() {
        // SAFETY: there is one thread.
        unsafe { ScatterSlice::new(&mut [0; 3]).stream(2, &[1, 2]) };
    }

    #[test]
    fn items_with_room_between_are_written_by_one_thread() {
        let mut array = [(0u8, 0u32); 3];
        assert!(!ScatterSlice::<(u8, u32)>::is_atomic());
        // SAFETY: there is one thread.
        unsafe { ScatterSlice::new(&mut array).set::<0>(1, (1, 2)) };
        assert_eq!(array, [(0, 0), (1, 2), (0, 0)]);
    }
}
