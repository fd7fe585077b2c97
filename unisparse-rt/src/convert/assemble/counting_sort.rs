//! Sort of a few elements by two counting sorts: by key, then by bin.
//!
//! Each takes one pass, whatever the order of the elements, as long as the counters and the elements stay in the caches
//! near the core. The loops have local copies of what their closures capture: after each write through a pointer, they would load
//! it again, which doubles the time of some.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::histogram::ScatterOffsets;
use super::layout::Layout;
use super::sequence::Sequence;
use super::words::ElementWords;
use crate::element::Stored;
use crate::machine::scatter::ScatterSlice;
use crate::machine::{pages, parallel, prefetch, scratch};

/// Number of elements up to which two counting sorts are faster than sorting parts, where memory is reused.
const FEW: usize = 1 << 19;
/// Number of elements up to which they are faster on one thread, where keys and bins have [`EACH`] elements or more.
const SOME: usize = 1 << 21;
/// Number of elements of a key, or a bin, whose records fill two cache lines or more.
const EACH: usize = 16;
/// Maximum number of bins, and of keys, for each element: the counters of all threads take no more memory than the elements.
const COUNTERS: usize = 2;

/// An element between the two sorts: its bin above its key, and its value. Without padding, whatever the size of a value.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct Record<T> {
    word: u32,
    value: T,
}

/// Returns whether the elements are few, the counters are not many more, a word fits 32 bits, and nothing but bin and key orders them.
pub(super) fn pays(elements: usize, layout: &Layout) -> bool {
    if elements > SOME || layout.aligned_bits > 0 || layout.bin_bits() + layout.bits > u32::BITS {
        return false;
    }
    let keys = 1usize.checked_shl(layout.bits).unwrap_or(usize::MAX);
    let (most, pieces) = (layout.bins.max(keys), parallel::pieces(elements));
    if elements > FEW && (pieces > 1 || elements / EACH < most) {
        return false;
    }
    most.saturating_mul(pieces) <= COUNTERS * elements
}

/// Sorts the elements by bin and key, stably. `O(elements + bins + keys)`, with two visits of the source, or one where arrays hold the
/// coordinates.
///
/// # Panics
/// If a visit gives elements with other bins or keys than those that were counted.
pub(super) fn sort<T: Stored>(elements: &dyn ElementWords<T>, layout: &Layout) -> Sequence<T, u32> {
    let pieces = elements.pieces();
    scratch::with(elements.count(), |records| {
        if pieces.len() == 1 {
            let (of_keys, of_bins) = count(elements, layout);
            let records = by_key(elements, &pieces, layout, vec![of_keys], records);
            let all = 0..records.len();
            return by_bin(records, &[all], layout, vec![of_bins]);
        }
        let of_keys = parallel::each(pieces.clone(), |piece| {
            let (mut counts, mask) = (pages::filled(0u32, 1 << layout.bits), layout.key_mask());
            elements.valued_words(piece, layout, &mut |words, _| {
                let (counts, mask) = (&mut counts[..], mask);
                words.iter().for_each(|word| counts[(word & mask) as usize] += 1);
            });
            counts
        });
        let records = by_key(elements, &pieces, layout, of_keys, records);
        let pieces = parallel::ranges(records.len(), pieces.len());
        let of_bins = parallel::each(pieces.clone(), |piece| {
            let mut counts = pages::filled(0u32, layout.bins);
            for record in &records[piece] {
                counts[(record.word >> layout.bits) as usize] += 1;
            }
            counts
        });
        by_bin(records, &pieces, layout, of_bins)
    })
}

/// Counts all elements by their keys and by their bins.
fn count<T: Stored>(elements: &dyn ElementWords<T>, layout: &Layout) -> (Vec<u32>, Vec<u32>) {
    let (bits, mask) = (layout.bits, layout.key_mask());
    let (mut of_keys, mut of_bins) = (vec![0u32; 1 << bits], pages::filled(0u32, layout.bins));
    let split = elements.split();
    if !split.is_some_and(|split| split.tally_arrays(layout, &mut of_bins, &mut of_keys)) {
        of_keys.fill(0);
        of_bins.fill(0);
        elements.valued_words(elements.whole(), layout, &mut |words, _| {
            let (keys, bins, bits, mask) = (&mut of_keys[..], &mut of_bins[..], bits, mask);
            for word in words {
                keys[(word & mask) as usize] += 1;
                bins[(word >> bits) as usize] += 1;
            }
        });
    }
    (of_keys, of_bins)
}

/// Writes the elements to `records` by key, which each of the `pieces` has counted, and returns those that were written.
fn by_key<'r, T: Stored>(
    elements: &dyn ElementWords<T>,
    pieces: &[Range<usize>],
    layout: &Layout,
    of_keys: Vec<Vec<u32>>,
    records: &'r mut [MaybeUninit<Record<T>>],
) -> &'r [Record<T>] {
    let mask = layout.key_mask();
    let of_keys = ScatterOffsets::new(of_keys);
    let records = &mut records[..of_keys.starts[1 << layout.bits] as usize];
    let is_far = size_of_val(records) >= prefetch::FAR_SCATTER;
    let places = ScatterSlice::new(records);
    of_keys.fill(false, |piece, mut next| {
        elements.valued_words(pieces[piece].clone(), layout, &mut |words, values| {
            let (mut next, places, mask, is_far) = (next.reborrow(), places, mask, is_far);
            for (&word, &value) in words.iter().zip(values) {
                let place = next.take((word & mask) as usize);
                if is_far {
                    places.prefetch(place, prefetch::SHORTLY_AFTER);
                }
                let word = word as u32;
                // SAFETY: no other piece takes this place.
                unsafe { places.set::<0>(place, MaybeUninit::new(Record { word, value })) };
            }
        });
    });
    let records: *const [MaybeUninit<Record<T>>] = records;
    // SAFETY: there are as many keys as places. Each place was taken once, and what takes a place writes to it.
    unsafe { &*(records as *const [Record<T>]) }
}

/// Sorts elements by bin, which each of the `pieces` has counted.
fn by_bin<T: Stored>(
    records: &[Record<T>],
    pieces: &[Range<usize>],
    layout: &Layout,
    of_bins: Vec<Vec<u32>>,
) -> Sequence<T, u32> {
    let (of_bins, count) = (ScatterOffsets::new(of_bins), records.len());
    assert_eq!(
        of_bins.starts[layout.bins] as usize, count,
        "each element has a bin and a key"
    );
    let (mut keys, mut values) = (pages::with_capacity(count), pages::with_capacity(count));
    let (key_places, value_places) = (
        ScatterSlice::spare(&mut keys, count),
        ScatterSlice::spare(&mut values, count),
    );
    let (bits, mask) = (layout.bits, layout.key_mask() as u32);
    let is_far = size_of_val(records) >= prefetch::FAR_SCATTER;
    let is_long = is_far && prefetch::are_long(count, layout.bins);
    let starts = of_bins.fill(false, |piece, mut next| {
        let (records, key_places, value_places) = (&records[pieces[piece].clone()], key_places, value_places);
        let (bits, mask, is_far, is_long) = (bits, mask, is_far, is_long);
        let prefetch = |place: usize, bytes| {
            key_places.prefetch(place, bytes);
            value_places.prefetch(place, bytes);
        };
        for (at, &Record { word, value }) in records.iter().enumerate() {
            let place = next.take((word >> bits) as usize);
            if is_long {
                prefetch(place, prefetch::SHORTLY_AFTER);
            } else if let Some(ahead) = records.get(at + prefetch::ITEMS_AHEAD).filter(|_| is_far) {
                prefetch(next.places()[(ahead.word >> bits) as usize] as usize, 0);
            }
            // SAFETY: no other piece takes this place.
            unsafe { key_places.set_both::<0, _>(&value_places, place, (word & mask, value)) };
        }
    });
    // SAFETY: each of the `count` places was taken once, and what takes a place writes to it in both arrays.
    unsafe {
        keys.set_len(count);
        values.set_len(count);
    }
    let starts = if layout.leading == 0 { Vec::new() } else { starts };
    Sequence { starts, keys, values }
}

#[cfg(test)]
mod tests {
    use core::ops::Range;

    use proptest::prelude::*;

    use super::super::marks::Marker;
    use super::super::sort::{self as parts, scatter_parts};
    use super::super::words::SplitWords;
    use super::super::writer::Writer;
    use super::*;
    use crate::machine::parallel;

    /// Words with values, whose counts may miss an element in its bin.
    struct Words {
        elements: Vec<(u64, f32)>,
        are_miscounted: bool,
    }

    impl ElementWords<f32> for Words {
        fn count(&self) -> usize {
            self.elements.len()
        }

        fn borders(&self, pieces: usize) -> Vec<usize> {
            let ranges = parallel::ranges(self.count(), pieces);
            std::iter::once(0).chain(ranges.iter().map(|range| range.end)).collect()
        }

        fn whole(&self) -> Range<usize> {
            0..self.count()
        }

        fn split(&self) -> Option<&dyn SplitWords<f32>> {
            Some(self)
        }

        fn mark(&self, _: Range<usize>, _: &Layout, _: &mut Marker) {
            unreachable!("sorts mark no blocks")
        }

        fn valued_words(&self, piece: Range<usize>, _: &Layout, take: &mut dyn FnMut(&[u64], &[f32])) {
            for chunk in self.elements[piece].chunks(5) {
                let (words, values): (Vec<u64>, Vec<f32>) = chunk.iter().copied().unzip();
                take(&words, &values);
            }
        }

        fn coordinates(&self, _: &mut dyn FnMut(&[i64], f32)) {
            unreachable!("all words fit")
        }
    }

    impl SplitWords<f32> for Words {
        fn tally_bins(&self, piece: Range<usize>, layout: &Layout, shift: u32, counts: &mut [u32]) -> bool {
            for (word, _) in &self.elements[piece] {
                counts[(word >> layout.bits >> shift) as usize] += 1;
            }
            true
        }

        fn tally_arrays(&self, layout: &Layout, bins: &mut [u32], keys: &mut [u32]) -> bool {
            if self.are_miscounted {
                for (word, _) in &self.elements {
                    bins[(word >> layout.bits) as usize] += 1;
                    keys[(word & layout.key_mask()) as usize] += 1;
                }
                bins[0] += 1;
            }
            self.are_miscounted
        }

        fn scatter_to_bins(&self, _: Range<usize>, _: &Layout, _: &mut Writer<f32, u32>) -> bool {
            false
        }
    }

    #[test]
    #[should_panic(expected = "each element has a bin and a key")]
    fn an_element_that_is_not_there_is_noticed() {
        let elements = vec![(1, 1.0), (6, 2.0)];
        let are_miscounted = true;
        sort(
            &Words {
                elements,
                are_miscounted,
            },
            &layout(2, 2),
        );
    }

    fn layout(bins: usize, bits: u32) -> Layout {
        Layout {
            levels: Vec::new(),
            leading: usize::from(bins > 1),
            bins,
            bits,
            aligned_bits: 0,
        }
    }

    #[test]
    fn threads_sort_as_one_does() {
        let (layout, count) = (layout(300, 7), 50_000u32);
        let word = |number: u32| u64::from(number.wrapping_mul(2_654_435_761) >> 8) % (300 << 7);
        let mut expected: Vec<(u64, f32)> = (0..count).map(|number| (word(number), number as f32)).collect();
        let elements = Words {
            elements: expected.clone(),
            are_miscounted: false,
        };
        expected.sort_by_key(|&(word, _)| word);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let Sequence { starts, keys, values } = pool.install(|| {
                assert_eq!(parallel::pieces(count as usize), threads);
                sort(&elements, &layout)
            });
            assert_eq!((starts.len(), starts[300]), (301, count));
            let bins = starts.windows(2).enumerate();
            let bins = bins.flat_map(|(bin, ends)| (ends[0]..ends[1]).map(move |_| bin as u64));
            let words = bins.zip(keys).map(|(bin, key)| bin << 7 | u64::from(key));
            assert!(words.zip(values).eq(expected.iter().copied()), "{threads} threads");
        }
    }

    proptest! {
        #[test]
        fn both_sorts_are_the_stable_sort_of_words(
            (bins, bits, words) in (1usize..600, 0u32..9).prop_flat_map(|(bins, bits)| {
                (Just(bins), Just(bits), proptest::collection::vec(0..(bins as u64) << bits, 0..5000))
            }),
        ) {
            let layout = layout(bins, bits);
            let mut expected: Vec<(u64, f32)> = words.iter().copied().zip((0u16..).map(f32::from)).collect();
            let elements = Words { elements: expected.clone(), are_miscounted: false };
            expected.sort_by_key(|&(word, _)| word);
            let starts = (0..=bins).map(|bin| expected.partition_point(|&(word, _)| word >> bits < bin as u64) as u32);
            let starts: Vec<u32> = if bins > 1 { starts.collect() } else { Vec::new() };
            for sorted in [sort(&elements, &layout), parts::sort(&elements, &layout)] {
                prop_assert_eq!(&sorted.starts, &starts);
                prop_assert!(sorted.keys.iter().copied().eq(expected.iter().map(|(word, _)| (word & layout.key_mask()) as u32)));
                prop_assert!(sorted.values.iter().copied().eq(expected.iter().map(|&(_, value)| value)));
            }
        }

        #[test]
        fn a_scatter_by_parts_is_the_stable_sort_by_bin(
            (bins, bits, words) in (2usize..600, 0u32..9).prop_flat_map(|(bins, bits)| {
                (Just(bins), Just(bits), proptest::collection::vec(0..(bins as u64) << bits, 0..3000))
            }),
            of_part in 1u32..8,
        ) {
            let layout = layout(bins, bits);
            let elements: Vec<(u64, f32)> = words.iter().copied().zip((0u16..).map(f32::from)).collect();
            let mut expected = elements.clone();
            expected.sort_by_key(|&(word, _)| word >> bits);
            let words = Words { elements, are_miscounted: false };
            let sorted = scatter_parts::<_, u32>(&words, &layout, bits + of_part);
            let starts = (0..=bins).map(|bin| expected.partition_point(|&(word, _)| word >> bits < bin as u64) as u32);
            prop_assert!(sorted.starts.iter().copied().eq(starts));
            let keys = expected.iter().map(|(word, _)| (word & layout.key_mask()) as u32);
            prop_assert!(sorted.keys.iter().copied().eq(keys));
            prop_assert!(sorted.values.iter().copied().eq(expected.iter().map(|&(_, value)| value)));
        }
    }
}
