//! Dot products of `f64`: two in a register of SSE2, which all machines of x86-64 have, or four in one of AVX.
//!
//! Compilers load and multiply gathered elements one by one. In pairs, two indices, two values and two products are one
//! instruction each. The products of matrices in cache with 40 to 60 elements a row take 0.7 of the time of a loop over the elements
//! with AVX. Fewer than eight elements are summed by that loop: in pairs, rows of 3 to 5 took 1.3 to 1.5 of its time. Eight `f32` in a
//! register were tried: 0.84 with rows of 60, and 1.11 to 1.35 with shorter ones.

use core::any::TypeId;
use core::arch::x86_64::{
    __m128d, __m256d, _mm_add_pd, _mm_cvtsd_f64, _mm_load_sd, _mm_loadh_pd, _mm_loadu_pd, _mm_mul_pd, _mm_setzero_pd,
    _mm_unpackhi_pd, _mm256_add_pd, _mm256_castpd256_pd128, _mm256_extractf128_pd, _mm256_loadu_pd, _mm256_mul_pd,
    _mm256_set_m128d, _mm256_setzero_pd,
};
use core::ops::Range;

use super::super::entries::{Entries, Segments};
use super::super::{Gather, Stream, Sum, Value};
use super::gathered::range_of;
use crate::element::{Index, Stored};
use crate::machine::prefetch;

/// Returns the dot product if values and elements are `f64`, and indices `u32`, all in arrays of their own.
#[inline(always)]
pub(super) fn dot<A: Stream<Item: Stored>, S: Stream<Item: Index>>(
    entries: &Entries<(A, Gather<'_, S, Value<A>>)>,
) -> Option<Sum<A>> {
    let (stream, range) = entries.rest();
    let arrays = Arrays::of(stream)?;
    // SAFETY: a segment is within both arrays, and every index that `Gather` holds is below the length of the data.
    let sum = unsafe { arrays.dot(range) };
    cast::<f64, Sum<A>>(&[sum])?.first().copied()
}

/// Sets `sums` to the dot products of these parents, and returns whether it did: as [`dot`], if the machine has AVX.
#[inline(always)]
pub(super) fn dots<P: Index, A: Stream<Item: Stored>, S: Stream<Item: Index>>(
    segments: &Segments<'_, P, (A, Gather<'_, S, Value<A>>)>,
    parents: Range<usize>,
    sums: &mut [Sum<A>],
) -> bool {
    let Some((arrays, sums)) = Arrays::of(segments.stream()).zip(cast_mut(sums)) else {
        return false;
    };
    if !is_x86_feature_detected!("avx") {
        return false;
    }
    let starts = segments.starts(parents);
    let is_far = segments.is_far();
    let gathers_far = is_far && segments.gathers_far(range_of(starts));
    // SAFETY: the machine has AVX; segments are within both arrays, and indices below the length of the data.
    unsafe {
        // The constant spares two copies of the loop where nothing is optimised.
        if prefetch::IS_USED && gathers_far {
            let ahead = |range: Range<usize>| {
                segments.prefetch(range.clone());
                segments.prefetch_gathered(range);
            };
            arrays.dots(starts, ahead, sums);
        } else if prefetch::IS_USED && is_far {
            arrays.dots(starts, |range| segments.prefetch(range), sums);
        } else {
            arrays.dots(starts, |_| (), sums);
        }
    }
    true
}

/// Returns the slice as one of `B`, if that is the type of its items.
#[inline(always)]
fn cast<A: 'static, B: 'static>(items: &[A]) -> Option<&[B]> {
    // SAFETY: the types are the same.
    (TypeId::of::<A>() == TypeId::of::<B>())
        .then(|| unsafe { core::slice::from_raw_parts(items.as_ptr().cast(), items.len()) })
}

/// As [`cast`], for items to write.
#[inline(always)]
fn cast_mut<A: 'static, B: 'static>(items: &mut [A]) -> Option<&mut [B]> {
    // SAFETY: the types are the same.
    (TypeId::of::<A>() == TypeId::of::<B>())
        .then(|| unsafe { core::slice::from_raw_parts_mut(items.as_mut_ptr().cast(), items.len()) })
}

/// The number of independent sums, as in [`total`](Entries::total).
const SUMS: usize = 8;

/// Returns the sum of both numbers.
#[inline(always)]
fn of_both(sums: __m128d) -> f64 {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_cvtsd_f64(sums) + _mm_cvtsd_f64(_mm_unpackhi_pd(sums, sums)) }
}

/// The values of a sparse vector, its indices, and the dense vector.
#[derive(Clone, Copy)]
struct Arrays<'a> {
    values: &'a [f64],
    indices: &'a [u32],
    data: &'a [f64],
}

impl<'a> Arrays<'a> {
    /// Returns the arrays of a stream, if they have these types.
    #[inline(always)]
    fn of<A: Stream<Item: Stored>, S: Stream<Item: Index>>(
        (values, gather): &'a (A, Gather<'_, S, Value<A>>),
    ) -> Option<Self> {
        Some(Arrays {
            values: cast(values.as_slice()?)?,
            indices: cast(gather.indices().as_slice()?)?,
            data: cast(gather.data())?,
        })
    }

    /// Sets `sums` to the sums of the products of the segments between these starts, and calls `prefetch` with the positions of each
    /// before.
    ///
    /// # Safety
    /// The machine must have AVX; otherwise as of [`dot`](Arrays::dot).
    #[target_feature(enable = "avx")]
    unsafe fn dots<P: Index>(self, starts: &[P], prefetch: impl Fn(Range<usize>), sums: &mut [f64]) {
        for (pair, sum) in starts.windows(2).zip(sums) {
            let (start, end) = (pair[0].to_usize(), pair[1].to_usize());
            prefetch(start..end);
            // SAFETY: the caller keeps the positions of all segments inside the arrays.
            *sum = unsafe { self.dot_by_fours(start..end) };
        }
    }

    /// Returns what [`dot`](Arrays::dot) does.
    ///
    /// # Safety
    /// As of [`dots`](Arrays::dots).
    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn dot_by_fours(self, Range { start: mut at, end }: Range<usize>) -> f64 {
        if end - at < SUMS {
            // SAFETY: as the caller keeps.
            return unsafe { self.added(0.0, at..end) };
        }
        // SAFETY: each step is taken if all its positions are before `end`.
        let sum = unsafe {
            let [mut abcd, mut efgh] = [_mm256_setzero_pd(); 2];
            while end - at >= SUMS {
                abcd = _mm256_add_pd(abcd, self.four(at));
                efgh = _mm256_add_pd(efgh, self.four(at + 4));
                at += SUMS;
            }
            if end - at >= SUMS / 2 {
                abcd = _mm256_add_pd(abcd, self.four(at));
                at += SUMS / 2;
            }
            let both = _mm256_add_pd(abcd, efgh);
            of_both(_mm_add_pd(_mm256_castpd256_pd128(both), _mm256_extractf128_pd(both, 1)))
        };
        // SAFETY: the positions are those that are left.
        unsafe { self.added(sum, at..end) }
    }

    /// Returns the sum of the products at these positions.
    ///
    /// # Safety
    /// The range must not end before its start, its positions must be inside `values` and `indices`, and the indices there inside `data`.
    #[inline(always)]
    unsafe fn dot(self, Range { start: mut at, end }: Range<usize>) -> f64 {
        if end - at < SUMS {
            // SAFETY: as the caller keeps.
            return unsafe { self.added(0.0, at..end) };
        }
        // SAFETY: each step is taken if all its positions are before `end`; SSE2 is part of x86-64.
        let sum = unsafe {
            let mut sums = [_mm_setzero_pd(); 4];
            while end - at >= SUMS {
                for (pair, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm_add_pd(*sum, self.two(at + 2 * pair));
                }
                at += SUMS;
            }
            let [mut ab, mut cd, ef, gh] = sums;
            if end - at >= SUMS / 2 {
                [ab, cd] = [_mm_add_pd(ab, self.two(at)), _mm_add_pd(cd, self.two(at + 2))];
                at += SUMS / 2;
            }
            of_both(_mm_add_pd(_mm_add_pd(ab, ef), _mm_add_pd(cd, gh)))
        };
        // SAFETY: the positions are those that are left.
        unsafe { self.added(sum, at..end) }
    }

    /// Returns a sum plus the products at these positions, one after another.
    ///
    /// # Safety
    /// As of [`dot`](Arrays::dot).
    #[inline(always)]
    unsafe fn added(self, mut sum: f64, left: Range<usize>) -> f64 {
        for at in left {
            // SAFETY: the caller keeps the position inside the arrays.
            unsafe {
                let index = *self.indices.get_unchecked(at) as usize;
                debug_assert!(index < self.data.len());
                sum += self.values.get_unchecked(at) * self.data.get_unchecked(index);
            }
        }
        sum
    }

    /// Returns the products at four positions from `at` on.
    ///
    /// # Safety
    /// As of [`dots`](Arrays::dots).
    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn four(self, at: usize) -> __m256d {
        // SAFETY: the caller keeps the positions inside the arrays; x86-64 allows reads at any address.
        unsafe {
            let selected = _mm256_set_m128d(self.selected(at + 2), self.selected(at));
            _mm256_mul_pd(selected, _mm256_loadu_pd(self.values.as_ptr().add(at)))
        }
    }

    /// Returns the products at the positions `at` and `at + 1`.
    ///
    /// # Safety
    /// As of [`dot`](Arrays::dot).
    #[inline(always)]
    unsafe fn two(self, at: usize) -> __m128d {
        // SAFETY: the caller keeps both positions inside the arrays; x86-64 allows reads at any address.
        unsafe { _mm_mul_pd(self.selected(at), _mm_loadu_pd(self.values.as_ptr().add(at))) }
    }

    /// Returns the elements that the indices at the positions `at` and `at + 1` select.
    ///
    /// # Safety
    /// As of [`dot`](Arrays::dot).
    #[inline(always)]
    unsafe fn selected(self, at: usize) -> __m128d {
        // SAFETY: the caller keeps both positions inside the array, and the indices inside the data.
        unsafe {
            let word = self.indices.as_ptr().add(at).cast::<u64>().read_unaligned();
            let (low, high) = (word as u32 as usize, (word >> 32) as usize);
            debug_assert!(low < self.data.len() && high < self.data.len());
            let data = self.data.as_ptr();
            _mm_loadh_pd(_mm_load_sd(data.add(low)), data.add(high))
        }
    }
}
