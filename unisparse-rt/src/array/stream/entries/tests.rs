//! Segments and entries of small arrays, and what they prefetch.

use core::cell::Cell;

use super::*;
use crate::array::Domain;
use crate::array::indices::Indices;
use crate::array::pointers::Pointers;
use crate::array::stream::{Blocks, Column, Coordinates, Offsets, Positions, Stream, Tail, cells};

fn columns() -> (Pointers<u32>, Indices<u8>) {
    let ptr = Pointers::try_new("row", vec![0, 2, 2, 3]).unwrap();
    let idx = Indices::try_new("col", vec![0, 3, 1], Domain { lo: 0, size: 4 }).unwrap();
    (ptr, idx)
}

#[test]
fn segments_gather_and_scatter() {
    let (ptr, idx) = columns();
    let (values, x) = ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0, 40.0]);
    let rows = ptr.over((&values[..], idx.gather(&x)));
    let sums: Vec<f64> = (0..3).map(|row| rows.segment(row).map(|(a, x)| a * x).sum()).collect();
    assert_eq!(sums, [90.0, 0.0, 60.0]);
    assert_eq!((0..3).map(|row| rows.segment(row).len()).collect::<Vec<_>>(), [2, 0, 1]);

    let mut y = [0.0; 4];
    for (value, y) in entries(3, (&values[..], idx.scatter(cells(&mut y)))) {
        y.set(y.get() + value);
    }
    assert_eq!(y, [1.0, 3.0, 0.0, 2.0]);
    assert_eq!(entries(3, (Positions, idx.coordinates())).last(), Some((2, 1)));
}

#[test]
fn segments_of_indirect_parents() {
    let (ptr, idx) = columns();
    let rows = ptr.over(idx.coordinates());
    for parent in [0, 2, 3, usize::MAX] {
        rows.prefetch_at(parent);
    }
    assert_eq!((rows.at(0).collect::<Vec<_>>(), rows.at(1).len()), (vec![0, 3], 0));
    assert_eq!(rows.distance(), 0);
    let many = Pointers::try_new("row", vec![0, 1 << 20]).unwrap();
    assert!(many.over(&vec![0u64; 1 << 20][..]).distance() > 0);
}

#[test]
fn totals_are_of_all_items() {
    let values: Vec<u64> = (0..70).map(|at| at * at + 3).collect();
    for (from, to) in [(0, 0), (3, 4), (0, 15), (1, 17), (2, 18), (0, 70), (5, 69)] {
        let total = within(&values[..], from..to, 0).total(0, |a, b| a + b, |value| 2 * value);
        assert_eq!(total, 2 * values[from..to].iter().sum::<u64>(), "{from}..{to}");
        let least = within(&values[..], from..to, 0).total(u64::MAX, u64::min, |value| value);
        assert_eq!(least, values[from..to].iter().copied().min().unwrap_or(u64::MAX));
    }
}

#[test]
fn the_last_items_have_counts_of_their_own() {
    // Blocks of four columns of a matrix with 14: the last has two. It may come twice, or not at all.
    let coordinates = [0usize, 1, 2, 3, 3];
    let count = |at: usize| 14usize.saturating_sub(4 * at).min(4);
    for range in [0..5, 0..4, 0..3, 3..5, 2..2] {
        let counted = Cell::new(0);
        let mut found = Vec::new();
        within(&coordinates[..], range.clone(), 0).each_counted(
            4,
            |at| {
                counted.set(counted.get() + 1);
                count(at)
            },
            |at, count| found.push((at, count)),
        );
        let expected: Vec<_> = coordinates[range.clone()].iter().map(|&at| (at, count(at))).collect();
        assert_eq!(found, expected, "{range:?}");
        let cut = expected.iter().filter(|(_, count)| *count < 4).count();
        let is_one_whole = usize::from(cut < expected.len());
        assert_eq!(counted.get(), 2 * cut + is_one_whole, "{range:?}");
    }
}

#[test]
fn what_comes_later_is_shown() {
    let values = [0, 1, 2, 3, 4, 5, 6];
    let seen = Cell::new(0);
    let items: Vec<i32> = within(&values[..], 1..5, 0)
        .ahead(3, 1, |_| 0, |later| seen.set(seen.get() + later))
        .collect();
    assert_eq!((items, seen.get()), (vec![1, 2, 3, 4], 4 + 5 + 6));
}

#[test]
fn long_segments_are_prefetched_if_their_targets_are_far() {
    let prefetched = |values: &[usize], range: Range<usize>| {
        let count = Cell::new(0);
        let items = within(values, range, 0).ahead(4, 10, |at| at, |_| count.set(count.get() + 1));
        assert!(items.count() > 0);
        count.get()
    };
    let near: Vec<usize> = (0..30).chain(5..35).collect();
    assert_eq!(
        (
            prefetched(&near, 0..30),
            prefetched(&near, 30..60),
            prefetched(&near, 30..40)
        ),
        (31, 0, 11)
    );
    let elsewhere: Vec<usize> = (0..30).chain(20..50).collect();
    assert_eq!(prefetched(&elsewhere, 30..60), 26);
}

#[test]
fn each_is_visited_once() {
    let values: Vec<usize> = (0..70).collect();
    for range in [0..0, 3..4, 2..18, 1..18, 0..70] {
        let mut visited = Vec::new();
        within(&values[..], range.clone(), 0).each(|value| visited.push(value));
        assert!(visited.into_iter().eq(range));
    }
}

#[test]
fn blocks_have_one_number_of_values() {
    let values = [0, 1, 2, 3, 4, 5, 6];
    let blocks = Blocks::new(&values, 2);
    assert_eq!(blocks.len(), 3);
    assert_eq!(within(blocks, 1..3, 0).collect::<Vec<_>>(), [[2, 3], [4, 5]]);
}

#[test]
#[should_panic(expected = "assertion failed")]
fn blocks_past_the_end_are_refused() {
    let _ = within(Blocks::new(&[0; 7], 2), 1..4, 0);
}

#[test]
fn columns_of_tuples() {
    let packed = [(3u8, 1.5f64), (0, 2.5), (1, 3.5)];
    let (idx, values) = (Column::<_, 0>::new(&packed), Column::<_, 1>::new(&packed));
    assert_eq!((idx.len(), values[2]), (3, 3.5));
    assert_eq!(values.iter().collect::<Vec<_>>(), [1.5, 2.5, 3.5]);
    assert_eq!(within(values, 1..3, -1).collect::<Vec<_>>(), [1.5, 2.5]);
    let (ptr, _) = columns();
    let sums = ptr.over((Coordinates::new(idx), values));
    assert_eq!(sums.segment(2).collect::<Vec<_>>(), [(1, 3.5)]);
    assert_eq!(entries(3, Offsets::new(idx)).sum::<isize>(), 4);
}

#[test]
fn part_of_a_stream() {
    let (_, idx) = columns();
    let x = [10.0, 20.0, 30.0, 40.0];
    assert_eq!(within(idx.gather(&x), 3..5, -2).collect::<Vec<_>>(), [40.0, 20.0]);
    assert_eq!(within(idx.gather(&x), 9..9, 40).count(), 0);
}

#[test]
#[should_panic(expected = "assertion failed")]
fn a_part_past_the_end_is_refused() {
    let (_, idx) = columns();
    let _ = within(idx.coordinates(), 2..5, -1);
}

#[test]
#[should_panic(expected = "assertion failed")]
fn a_part_before_the_start_is_refused() {
    let (_, idx) = columns();
    let _ = within(idx.coordinates(), 0..1, -1);
}

#[test]
#[should_panic(expected = "assertion failed")]
fn a_vector_shorter_than_the_domain_is_refused_at_entry() {
    let (_, idx) = columns();
    let _ = idx.gather(&[0.0; 3]);
}

#[test]
#[should_panic(expected = "assertion failed")]
fn a_parent_past_the_first_is_refused() {
    let (ptr, _) = columns();
    let _ = ptr.over(&[0.0; 3][..]).below(2).segment(2);
}

#[test]
#[should_panic(expected = "assertion failed")]
fn values_shorter_than_the_pointers_are_refused_at_entry() {
    let (ptr, _) = columns();
    let _ = ptr.over(&[0.0; 2][..]);
}

#[test]
fn a_tail_begins_later() {
    let values = [1, 2, 3, 4];
    for first in [0, 3, 4, 5, usize::MAX] {
        let expected = values.get(first..).unwrap_or_default();
        let tail = Tail::new(&values[..], first);
        assert_eq!(tail.len(), expected.len());
        assert_eq!(entries(tail.len(), tail).collect::<Vec<_>>(), expected);
    }
    assert_eq!(Tail::new((&values[..], Positions), 1).bytes(3), 3 * size_of::<i32>());
}
