//! Assembly of elements that come in storage order.

use super::coded::Coded;
use super::layout::{Key, Layout};
use super::sequence::Sequence;
use crate::level::Tree;
use crate::pages;

/// Appends the elements in one visit of the source.
pub(super) fn append<F: Tree<N, M>, K: Key, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    layout: &Layout<M>,
) -> Sequence<F::Scalar, K> {
    let coder = layout.coder();
    let mut keys = pages::with_capacity(source.count());
    let mut values = pages::with_capacity(source.count());
    let mut starts = Vec::new();
    if layout.leading > 0 {
        starts = pages::filled(0u32, layout.bins + 1);
    }
    let (mask, mut bin) = (layout.key_mask(), 0);
    source.for_each(|levels, value| {
        let word = coder.word(&levels);
        let next = coder.bin(word);
        if next != bin {
            debug_assert!(bin < next);
            starts[bin + 1..=next].fill(keys.len() as u32);
            bin = next;
        }
        keys.push(K::of_word(word & mask));
        values.push(value);
    });
    if let Some(rest) = starts.get_mut(bin + 1..) {
        rest.fill(keys.len() as u32);
    }
    Sequence { starts, keys, values }
}
