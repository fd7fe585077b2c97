//! Visits of a box skip positions outside of it, instead of leaving out elements.

use super::assemble;
use super::formats::{Signed, Total};
use crate::source::Elements;

/// Elements at `(i, j)` for `j` up to `i`, but in column 3.
fn triangle() -> Vec<([usize; 2], f64)> {
    let all = (0..9).flat_map(|i| (0..=i).map(move |j| ([i, j], 1.0)));
    all.filter(|(at, _)| at[1] != 3).collect()
}

#[test]
fn dense_levels_and_segments_are_searched() {
    let tensor = assemble::<Signed, 3>([9, 9], &triangle());
    let count = |row, col| Elements::new(&tensor).between([row, None, col]).count();
    assert_eq!(count(Some([4, 4]), None), 4);
    assert_eq!(count(Some([2, 4]), None), 3 + 3 + 4);
    assert_eq!(count(None, Some([7, 7])), 2);
    assert_eq!(count(Some([8, 20]), Some([-5, 1])), 2);
    assert_eq!(count(Some([6, 6]), Some([3, 3])), 0);
    assert_eq!(count(Some([9, 9]), None) + count(None, Some([i64::MIN, -1])), 0);
}

#[test]
fn chains_of_entries_are_searched_as_pairs() {
    let tensor = assemble::<Total, 4>([9, 9], &triangle());
    let count = |row, col| Elements::new(&tensor).between([None, None, row, col]).count();
    assert_eq!(count(Some([4, 4]), None), 4);
    assert_eq!(count(Some([4, 4]), Some([1, 2])), 2);
    assert_eq!(count(Some([4, 4]), Some([3, 3])), 0);
    assert_eq!(count(None, Some([8, 8])), 1);
}
