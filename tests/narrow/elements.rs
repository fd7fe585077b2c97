//! Types of a user's own: semirings whose patterns are stored, and what a type may store as it likes.

use std::collections::VecDeque;

use unisparse::formats::*;
use unisparse::kernels::{spgemm, spmm};
use unisparse::prelude::*;
use unisparse::{Padding, Pattern, Stored};

use crate::common::MinPlus;
use crate::{number, pattern, places, triplets};

sparse_kernel! {
    fn step: d[j] = one * A[i, j] * s[i] where A: Csr | Csc | Dcsr;
}

#[test]
fn a_pattern_reads_as_the_one_of_its_semiring() {
    let size = 40;
    let edges = places([size; 2], 90, 20);
    let a: Csr<Pattern<MinPlus>> = pattern([size; 2], &edges).convert().unwrap();
    let mut expected = vec![f64::INFINITY; size];
    let mut queue = VecDeque::from([0]);
    expected[0] = 0.0;
    while let Some(node) = queue.pop_front() {
        for &[_, to] in edges.iter().filter(|[from, _]| *from == node) {
            if expected[to].is_infinite() {
                expected[to] = expected[node] + 1.0;
                queue.push_back(to);
            }
        }
    }
    let mut distance = vec![MinPlus::ZERO; size];
    distance[0] = MinPlus::ONE;
    for _ in 0..size {
        let mut next = vec![MinPlus::ZERO; size];
        step(&mut next, MinPlus(1.0), &a, &distance).unwrap();
        distance = distance
            .into_iter()
            .zip(next)
            .map(|(before, after)| before.plus(after))
            .collect();
    }
    assert!(distance.iter().map(|steps| steps.0).eq(expected));
    // Two steps of length zero.
    let c: Csr<MinPlus> = spgemm(&a, &a).unwrap();
    assert!(c.values().iter().all(|&value| value == MinPlus::ONE));
    let paths = |[i, j]: [usize; 2]| edges.iter().any(|&[from, by]| from == i && edges.contains(&[by, j]));
    assert!(
        c.iter()
            .map(|(at, _)| at)
            .eq(crate::common::random::coordinates([size; 2])
                .into_iter()
                .filter(|&at| paths(at)))
    );
}

/// Sixteen levels.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Level(u8);

impl Stored for Level {
    type Value = f32;
    const FILL: Self = Level(0);
    const UNIT: Self = Level(4);
    fn value(self) -> f32 {
        f32::from(self.0) / 4.0
    }
}

impl Padding for Level {}

/// A type without a zero, with only the items that `Stored` requires.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Sign(bool);

impl Stored for Sign {
    type Value = f32;
    const FILL: Self = Sign(false);
    const UNIT: Self = Sign(false);
    const PLUS: Option<fn(Self, Self) -> Self> = Some(|left, right| Sign(left.0 ^ right.0));
    fn value(self) -> f32 {
        if self.0 { -1.0 } else { 1.0 }
    }
}

#[test]
fn a_user_type_chooses_its_stored_form() {
    let (shape, at) = ([19, 13], places([19, 13], 70, 21));
    let levels = triplets(shape, &at, |at| Level(number(at) as u8));
    let signs = triplets(shape, &at, |[i, j]| Sign((i + j) % 2 == 1));
    let x: Vec<f32> = (0..13).map(|j| j as f32).collect();
    let (mut expected, mut flipped) = (vec![0.0f32; 19], vec![0.0f32; 19]);
    for &[i, j] in &at {
        expected[i] += number([i, j]) as f32 / 4.0 * x[j];
        flipped[i] += if (i + j) % 2 == 1 { -x[j] } else { x[j] };
    }
    let mut y = vec![0.0; 19];
    spmv(&mut y, &levels.convert::<Csr<Level>>().unwrap(), &x).unwrap();
    assert_eq!(y, expected);
    spmv(&mut y, &levels.convert::<Sell<Level, 4, 8>>().unwrap(), &x).unwrap();
    assert_eq!(y, expected);
    spmv(&mut y, &signs.convert::<Dcsc<Sign>>().unwrap(), &x).unwrap();
    assert_eq!(y, flipped);
    spmm(&mut y, &signs.convert::<Csb<Sign, 4>>().unwrap(), &x).unwrap();
    assert_eq!(y, flipped);
    // Duplicates are added by the operator of the type.
    let twice = Csr::try_from_triplets([1, 1], [([0, 0], Sign(true)); 2]).unwrap();
    assert_eq!(twice.values(), [Sign(false)]);
}

#[cfg(feature = "half")]
#[test]
fn halves_are_summed_in_a_wider_type() {
    use unisparse::{Narrow, bf16, f16};
    let (shape, at) = ([19, 13], places([19, 13], 70, 22));
    let halves = triplets(shape, &at, |at| {
        Narrow::<f16, f64>::new(f16::from_f64(number(at) / 8.0))
    });
    let x: Vec<f64> = (0..13).map(|j| 1.0 / f64::from(j + 1)).collect();
    let mut expected = vec![0.0; 19];
    for &[i, j] in &at {
        expected[i] += number([i, j]) / 8.0 * x[j];
    }
    let mut y = vec![0.0; 19];
    spmv(
        &mut y,
        &halves.convert::<Csr<_>>().map(|a: Csr<Narrow<f16, f64>>| a).unwrap(),
        &x,
    )
    .unwrap();
    assert!(y.iter().zip(&expected).all(|(y, sum)| (y - sum).abs() <= 1e-12 * sum));
    // A pattern of halves is summed in `f32`, as halves are.
    let row: Csr<Pattern<bf16>> = pattern([1, 1000], &(0..1000).map(|j| [0, j]).collect::<Vec<_>>())
        .convert()
        .unwrap();
    let mut y = [bf16::ZERO];
    spmv(&mut y, &row, &[bf16::ONE; 1000]).unwrap();
    assert_eq!(y[0], bf16::from_f32(1000.0));
}
