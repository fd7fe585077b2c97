//! Strategies of tensors: which cases they give, and what a failing one shrinks to.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestError, TestRunner};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use unisparse::prelude::*;
use unisparse::proptest::{Tensors, tensors};

fn small<const N: usize>() -> Tensors<f64, N> {
    tensors((-4i8..=4).prop_map(f64::from))
}

/// Properties of the tensors that a strategy gives.
type Properties<'a> = &'a [Property<'a>];
type Property<'a> = (&'a str, &'a dyn Fn(&Triplets<f64, 2>) -> bool);

/// Returns for how many of a thousand tensors each property holds.
fn count(strategy: Tensors<f64, 2>, properties: Properties<'_>) -> BTreeMap<String, usize> {
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<String, usize> = properties.iter().map(|(name, _)| ((*name).to_owned(), 0)).collect();
    for _ in 0..1000 {
        let a = strategy.new_tree(&mut runner).unwrap().current();
        for (name, holds) in properties {
            *counts.get_mut(*name).unwrap() += usize::from(holds(&a));
        }
    }
    counts
}

fn distinct(a: &Triplets<f64, 2>) -> usize {
    a.coordinates().iter().collect::<BTreeSet<_>>().len()
}

fn rows(a: &Triplets<f64, 2>) -> usize {
    a.coordinates().iter().map(|at| at[0]).collect::<BTreeSet<_>>().len()
}

const HAS_DUPLICATES: Property<'static> = ("duplicates", &|a| distinct(a) < a.len());

#[test]
fn boundaries_are_frequent() {
    let at_most = |extent| move |a: &Triplets<f64, 2>| a.shape().into_iter().all(|found| found <= extent);
    let counts = count(
        small(),
        &[
            ("no rows", &|a| a.shape()[0] == 0),
            ("no columns", &|a| a.shape()[1] == 0),
            ("one row", &|a| a.shape()[0] == 1),
            ("one column", &|a| a.shape()[1] == 1),
            ("extents next to powers of two", &|a| {
                a.shape().iter().any(|extent| [255, 256, 257].contains(extent))
            }),
            ("tall", &|a| a.shape()[0] > 2 * a.shape()[1]),
            ("wide", &|a| a.shape()[1] > 2 * a.shape()[0]),
            ("no elements", &|a| {
                a.is_empty() && a.shape().into_iter().all(|extent| extent > 0)
            }),
            ("one element", &|a| a.len() == 1),
            ("all elements", &|a| {
                a.len() > 1 && a.len() == a.shape()[0] * a.shape()[1]
            }),
            ("empty rows", &|a| !a.is_empty() && rows(a) < a.shape()[0]),
            ("the first coordinate", &|a| a.coordinates().contains(&[0, 0])),
            ("the last coordinate", &|a| {
                a.coordinates()
                    .contains(&a.shape().map(|extent| extent.wrapping_sub(1)))
            }),
            ("no order", &|a| !a.coordinates().is_sorted()),
            ("explicit zeros", &|a| a.values().contains(&0.0)),
        ],
    );
    assert!(counts.values().all(|&count| count >= 20), "{counts:?}");
    let never = count(small(), &[HAS_DUPLICATES, ("large", &|a| !at_most(257)(a))]);
    assert!(never.values().all(|&count| count == 0), "{never:?}");
}

#[test]
fn duplicates_limits_and_ranges_are_given_on_request() {
    let counts = count(small().with_duplicates(), &[HAS_DUPLICATES]);
    assert!(counts["duplicates"] > 300, "{counts:?}");
    let any = |extent: usize| move |a: &Triplets<f64, 2>| a.shape().contains(&extent);
    let counts = count(
        small().at_limits(),
        &[
            ("2^16 - 1", &any((1 << 16) - 1)),
            ("2^16", &any(1 << 16)),
            ("2^31 + 1", &any((1 << 31) + 1)),
            ("2^32", &any(1 << 32)),
            ("2^32 + 1", &any((1 << 32) + 1)),
            ("a coordinate above u32", &|a| {
                a.coordinates().iter().flatten().any(|&at| at > u32::MAX as usize)
            }),
        ],
    );
    assert!(counts.values().all(|&count| count >= 5), "{counts:?}");
    let outside = |a: &Triplets<f64, 2>| !a.shape().into_iter().all(|extent| (3..=6).contains(&extent)) || a.len() > 5;
    let counts = count(
        small().extents(3..=6).at_most(5),
        &[("outside", &outside), ("most", &|a| a.len() == 5)],
    );
    assert!(counts["outside"] == 0 && counts["most"] > 50, "{counts:?}");
}

/// Returns what the first failing case shrinks to.
fn least<S: Strategy>(strategy: S, holds: impl Fn(&S::Value) -> bool) -> S::Value {
    let config = Config {
        cases: 1000,
        failure_persistence: None,
        ..Config::default()
    };
    let failed = TestRunner::new(config).run(&strategy, |value| {
        prop_assert!(holds(&value));
        Ok(())
    });
    match failed {
        Err(TestError::Fail(_, value)) => value,
        other => panic!("no case fails: {other:?}"),
    }
}

#[test]
fn failing_tensors_shrink() {
    let a = least(small::<2>(), |a| a.is_empty());
    assert_eq!(
        (a.shape(), a.coordinates(), a.values()),
        ([1, 1], &[[0, 0]][..], &[0.0][..])
    );
    let a = least(small::<2>(), |a| a.iter().all(|([_, j], _)| j < 5));
    assert_eq!((a.shape(), a.len(), a.coordinates()[0][1]), ([1, 6], 1, 5));
    let a = least(small::<2>(), |a| a.values().iter().all(|value| value.abs() < 3.0));
    assert_eq!((a.len(), a.values()[0].abs()), (1, 3.0));
    let a = least(small::<2>().with_duplicates(), |a| distinct(a) == a.len());
    assert_eq!((a.shape(), a.len()), ([1, 1], 2));
    // Through a conversion, too.
    let a = least(small::<2>().of::<Ell<f64>>(), |a| a.slot_size() < 2);
    assert_eq!((a.shape(), a.slot_size()), ([1, 2], 2));
    let a = least(small::<3>().of::<Csf<f64>>(), |a| a.nnz() < 2);
    assert_eq!(a.nnz(), 2);
}

sparse_format! {
    format Wide = |i, j| (i, j) { trim(0..=1); index(i: u64, j: u64); }
}

#[test]
fn formats_hold_the_same_elements() {
    let refused = RefCell::new([0; 2]);
    let check = |strategy: Tensors<f64, 2>| {
        let mut runner = TestRunner::deterministic();
        for _ in 0..300 {
            let a = strategy.new_tree(&mut runner).unwrap().current();
            let mut expected = BTreeMap::new();
            a.iter()
                .for_each(|(at, value)| *expected.entry(at).or_insert(0.0) += value);
            let wide: Wide<f64> = a.convert().unwrap();
            assert!(wide.iter().eq(expected.clone()));
            match a.convert::<Csr<f64>>() {
                Ok(rows) => assert!(rows.iter().eq(expected)),
                Err(_) => refused.borrow_mut()[usize::from(a.shape()[0] < 1 << 16)] += 1,
            }
        }
    };
    check(small());
    assert_eq!(*refused.borrow(), [0, 0]);
    check(small().with_duplicates().at_limits());
    let [large, small] = *refused.borrow();
    // Only where a coordinate of the column does not fit.
    assert!(large > 10 && small < 30, "{large} {small}");
    // What a format refuses is left out.
    let mut runner = TestRunner::deterministic();
    let strategy = self::small::<2>().at_limits().of::<Csr<f64>>();
    for _ in 0..100 {
        let a = strategy.new_tree(&mut runner).unwrap().current();
        assert!(a.shape()[0] < 1 << 31);
    }
}
