//! Elements that need only be put into their bins, in the order they come in: a counting sort in two visits.

use super::coded::Coded;
use super::layout::{Key, Layout};
use super::sequence::Sequence;
use crate::level::Tree;
use crate::{Scalar, pages};

/// `O(elements + bins)`.
pub(super) fn scatter<F: Tree<N, M>, K: Key, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    layout: &Layout<M>,
) -> Sequence<F::Scalar, K> {
    // While elements are placed, entry `bin + 1` is where the next element of the bin goes.
    let mut starts = pages::filled(0u32, layout.bins + 2);
    source.for_each(|levels, _| starts[layout.bin(&levels) + 2] += 1);
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    let mut keys = pages::filled(K::ZERO, total as usize);
    let mut values = pages::filled(F::Scalar::ZERO, total as usize);
    source.for_each(|levels, value| {
        let next = &mut starts[layout.bin(&levels) + 1];
        let at = *next as usize;
        *next += 1;
        keys[at] = layout.key(&levels);
        values[at] = value;
    });
    starts.pop();
    Sequence { starts, keys, values }
}
