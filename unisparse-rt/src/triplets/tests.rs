//! The detected order of coordinate lists.

use proptest::prelude::*;

use super::scan::scan;
use crate::machine::parallel::PIECE;

/// Reference implementation of `scan`.
fn naive<const N: usize>(coordinates: &[[usize; N]], orders: &[[usize; N]]) -> Option<([usize; N], bool)> {
    let key = |order: &[usize; N], at: usize| order.map(|dim| coordinates[at][dim]);
    let ascends = |order: &&[usize; N]| (1..coordinates.len()).all(|at| key(order, at - 1) <= key(order, at));
    let order = orders.iter().find(ascends)?;
    let mut sorted = coordinates.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    Some((*order, sorted.len() == coordinates.len()))
}

proptest! {
    #[test]
    fn two_dims(mut list in prop::collection::vec([0..40_usize, 0..40_usize], 0..1500), by in 0..4_usize, swap: prop::sample::Index) {
        sort(&mut list, &[[0, 1], [1, 0]], by, swap);
        prop_assert_eq!(scanned(&list), naive(&list, &[[0, 1], [1, 0]]));
    }

    #[test]
    fn three_dims(mut list in prop::collection::vec([0..4_usize, 0..20_usize, 0..9_usize], 0..1200), by in 0..8_usize, swap: prop::sample::Index) {
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        sort(&mut list, &ORDERS, by, swap);
        prop_assert_eq!(scanned(&list), naive(&list, &ORDERS));
    }

    #[test]
    fn four_dims(mut list in prop::collection::vec([0..9_usize, 0..3_usize, 0..3_usize, 0..9_usize], 0..900), by in 0..4_usize, swap: prop::sample::Index) {
        const ORDERS: [[usize; 4]; 2] = [[0, 1, 2, 3], [3, 2, 1, 0]];
        sort(&mut list, &ORDERS, by, swap);
        prop_assert_eq!(scanned(&list), naive(&list, &ORDERS));
    }
}

/// Scans the list both as one array of coordinates and as one array per dim.
fn scanned<const N: usize>(list: &[[usize; N]]) -> Option<([usize; N], bool)> {
    let arrays: [Vec<u16>; N] = core::array::from_fn(|dim| list.iter().map(|at| at[dim] as u16).collect());
    let found = scan(list);
    assert_eq!(scan(&arrays.each_ref().map(|array| &array[..])), found);
    found
}

/// Sorts by order number `by`; `orders.len()` sorts by the last order and swaps two neighbours, more leave the list unsorted.
fn sort<const N: usize>(list: &mut [[usize; N]], orders: &[[usize; N]], by: usize, swap: prop::sample::Index) {
    if by > orders.len() {
        return;
    }
    let order = orders[by.min(orders.len() - 1)];
    list.sort_by_key(|coordinate| order.map(|dim| coordinate[dim]));
    if by == orders.len() && list.len() > 1 {
        let at = swap.index(list.len() - 1);
        list.swap(at, at + 1);
    }
}

#[test]
fn few_coordinates() {
    assert_eq!(scan::<2>(&[][..]), Some(([0, 1], true)));
    assert_eq!(scan(&[[3, 1]][..]), Some(([0, 1], true)));
    assert_eq!(scan(&[[3, 1], [3, 1]][..]), Some(([0, 1], false)));
    assert_eq!(scan(&[[3, 1], [2, 2]][..]), Some(([1, 0], true)));
    assert_eq!(scan(&[[3, 1], [2, 1]][..]), None);
    assert_eq!(scan(&[[3], [2]][..]), None);
}

#[test]
fn pieces_of_a_long_list() {
    let by_columns: Vec<[usize; 2]> = (0..4 * PIECE).map(|at| [at % 1000, at / 1000]).collect();
    let border = by_columns.len() / 2;
    for change in [border - 2, border - 1, border, 7] {
        let (mut equal, mut swapped, mut reversed) = (by_columns.clone(), by_columns.clone(), by_columns.clone());
        equal[change] = equal[change + 1];
        swapped.swap(change, change + 1);
        reversed[border + change % 5..].iter_mut().for_each(|at| at.reverse());
        for list in [&by_columns, &equal, &swapped, &reversed] {
            let expected = naive(list, &[[0, 1], [1, 0]]);
            for threads in [1, 2, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                assert_eq!(pool.install(|| scanned(list)), expected, "{threads} threads");
            }
        }
    }
}
