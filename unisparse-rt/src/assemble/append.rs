//! Elements that come in storage order already.

use super::coded::Coded;
use super::layout::{Key, Layout};
use super::sequence::Sequence;
use crate::level::Tree;
use crate::pages;

/// One visit.
pub(super) fn append<F: Tree<N, M>, K: Key, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    layout: &Layout<M>,
) -> Sequence<F::Scalar, K> {
    let mut keys = pages::with_capacity(source.count());
    let mut values = pages::with_capacity(source.count());
    let mut starts = Vec::new();
    if layout.leading > 0 {
        starts = pages::filled(0u32, layout.bins + 1);
        let mut bin = 0;
        source.for_each(|levels, value| {
            let next = layout.bin(&levels);
            debug_assert!(bin <= next);
            if next != bin {
                starts[bin + 1..=next].fill(keys.len() as u32);
                bin = next;
            }
            keys.push(layout.key(&levels));
            values.push(value);
        });
        starts[(bin + 1).min(layout.bins)..].fill(keys.len() as u32);
    } else {
        source.for_each(|levels, value| {
            keys.push(layout.key(&levels));
            values.push(value);
        });
    }
    Sequence { starts, keys, values }
}
