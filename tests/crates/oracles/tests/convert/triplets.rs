//! Triplets in every order, with and without duplicates, to every format.

use std::collections::BTreeMap;

use unisparse::prelude::*;
use unisparse::{Error, ErrorKind, TripletsView};

use crate::common::Random;
use crate::common::sample::sample;
use crate::formats::{Converted, EachFormat, each_format, name_of};
use crate::judge::{Sorted, nothing_lost, shuffled, sorted};

/// Values whose sums depend on the order of addition, and may be zero.
const VALUES: [f32; 6] = [1.0, 3.0e7, -3.0e7, 0.25, -1.0, 0.0];

/// Returns these triplets after a duplicate policy; `None` if the policy refuses them.
fn resolve(triplets: &[([usize; 2], f32)], policy: Duplicates) -> Option<Sorted> {
    let mut all = BTreeMap::new();
    for &(at, value) in triplets {
        match (all.get_mut(&at), policy) {
            (None, _) => {
                all.insert(at, value);
            }
            (Some(sum), Duplicates::Sum) => *sum += value,
            (Some(last), Duplicates::Last) => *last = value,
            (Some(_), Duplicates::First) => {}
            (Some(_), Duplicates::Reject) => return None,
        }
    }
    Some(all.into_iter().map(|(at, value)| (at, value.to_bits())).collect())
}

struct ToEach<'a> {
    triplets: &'a Triplets<f32, 2>,
    /// The same triplets in arrays.
    view: TripletsView<'a, f32, 2, i16>,
    expected: Option<&'a Sorted>,
    what: String,
}

impl EachFormat for ToEach<'_> {
    fn format<F: Converted>(&mut self) {
        let what = format!("{} to {}, {:?}", self.what, name_of::<F>(), self.triplets.shape());
        let made: Result<F, Error> = self.triplets.convert();
        let Some(expected) = self.expected else {
            let error = made.err().unwrap_or_else(|| panic!("{what}: not refused"));
            assert_eq!(error.kind(), ErrorKind::Duplicate, "{what}: {error}");
            return;
        };
        let made = made.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(nothing_lost(&sorted(&made), expected), "{what}");
        let same: F = shuffled(self.triplets.shape(), expected).convert().unwrap();
        assert!(made.same_storage(&same), "{what}");
        let viewed: F = self
            .view
            .convert()
            .unwrap_or_else(|error| panic!("a view, {what}: {error}"));
        assert!(viewed.same_storage(&same), "a view, {what}");
    }
}

fn every_order_and_policy(shape: [usize; 2], elements: &[([usize; 2], f32)], duplicates: bool) {
    let mut by_row = elements.to_vec();
    by_row.sort_by_key(|&(at, _)| at);
    let mut by_column = elements.to_vec();
    by_column.sort_by_key(|&([i, j], _)| [j, i]);
    let mut by_diagonal = elements.to_vec();
    by_diagonal.sort_by_key(|&([i, j], _)| (j as i64 - i as i64, i));
    let backwards: Vec<_> = by_row.iter().rev().copied().collect();
    // Sorted, except for the last triplet.
    let mut nearly = by_row.clone();
    nearly.rotate_left(1);
    let orders = [
        ("triplets by row", by_row),
        ("triplets by column", by_column),
        ("triplets by diagonal", by_diagonal),
        ("triplets backwards", backwards),
        ("triplets nearly by row", nearly),
        ("shuffled triplets", elements.to_vec()),
    ];
    for (order, elements) in orders {
        let along = |dim: usize| -> Vec<i16> { elements.iter().map(|(at, _)| at[dim] as i16).collect() };
        let (rows, cols) = (along(0), along(1));
        let values: Vec<f32> = elements.iter().map(|&(_, value)| value).collect();
        for policy in [Duplicates::Sum, Duplicates::First, Duplicates::Last, Duplicates::Reject] {
            let expected = resolve(&elements, policy);
            assert_eq!(expected.is_none(), duplicates && policy == Duplicates::Reject);
            let triplets = Triplets::try_from_triplets(shape, elements.iter().copied()).unwrap();
            let view = TripletsView::try_new(shape, [&rows, &cols], &values).unwrap();
            each_format(&mut ToEach {
                triplets: &triplets.duplicates(policy),
                view: view.duplicates(policy),
                expected: expected.as_ref(),
                what: format!("{order}, duplicates: {policy:?}"),
            });
        }
    }
}

/// Returns the shapes of small matrices: more of them at night.
fn shapes() -> &'static [[usize; 2]] {
    const ALL: [[usize; 2]; 6] = [[1, 1], [1, 40], [40, 1], [33, 47], [150, 9], [9, 150]];
    &ALL[..if cfg!(every_product) { 6 } else { 4 }]
}

#[test]
fn without_duplicates() {
    for (seed, &[rows, cols]) in shapes().iter().enumerate() {
        let mut random = Random::new(seed as u64 + 1);
        let mut elements: Vec<_> = (0..rows * cols)
            .filter(|_| rows == 1 || cols == 1 || random.below(4) == 0)
            .map(|at| ([at / cols, at % cols], VALUES[at % VALUES.len()]))
            .collect();
        for at in (1..elements.len()).rev() {
            elements.swap(at, random.below(at + 1));
        }
        every_order_and_policy([rows, cols], &elements, false);
    }
}

#[test]
fn with_duplicates() {
    for (seed, &shape) in shapes().iter().enumerate() {
        let mut random = Random::new(seed as u64 + 7);
        let mut elements = Vec::new();
        for _ in 0..300 {
            let at = shape.map(|extent| random.below(extent));
            for _ in 0..random.below(4) {
                elements.push((at, VALUES[random.below(VALUES.len())]));
            }
        }
        for at in (1..elements.len()).rev() {
            elements.swap(at, random.below(at + 1));
        }
        every_order_and_policy(shape, &elements, true);
    }
}

/// More elements than a cache holds, on several threads: they are scattered in whole cache lines.
#[test]
fn many_elements() {
    const SHAPE: [usize; 2] = [70_000, 4096];
    let mut random = Random::new(21);
    // Some duplicates, equally long rows, in random order.
    let elements: Vec<_> = (0..400_000)
        .map(|at| {
            (
                [at * 7919 % SHAPE[0], random.below(SHAPE[1])],
                VALUES[random.below(VALUES.len())],
            )
        })
        .collect();
    let expected = resolve(&elements, Duplicates::Sum).unwrap();
    assert!(expected.len() < elements.len());
    let along = |dim: usize| -> Vec<u32> { elements.iter().map(|(at, _)| at[dim] as u32).collect() };
    let (rows, cols) = (along(0), along(1));
    let values: Vec<f32> = elements.iter().map(|&(_, value)| value).collect();
    let view = TripletsView::try_new(SHAPE, [&rows, &cols], &values).unwrap();
    for threads in sample([1, 2, 3], 1, 3) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let by_row: Csr<f32> = view.convert().unwrap();
            assert!(
                by_row
                    .iter()
                    .map(|(at, value)| (at, value.to_bits()))
                    .eq(expected.iter().copied())
            );
            let by_column: Csc<f32> = by_row.convert().unwrap();
            assert_eq!(sorted(&by_column), expected, "{threads} threads");
            assert!(by_column.into_parts() == view.convert::<Csc<f32>>().unwrap().into_parts());
            let back: Csr<f32> = view.convert::<Csc<f32>>().unwrap().convert().unwrap();
            assert!(back.into_parts() == by_row.into_parts());
        });
    }
}

/// Enough elements in distant columns that they are scattered into parts of several columns first.
#[test]
fn distant_columns() {
    const SHAPE: [usize; 2] = [70_000, 1 << 17];
    let of_row = |i: usize| {
        let mut cols: Vec<usize> = (0..16).map(|at| (i * 31_337 + at * 7919) % SHAPE[1]).collect();
        cols.sort_unstable();
        cols.into_iter().map(move |j| ([i, j], (i % 1000 + j % 77) as f32))
    };
    let a: Csr<f32> = Csr::try_from_triplets(SHAPE, (0..SHAPE[0]).flat_map(of_row)).unwrap();
    for threads in sample([1, 2, 3], 1, 3) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let transposed: Csc<f32> = pool.install(|| a.convert()).unwrap();
        let mut last = None;
        let count = transposed.iter().fold(0, |count, ([i, j], value)| {
            assert!(last < Some([j, i]), "in order, each once");
            assert_eq!(a.get([i, j]), Some(value));
            last = Some([j, i]);
            count + 1
        });
        assert_eq!(count, 16 * SHAPE[0], "{threads} threads");
    }
}
