//! Elements that need only be put into their bins, in the order they come in: a counting sort in two visits.

use super::coded::{Coded, pieces};
use super::counts::Places;
use super::layout::{Key, Layout};
use super::sequence::Sequence;
use crate::level::Tree;
use crate::shared::Shared;
use crate::{Scalar, pages, parallel};

/// `O(elements + bins)`.
pub(super) fn scatter<F: Tree<N, M>, K: Key, const N: usize, const M: usize>(
    source: &impl Coded<F, N, M>,
    layout: &Layout<M>,
) -> Sequence<F::Scalar, K> {
    let pieces = pieces::<F, N, M>(source);
    let counts = parallel::each(pieces.clone(), |piece| {
        let mut counts = pages::filled(0u32, layout.bins);
        source.for_each_between(piece, |levels, _| counts[layout.bin(&levels)] += 1);
        counts
    });
    let places = Places::new(counts);
    let total = places.starts[layout.bins] as usize;
    let mut keys = pages::filled(K::ZERO, total);
    let mut values = pages::filled(F::Scalar::ZERO, total);
    let (all_keys, all_values) = (Shared::new(&mut keys), Shared::new(&mut values));
    let starts = places.fill(|number, mut piece| {
        source.for_each_between(pieces[number].clone(), |levels, value| {
            let at = piece.take(layout.bin(&levels));
            // SAFETY: the place is this element's alone.
            unsafe {
                all_keys.set(at, layout.key(&levels));
                all_values.set(at, value);
            }
        });
    });
    Sequence { starts, keys, values }
}
