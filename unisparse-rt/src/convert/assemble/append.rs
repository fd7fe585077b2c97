//! Assembly of elements that come in storage order.

use super::keys::Key;
use super::layout::Layout;
use super::sequence::Sequence;
use super::words::ElementWords;
use crate::element::Stored;
use crate::machine::pages;

/// Appends the elements in one visit of the source.
pub(super) fn append<T: Stored, K: Key>(elements: &dyn ElementWords<T>, layout: &Layout) -> Sequence<T, K> {
    let mut keys = pages::with_capacity(elements.count());
    let mut values = pages::with_capacity(elements.count());
    let mut starts = Vec::new();
    if layout.leading > 0 {
        starts = pages::filled(0u32, layout.bins + 1);
    }
    let (mask, mut bin) = (layout.key_mask(), 0);
    elements.valued_words(elements.whole(), layout, &mut |words, chunk| {
        for (at, &word) in words.iter().enumerate() {
            let next = layout.bin(word);
            if next != bin {
                debug_assert!(bin < next);
                starts[bin + 1..=next].fill((keys.len() + at) as u32);
                bin = next;
            }
        }
        keys.extend(words.iter().map(|&word| K::of_word(word & mask)));
        values.extend_from_slice(chunk);
    });
    if let Some(rest) = starts.get_mut(bin + 1..) {
        rest.fill(keys.len() as u32);
    }
    Sequence { starts, keys, values }
}
