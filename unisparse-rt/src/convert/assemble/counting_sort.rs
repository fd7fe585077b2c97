//! Sort of a few elements by two counting sorts: by key, then by bin.
//!
//! Each takes one pass, whatever the order of the elements, as long as the counters and the elements stay in the caches
//! near the core.

use super::histogram::accumulate;
use super::layout::Layout;
use super::sequence::Sequence;
use super::words::Elements;
use crate::element::Stored;
use crate::machine::pages;

/// Number of elements up to which two counting sorts are faster than sorting parts.
const FEW: usize = 1 << 20;
/// Number of counters for each element up to which clearing and adding them up costs less than sorting.
const COUNTERS: usize = 2;

/// Returns whether the elements are few, the counters are not many more, and nothing but bin and key orders them.
pub(super) fn pays(elements: usize, layout: &Layout) -> bool {
    let counters = COUNTERS * elements;
    let keys = 1usize.checked_shl(layout.bits).unwrap_or(usize::MAX);
    elements <= FEW && layout.aligned_bits == 0 && layout.bins <= counters && keys <= counters
}

/// Sorts the elements by bin and key, stably. `O(elements + bins + keys)`, with two visits of the source.
pub(super) fn sort<T: Stored>(elements: &dyn Elements<T>, layout: &Layout) -> Sequence<T, u32> {
    let (bits, mask) = (layout.bits, layout.key_mask());
    let mut ends = vec![0u32; 1 << bits];
    let mut starts = pages::filled(0u32, layout.bins + 1);
    elements.valued_words(elements.whole(), layout, &mut |words, _| {
        for word in words {
            ends[(word & mask) as usize] += 1;
            starts[(word >> bits) as usize + 1] += 1;
        }
    });
    accumulate(&mut ends);
    accumulate(&mut starts);
    let count = *starts.last().unwrap_or(&0) as usize;
    let mut by_key = vec![(0u32, T::FILL); count];
    let mut next = firsts(&ends);
    elements.valued_words(elements.whole(), layout, &mut |words, values| {
        for (word, &value) in words.iter().zip(values) {
            let place = &mut next[(word & mask) as usize];
            by_key[*place as usize] = ((word >> bits) as u32, value);
            *place += 1;
        }
    });
    let (mut keys, mut values) = (pages::filled(0u32, count), pages::filled(T::FILL, count));
    let mut next = starts.clone();
    let mut first = 0;
    for (key, &end) in (0u32..).zip(&ends) {
        for &(bin, value) in &by_key[first..end as usize] {
            let place = &mut next[bin as usize];
            (keys[*place as usize], values[*place as usize]) = (key, value);
            *place += 1;
        }
        first = end as usize;
    }
    if layout.leading == 0 {
        starts = Vec::new();
    }
    Sequence { starts, keys, values }
}

/// Returns the start of each segment, by the ends of all.
fn firsts(ends: &[u32]) -> Vec<u32> {
    let starts = core::iter::once(0).chain(ends.iter().copied());
    starts.take(ends.len()).collect()
}
