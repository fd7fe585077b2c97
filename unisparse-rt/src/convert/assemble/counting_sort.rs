//! Sort of a few elements by counting: by bin, and within a bin by comparison where bins are short, else by key and then by
//! bin.
//!
//! Each takes one pass, whatever the order of the elements, as long as the counters and the elements stay in the caches.

use super::histogram::accumulate;
use super::layout::Layout;
use super::sequence::Sequence;
use super::small_sort::{self, SHORT};
use super::words::ElementWords;
use crate::element::Stored;
use crate::machine::{pages, parallel};

/// Number of elements up to which this is faster than sorting parts. At 7 * 10^5 both are as fast, at 10^6 parts are, by a third.
const FEW: usize = 1 << 19;
/// Maximum number of bins, and of keys, for each element: the counters take no more memory than the elements.
const COUNTERS: usize = 2;
/// Bins are taken to be short if at most one element in this many lies in a bin of more than [`SHORT`].
const LONG_SHARE: usize = 16;

/// Returns whether the elements are few and for one thread, the counters are not many more, and nothing but bin and key
/// orders them.
pub(super) fn pays(elements: usize, layout: &Layout) -> bool {
    if elements > FEW || parallel::pieces(elements) > 1 || layout.aligned_bits > 0 {
        return false;
    }
    let keys = 1usize.checked_shl(layout.bits).unwrap_or(usize::MAX);
    layout.bins.max(keys) <= COUNTERS * elements
}

/// Sorts the elements by bin and key, stably, with one visit of the source. `O(elements + bins + keys)`.
pub(super) fn sort<T: Stored>(elements: &dyn ElementWords<T>, layout: &Layout) -> Sequence<T, u32> {
    let bits = layout.bits;
    let (mut words, mut values) = (
        Vec::with_capacity(elements.count()),
        Vec::with_capacity(elements.count()),
    );
    // First the counts, each one place further, then the start of each and the end of the last.
    let mut starts = pages::filled(0u32, layout.bins + 1);
    elements.valued_words(elements.whole(), layout, &mut |some, of_some| {
        words.extend_from_slice(some);
        values.extend_from_slice(of_some);
        for word in some {
            starts[(word >> bits) as usize + 1] += 1;
        }
    });
    let in_long_bins = starts
        .iter()
        .map(|&count| count as usize)
        .filter(|&count| count > SHORT);
    let mostly_short = in_long_bins.sum::<usize>() * LONG_SHARE <= words.len();
    accumulate(&mut starts);
    let (keys, values) = match mostly_short {
        true => by_bin(&words, &values, layout, &starts),
        false => by_key_and_bin(&words, &values, layout, &starts),
    };
    if layout.leading == 0 {
        starts = Vec::new();
    }
    Sequence { starts, keys, values }
}

/// Scatters the elements by bin, then sorts each bin: for bins with few elements.
fn by_bin<T: Stored>(words: &[u64], values: &[T], layout: &Layout, starts: &[u32]) -> (Vec<u32>, Vec<T>) {
    let (mut keys, mut sorted) = (pages::filled(0u32, words.len()), pages::filled(T::FILL, words.len()));
    let (mask, mut next) = (layout.key_mask(), starts.to_vec());
    for (&word, &value) in words.iter().zip(values) {
        let place = &mut next[(word >> layout.bits) as usize];
        (keys[*place as usize], sorted[*place as usize]) = ((word & mask) as u32, value);
        *place += 1;
    }
    let (mut spare_keys, mut spare_values) = ([0u32; SHORT], [T::FILL; SHORT]);
    for bin in starts.windows(2) {
        let bin = bin[0] as usize..bin[1] as usize;
        let (keys, sorted) = (&mut keys[bin.clone()], &mut sorted[bin]);
        match keys.len() {
            0 | 1 => {}
            2..=SHORT => small_sort::sort(keys, sorted, 0, (&mut spare_keys, &mut spare_values)),
            _ => {
                let mut pairs: Vec<(u32, T)> = keys.iter().copied().zip(sorted.iter().copied()).collect();
                pairs.sort_by_key(|pair| pair.0);
                for ((key, value), pair) in keys.iter_mut().zip(sorted).zip(pairs) {
                    (*key, *value) = pair;
                }
            }
        }
    }
    (keys, sorted)
}

/// Sorts the elements by key, then by bin: each takes one pass, however many elements a bin has.
fn by_key_and_bin<T: Stored>(words: &[u64], values: &[T], layout: &Layout, starts: &[u32]) -> (Vec<u32>, Vec<T>) {
    let (bits, mask) = (layout.bits, layout.key_mask());
    let mut key_starts = vec![0u32; (1 << bits) + 1];
    for word in words {
        key_starts[(word & mask) as usize + 1] += 1;
    }
    accumulate(&mut key_starts);
    let mut by_key = vec![(0u32, T::FILL); words.len()];
    let mut next = key_starts.clone();
    for (&word, &value) in words.iter().zip(values) {
        let place = &mut next[(word & mask) as usize];
        by_key[*place as usize] = ((word >> bits) as u32, value);
        *place += 1;
    }
    let (mut keys, mut sorted) = (pages::filled(0u32, words.len()), pages::filled(T::FILL, words.len()));
    let mut next = starts.to_vec();
    for (key, range) in (0u32..).zip(key_starts.windows(2)) {
        for &(bin, value) in &by_key[range[0] as usize..range[1] as usize] {
            let place = &mut next[bin as usize];
            (keys[*place as usize], sorted[*place as usize]) = (key, value);
            *place += 1;
        }
    }
    (keys, sorted)
}

#[cfg(test)]
mod tests {
    use core::ops::Range;

    use proptest::prelude::*;

    use super::super::marks::Marker;
    use super::super::sort as parts;
    use super::super::writer::Writer;
    use super::*;
    use crate::machine::parallel;

    /// Words with values.
    struct Words(Vec<(u64, f32)>);

    impl ElementWords<f32> for Words {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn borders(&self, pieces: usize) -> Vec<usize> {
            let ranges = parallel::ranges(self.0.len(), pieces);
            std::iter::once(0).chain(ranges.iter().map(|range| range.end)).collect()
        }

        fn whole(&self) -> Range<usize> {
            0..self.0.len()
        }

        fn tally(&self, piece: Range<usize>, _: &Layout, shift: u32, counts: &mut [u32]) {
            self.0[piece]
                .iter()
                .for_each(|(word, _)| counts[(word >> shift) as usize] += 1);
        }

        fn scatter(&self, piece: Range<usize>, _: &Layout, writer: &mut Writer<f32, u32>) {
            self.0[piece]
                .iter()
                .for_each(|&(word, value)| writer.write(word, value));
        }

        fn mark(&self, _: Range<usize>, _: &Layout, _: &mut Marker) {
            unreachable!("sorts mark no blocks")
        }

        fn valued_words(&self, piece: Range<usize>, _: &Layout, take: &mut dyn FnMut(&[u64], &[f32])) {
            for chunk in self.0[piece].chunks(5) {
                let (words, values): (Vec<u64>, Vec<f32>) = chunk.iter().copied().unzip();
                take(&words, &values);
            }
        }

        fn coordinates(&self, _: &mut dyn FnMut(&[i64], f32)) {
            unreachable!("all words fit")
        }
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

    /// One bin of 40 elements, whose keys descend and repeat, among 1,000 bins of two.
    #[test]
    fn a_long_bin_among_short_ones_is_sorted() {
        let short = (0..2000u64).map(|at| (at % 1000) << 5 | (31 - at / 1000));
        let long = (0..40u64).map(|at| 1000 << 5 | ((40 - at) / 2));
        let words: Vec<(u64, f32)> = short.chain(long).zip((0u16..).map(f32::from)).collect();
        let sorted = sort(&Words(words.clone()), &layout(1001, 5));
        let mut expected = words;
        expected.sort_by_key(|&(word, _)| word);
        assert!(expected.iter().map(|&(word, _)| (word & 31) as u32).eq(sorted.keys));
        assert!(expected.iter().map(|&(_, value)| value).eq(sorted.values));
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
            let elements = Words(expected.clone());
            expected.sort_by_key(|&(word, _)| word);
            let starts = (0..=bins).map(|bin| expected.partition_point(|&(word, _)| word >> bits < bin as u64) as u32);
            let starts: Vec<u32> = if bins > 1 { starts.collect() } else { Vec::new() };
            for sorted in [sort(&elements, &layout), parts::sort(&elements, &layout)] {
                prop_assert_eq!(&sorted.starts, &starts);
                prop_assert!(sorted.keys.iter().copied().eq(expected.iter().map(|(word, _)| (word & layout.key_mask()) as u32)));
                prop_assert!(sorted.values.iter().copied().eq(expected.iter().map(|&(_, value)| value)));
            }
        }
    }
}
