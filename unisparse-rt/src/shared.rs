//! An array that several threads fill, each with places of its own.

use core::marker::PhantomData;

/// A mutably borrowed array that may be written from many threads.
pub(crate) struct Shared<'a, T> {
    start: *mut T,
    len: usize,
    array: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: nothing is read through it, and `set` leaves it to the caller that no place is written twice at a time.
unsafe impl<T: Send> Sync for Shared<'_, T> {}
// SAFETY: it is a mutable borrow of items that can be sent.
unsafe impl<T: Send> Send for Shared<'_, T> {}

impl<'a, T: Copy> Shared<'a, T> {
    pub(crate) fn new(array: &'a mut [T]) -> Self {
        Shared {
            start: array.as_mut_ptr(),
            len: array.len(),
            array: PhantomData,
        }
    }

    /// Puts an item at a place.
    ///
    /// # Safety
    /// No other thread writes the same place while this one may.
    ///
    /// # Panics
    /// If there is no such place.
    #[inline(always)]
    pub(crate) unsafe fn set(&self, at: usize, item: T) {
        assert!(at < self.len);
        // SAFETY: the place is inside the array, which is borrowed mutably for as long as this lives; the caller sees to
        // it that this thread alone writes there.
        unsafe { self.start.add(at).write(item) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_fill_places_of_their_own() {
        let mut items = vec![0usize; 1000];
        let shared = Shared::new(&mut items);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let shared = &shared;
                scope.spawn(move || {
                    for at in (thread..1000).step_by(4) {
                        // SAFETY: each thread has the places that leave its number.
                        unsafe { shared.set(at, at + 1) };
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
        unsafe { Shared::new(&mut items).set(3, 1) };
    }
}
