//! Sparse outputs, written fiber by fiber.

use super::*;
use crate::kernel::{loop_order, union};

#[test]
fn a_merge_appends_what_has_a_value() {
    let index = |entries| Indices::<u8>::try_new("j", entries, Domain { lo: 0, size: 9 }).unwrap();
    let (a, b) = (index(vec![0, 3, 5, 8]), index(vec![1, 3, 8]));
    let mut output = Fibers::<i64, 2, { loop_order([0, 1]) }, u32>::of_part([4, 9], 7, 1..3, 4);
    for (row, least) in [(1, 2), (2, 9), (3, 0)] {
        output.extend(
            [row, 0],
            union(a.ascending(0..4), b.ascending(0..3)),
            |(at, (left, right))| {
                let value = 10 * left.map_or(0, |at| at as i64 + 1) + right.map_or(0, |at| at as i64 + 1);
                (at >= least).then_some((at, value))
            },
        );
    }
    let output = output.finish().unwrap();
    let mut elements = Vec::new();
    output.for_each(|at, value| elements.push((at, value)));
    let row = [(0, 10), (1, 1), (3, 22), (5, 30), (8, 43)];
    let expected = row[2..].iter().map(|&(at, value)| ([1, at], value));
    let expected = expected.chain(row.iter().map(|&(at, value)| ([3, at], value)));
    assert_eq!(elements, expected.collect::<Vec<_>>());
    assert_eq!(output.fibers(), 2);
}
