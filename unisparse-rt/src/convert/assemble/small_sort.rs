//! Sorting of a few items by comparing each key with each other key, without data-dependent branches.

use super::keys::Local;
use crate::element::Stored;

/// Maximum number of items.
pub(super) const SHORT: usize = 32;

/// Returns the rank of each key in a stable sort by the bits from `low` up.
///
/// # Panics
/// If there are more than [`SHORT`] keys.
#[inline]
pub(super) fn ranks<L: Local>(keys: &[L], low: u32) -> [u32; SHORT] {
    let mut ranks = [0; SHORT];
    (0..keys.len()).for_each(|at| rank(&keys[..=at], low, &mut ranks));
    ranks
}

/// Computes the rank of the last key, and increments the ranks of the greater keys before it.
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

/// Sorts a few items by the bits of their keys from `low` up, stably, with two slices as workspace.
///
/// # Panics
/// If there are more items than [`SHORT`] or than either workspace slice holds, or fewer values than keys.
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
