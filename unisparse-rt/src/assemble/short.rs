//! A few items in order, by comparing each with each: without branches that depend on them.

use super::sort::Local;
use crate::Stored;

/// So many at most.
pub(super) const SHORT: usize = 32;

/// Where each of a few keys belongs in their order, that of their bits from `low` on. Stable.
///
/// # Panics
/// If there are more than [`SHORT`].
#[inline]
pub(super) fn ranks<L: Local>(keys: &[L], low: u32) -> [u32; SHORT] {
    let mut ranks = [0; SHORT];
    (0..keys.len()).for_each(|at| rank(&keys[..=at], low, &mut ranks));
    ranks
}

/// The rank of the last of these keys among them: it goes past those before it that are greater.
#[inline(always)]
fn rank<L: Local>(keys: &[L], low: u32, ranks: &mut [u32; SHORT]) {
    let Some((last, before)) = keys.split_last() else {
        return;
    };
    let (last, mut passed) = (last.above(low), 0);
    for (rank, key) in ranks[..before.len()].iter_mut().zip(before) {
        let is_greater = u32::from(key.above(low) > last);
        *rank += is_greater;
        passed += is_greater;
    }
    ranks[before.len()] = before.len() as u32 - passed;
}

/// Brings a few items into the order of their bits from `low` on, by way of `scratch`. Stable.
///
/// # Panics
/// If there are more than [`SHORT`] or than places in `scratch`, or not as many values.
#[inline]
pub(super) fn sort<L: Local, T: Stored>(
    locals: &mut [L],
    values: &mut [T],
    low: u32,
    (keys, items): (&mut [L], &mut [T]),
) {
    let len = locals.len();
    let (values, keys, items) = (&mut values[..len], &mut keys[..len], &mut items[..len]);
    let mut ranks = [0; SHORT];
    for at in 0..len {
        (keys[at], items[at]) = (locals[at], values[at]);
        rank(&keys[..=at], low, &mut ranks);
    }
    for at in 0..len {
        let rank = ranks[at] as usize;
        (locals[rank], values[rank]) = (keys[at], items[at]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_a_stable_sort_does(keys in proptest::collection::vec(0u32..40, 0..=SHORT), low in 0u32..4) {
            let mut expected: Vec<(u32, u64)> = keys.iter().copied().zip(0..).collect();
            expected.sort_by_key(|&(key, _)| key >> low);
            let (mut locals, mut values) = (keys.clone(), (0..keys.len() as u64).collect::<Vec<_>>());
            sort(&mut locals, &mut values, low, (&mut [0; SHORT], &mut [0; SHORT]));
            prop_assert_eq!(locals.into_iter().zip(values).collect::<Vec<_>>(), expected);
        }
    }
}
