//! Queries compared with reference implementations that use maps, comparisons and loops.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Absent, Queries, Tables};
use crate::array::Domain;
use crate::convert::assemble::by_dims::queries_by_dims;
use crate::error::ErrorKind;
use crate::source::Duplicates;
use crate::triplets::Triplets;

/// A test tensor: extents, and elements in any order, including duplicates.
type Case = ([usize; 3], Vec<([usize; 3], i32)>);

fn cases() -> impl Strategy<Value = Case> {
    let extent = prop_oneof![1 => Just(0usize), 2 => Just(1), 12 => 2usize..6];
    (
        [extent.clone(), extent.clone(), extent],
        vec(([0usize..60, 0usize..60, 0usize..60], -2..3), 0..30),
    )
}

/// Builds the first `N` dims of a case: the triplets, and the elements they represent.
fn tensor<const N: usize>(case: &Case) -> (Triplets<i32, N>, BTreeMap<[usize; N], i32>) {
    let shape: [usize; N] = core::array::from_fn(|dim| case.0[dim]);
    let (mut triplets, mut elements) = (Triplets::new(shape), BTreeMap::new());
    if !shape.contains(&0) {
        for (coordinate, value) in &case.1 {
            let at = core::array::from_fn(|dim| coordinate[dim] % shape[dim]);
            triplets.push(at, *value).unwrap();
            *elements.entry(at).or_insert(0) += value;
        }
    }
    (triplets, elements)
}

fn queries<const N: usize, const Q: usize>(triplets: &Triplets<i32, N>) -> Queries<'static, i32, N, Q> {
    queries_by_dims("Test", triplets).unwrap()
}

fn signed<const N: usize>(at: [usize; N]) -> [i64; N] {
    at.map(|at| at as i64)
}

/// Returns a function of the coordinate for use as a field of a group, key or traversal.
fn field<const N: usize>(choice: usize) -> fn([i64; N]) -> i64 {
    match choice {
        0 => |at| at[0],
        1 => |at| at[0] / 2,
        2 => |at| at[N - 1] % 3,
        3 => |at| at[N - 1] - at[0],
        4 => |_| 7,
        _ => |at| at[N / 2] * 200_000,
    }
}

/// Returns the domain of [`field`] by interval arithmetic, and the dims it involves.
fn domain<const N: usize>(choice: usize, shape: [usize; N]) -> (Domain, Vec<usize>) {
    let (first, last, middle) = (shape[0] as i64, shape[N - 1] as i64, shape[N / 2] as i64);
    let (lo, hi, dims) = match choice {
        0 => (0, first - 1, vec![0]),
        1 => (0, (first + 1) / 2 - 1, vec![0]),
        2 => (0, 2, vec![N - 1]),
        3 => (1 - first, last - 1, vec![0, N - 1]),
        4 => (7, 7, vec![]),
        _ => (0, (middle - 1) * 200_000, vec![N / 2]),
    };
    let size = (hi - lo + 1).max(0) as usize;
    (Domain { lo, size }, dims)
}

/// Returns every tuple of a box, in order.
fn tuples(domains: [Domain; 2]) -> Vec<[i64; 2]> {
    let all = |domain: Domain| (0..domain.size as i64).map(move |at| domain.lo + at);
    all(domains[0])
        .flat_map(|first| all(domains[1]).map(move |second| [first, second]))
        .collect()
}

fn coordinates<const N: usize>(shape: [usize; N]) -> Vec<[usize; N]> {
    let all = (0..shape.iter().product()).map(|mut rest: usize| {
        core::array::from_fn(|dim| {
            let at = rest % shape[dim];
            rest /= shape[dim];
            at
        })
    });
    all.collect()
}

/// Evaluates `value < 0 => 2, value == 0 => 1 + coordinate, _ => 3`.
fn number<const N: usize>(value: i32, at: [i64; N]) -> (usize, i64) {
    match value.signum() {
        -1 => (0, 2),
        0 => (1, 1 + at[0]),
        _ => (2, 3),
    }
}

fn sums<const N: usize>(case: &Case, choices: [usize; 2], absent: bool) {
    let (triplets, elements) = tensor::<N>(case);
    let shape = triplets.shape();
    let group = |at: [i64; N]| choices.map(|choice| field(choice)(at));
    let [(first, first_dims), (second, second_dims)] = choices.map(|choice| domain(choice, shape));
    let per_absent = |group: [i64; 2]| (group[0] + group[1]).rem_euclid(3);

    let mut expected = BTreeMap::new();
    for at in coordinates(shape) {
        let group = group(signed(at));
        let added = match elements.get(&at) {
            Some(&value) => number(value, signed(at)).1,
            None => i64::from(absent) * per_absent(group),
        };
        *expected.entry(group).or_insert(0) += added;
    }

    let mut queries = queries::<N, 1>(&triplets);
    queries.limit(u128::MAX);
    let absent_number = |group, _: &Tables| per_absent(group);
    queries
        .sum(
            0,
            "len",
            [Some(first), Some(second)],
            |at, _| group(at),
            |value, at, _| number(value, at).1,
            absent.then_some(Absent {
                number: &absent_number,
                involves: [&first_dims, &second_dims],
            }),
        )
        .unwrap();
    for (group, sum) in &expected {
        assert_eq!(queries.state.tables.at(0, group), *sum, "{group:?}");
    }
    for group in [[-9, 0], [0, 9], [8, 7], [1, 1]] {
        assert_eq!(
            queries.state.tables.at(0, &group),
            expected.get(&group).copied().unwrap_or(0)
        );
    }
    assert_eq!(queries.list().0, elements.keys().copied().collect::<Vec<_>>());
    assert_eq!(queries.list().1, elements.values().copied().collect::<Vec<_>>());
    let results: Vec<[i64; 1]> = elements.keys().map(|&at| [expected[&group(signed(at))]]).collect();
    assert_eq!(queries.list().2, results);
}

/// Checks a sum, its reordering, its schedule and a schedule of the reordering.
fn ranks<const N: usize>(case: &Case, choices: [usize; 2], descending: bool, buckets: usize) {
    let (triplets, elements) = tensor::<N>(case);
    let domains = choices.map(|choice| domain(choice, triplets.shape()).0);
    let group = |at: [i64; N]| choices.map(|choice| field(choice)(at));
    let within = |group: [i64; 2]| [group[0].div_euclid(2)];
    let traverse = |group: [i64; 2]| [group[1] % 2, -group[0]];

    let mut sums: BTreeMap<[i64; 2], i64> = tuples(domains).into_iter().map(|group| (group, 0)).collect();
    for (&at, &value) in &elements {
        *sums.get_mut(&group(signed(at))).unwrap() += number(value, signed(at)).1;
    }
    let mut order: Vec<[i64; 2]> = sums.keys().copied().collect();
    order.sort_by_key(|&group| {
        let sum = if descending { -sums[&group] } else { sums[&group] };
        (within(group), sum, traverse(group), group)
    });
    let mut seen = BTreeMap::new();
    let mut ranks = BTreeMap::new();
    for group in order {
        let next = seen.entry(within(group)).or_insert(0);
        ranks.insert(group, *next);
        *next += 1;
    }
    let schedule = |loads: &BTreeMap<[i64; 2], i64>| {
        let mut placed: Vec<[i64; 2]> = loads.keys().copied().filter(|group| loads[group] > 0).collect();
        placed.sort_by_key(|&group| (traverse(group), group));
        let mut totals = vec![0; buckets];
        let mut buckets: BTreeMap<[i64; 2], i64> = loads.keys().map(|&group| (group, 0)).collect();
        for group in placed {
            let least = (0..totals.len()).min_by_key(|&bucket| totals[bucket]).unwrap();
            totals[least] += loads[&group];
            buckets.insert(group, least as i64);
        }
        buckets
    };
    let expected = [&sums, &ranks, &schedule(&sums), &schedule(&ranks)];

    let mut queries = queries::<N, 4>(&triplets);
    queries.limit(u128::MAX);
    let number = |value, at, _| number(value, at).1;
    queries
        .sum(0, "len", domains.map(Some), |at, _| group(at), number, None)
        .unwrap();
    queries
        .reorder(
            1,
            "rank",
            0,
            descending,
            |group, _| within(group),
            |group, _| traverse(group),
        )
        .unwrap();
    queries
        .schedule(2, "lane", 0, buckets, |group, _| traverse(group))
        .unwrap();
    queries
        .schedule(3, "bank", 1, buckets, |group, _| traverse(group))
        .unwrap();
    for (query, expected) in expected.iter().enumerate() {
        for (group, number) in *expected {
            assert_eq!(
                queries.state.tables.at(query, group),
                *number,
                "query {query} at {group:?}"
            );
        }
    }
    for (at, results) in elements.keys().zip(queries.list().2) {
        assert_eq!(results, expected.map(|numbers| numbers[&group(signed(*at))]));
    }
}

/// Checks enumerations and slots, with domains of groups known from the shape or measured.
fn numbers<const N: usize>(case: &Case, choices: [usize; 4], measured: bool, distance: usize) {
    let (triplets, elements) = tensor::<N>(case);
    let known = |choice| (!measured).then_some(domain(choice, triplets.shape()).0);
    let [group, second, key, traverse] = choices.map(field::<N>);
    let group = |at| [group(at), second(at)];

    let expected = elements.iter().map(|(&at, &value)| {
        let at = signed(at);
        let (arm, first) = number(value, at);
        let before: BTreeSet<i64> = elements
            .iter()
            .map(|(&other, &value)| (signed(other), value))
            .filter(|&(other, value)| group(other) == group(at) && number(value, other).0 == arm)
            .map(|(other, _)| traverse(other))
            .filter(|&other| other < traverse(at))
            .collect();
        first + before.len() as i64
    });
    let expected: Vec<i64> = expected.collect();

    let mut order: Vec<[i64; N]> = elements.keys().map(|&at| signed(at)).collect();
    order.sort_by_key(|&at| (group(at), traverse(at), at));
    let mut taken = BTreeSet::new();
    let mut last = BTreeMap::new();
    let mut slots = BTreeMap::new();
    for at in order {
        let mut slot = last.get(&(group(at), key(at))).map_or(0, |last| last + distance as i64);
        while !taken.insert((group(at), slot)) {
            slot += 1;
        }
        last.insert((group(at), key(at)), slot);
        slots.insert(at, slot);
    }

    let mut queries = queries::<N, 3>(&triplets);
    let domains = [known(choices[0]), known(choices[1])];
    let class = |value, at, _| number(value, at);
    queries
        .enumerate(0, "slot", domains, |at, _| group(at), |at, _| [traverse(at)], class)
        .unwrap();
    queries
        .slot(
            1,
            "time",
            distance,
            domains,
            |at, _| group(at),
            |at, _| [key(at)],
            |at, _| [traverse(at)],
        )
        .unwrap();
    // A sum over groups given by earlier results.
    queries
        .sum(2, "height", [None], |_, [slot, ..]| [slot], |_, _, _| 1, None)
        .unwrap();
    for (element, at) in elements.keys().enumerate() {
        let height = expected.iter().filter(|&&number| number == expected[element]).count();
        let results = [expected[element], slots[&signed(*at)], height as i64];
        assert_eq!(queries.list().2[element], results, "{at:?}");
    }
}

proptest! {
    #[test]
    fn sums_are_as_defined(case in cases(), choices in [0usize..6, 0usize..6], absent in any::<bool>()) {
        // Tables of all groups require small boxes.
        let absent = absent && !choices.contains(&5);
        sums::<1>(&case, choices, absent);
        sums::<2>(&case, choices, absent);
        sums::<3>(&case, choices, absent);
    }

    #[test]
    fn reorderings_and_schedules_are_as_defined(
        case in cases(), choices in [0usize..5, 0usize..5], descending in any::<bool>(), buckets in 1usize..5,
    ) {
        ranks::<1>(&case, choices, descending, buckets);
        ranks::<2>(&case, choices, descending, buckets);
        ranks::<3>(&case, choices, descending, buckets);
    }

    #[test]
    fn enumerations_and_slots_are_as_defined(
        case in cases(), choices in [0usize..6, 3usize..6, 0usize..6, 0usize..6], measured in any::<bool>(), distance in 0usize..7,
    ) {
        numbers::<1>(&case, choices, measured, distance);
        numbers::<2>(&case, choices, measured, distance);
        numbers::<3>(&case, choices, measured, distance);
    }
}

fn counting(rows: usize, at: &[[usize; 2]]) -> Queries<'static, i32, 2, 2> {
    let mut triplets = Triplets::new([rows, 10]);
    at.iter().for_each(|&at| triplets.push(at, 1).unwrap());
    queries(&triplets)
}

fn rows(extent: usize) -> [Option<Domain>; 1] {
    [Some(Domain { lo: 0, size: extent })]
}

#[test]
fn groups_that_have_no_elements_are_ranked_in_wide_boxes_too() {
    let mut queries = counting(200_000, &[[150_000, 3], [7, 1], [7, 2]]);
    queries
        .sum(0, "len", rows(200_000), |[i, _], _| [i], |_, _, _| 1, None)
        .unwrap();
    assert!(!queries.state.tables.of(0).0.is_full());
    queries.reorder(1, "rank", 0, true, |_, _| [], |[i], _| [-i]).unwrap();
    let at = |i| (queries.state.tables.at(0, &[i]), queries.state.tables.at(1, &[i]));
    assert_eq!(
        [7, 150_000, 199_999, 0, 200_000].map(at),
        [(2, 0), (1, 1), (0, 2), (0, 199_999), (0, 0)]
    );
    assert_eq!(queries.list().2, [[2, 0], [2, 0], [1, 1]]);

    queries.limit(1000);
    let error = queries
        .reorder(1, "rank", 0, true, |_, _| [], |[_]: [i64; 1], _| [])
        .unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Limit, "query `rank`"));
}

#[test]
fn groups_of_wide_boxes_are_scheduled_where_they_have_elements() {
    let mut queries = counting(200_000, &[[150_000, 3], [7, 1], [7, 2], [9, 0]]);
    queries
        .sum(0, "len", rows(200_000), |[i, _], _| [i], |_, _, _| 1, None)
        .unwrap();
    queries.schedule(1, "lane", 0, 2, |[i], _| [-i]).unwrap();
    // Rows 150000 and 9 come first, one in each bucket, then row 7 in the lower bucket.
    assert_eq!(queries.list().2, [[2, 0], [2, 0], [1, 1], [1, 0]]);
    assert_eq!(
        [150_000, 9, 7, 8].map(|i| queries.state.tables.at(1, &[i])),
        [0, 1, 0, 0]
    );
}

#[test]
fn measured_groups_reach_from_zero_or_below_to_the_greatest_seen() {
    let mut queries = counting(8, &[[0, 3], [2, 0], [2, 5]]);
    queries
        .sum(0, "len", [None], |[i, j], _| [j - i], |_, _, _| 1, None)
        .unwrap();
    // Groups -2..=3, of which -2 and 3 have elements.
    queries
        .reorder(1, "rank", 0, true, |_, _| [], |[group], _| [-group])
        .unwrap();
    let at = |group| {
        (
            queries.state.tables.at(0, &[group]),
            queries.state.tables.at(1, &[group]),
        )
    };
    assert_eq!(
        [3, -2, 2, 1, 0, -1, 4].map(at),
        [(2, 0), (1, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 0)]
    );

    // Groups 0..=5, of which 3 and 5 have elements: the other four precede them.
    let mut queries = counting(8, &[[0, 3], [2, 5]]);
    queries
        .sum(0, "len", [None], |[_, j], _| [j], |_, _, _| 1, None)
        .unwrap();
    queries
        .reorder(1, "rank", 0, false, |_, _| [], |[group], _| [group])
        .unwrap();
    assert_eq!(queries.list().2, [[1, 4], [1, 5]]);

    let mut none = counting(8, &[]);
    none.sum(0, "len", [None], |_, [_, rank]| [rank], |_, _, _| 1, None)
        .unwrap();
    none.reorder(1, "rank", 0, true, |_, _| [], |[group], _| [group])
        .unwrap();
    assert_eq!((none.state.tables.at(0, &[0]), none.state.tables.at(1, &[0])), (0, 0));
}

#[test]
fn the_sizes_of_groups_of_vast_shapes_are_counted_by_parts() {
    let extent = 1 << 20;
    let mut triplets = Triplets::new([extent, extent, 3]);
    triplets.push([5, 9, 0], 1).unwrap();
    let mut queries = queries::<3, 1>(&triplets);
    let domains = [extent / 2, 4].map(|size| Some(Domain { lo: 0, size }));
    let absent = Absent {
        number: &|_, _| 1,
        involves: [&[0], &[1]],
    };
    queries
        .sum(
            0,
            "holes",
            domains,
            |[i, j, _], _| [i / 2, j % 4],
            |_, _, _| 0,
            Some(absent),
        )
        .unwrap();
    let all = 2 * (1 << 18) * 3;
    assert_eq!(queries.state.tables.at(0, &[7, 1]), all);
    assert_eq!(queries.state.tables.at(0, &[2, 1]), all - 1);

    // Diagonals need both dims at once: 2^40 coordinates.
    let domains = [Some(Domain {
        lo: 1 - extent as i64,
        size: 2 * extent,
    })];
    let absent = Absent {
        number: &|_, _| 1,
        involves: [&[0, 1]],
    };
    let error = queries
        .sum(0, "holes", domains, |[i, j, _], _| [j - i], |_, _, _| 0, Some(absent))
        .unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Limit, "query `holes`"));
}

#[test]
fn nothing_is_counted_for_no_groups() {
    let mut queries = queries::<2, 1>(&Triplets::new([0, 1 << 60]));
    let domains = [0, 1 << 60].map(|size| Some(Domain { lo: 0, size }));
    let absent = Absent {
        number: &|_, _| 1,
        involves: [&[0], &[1]],
    };
    queries
        .sum(0, "holes", domains, |at, _| at, |_, _, _| 0, Some(absent))
        .unwrap();
    assert_eq!(queries.state.tables.at(0, &[0, 0]), 0);
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut queries = counting(8, &[[0, 0], [0, 1], [1, 0]]);
    let sum = queries.sum(0, "len", rows(8), |[i, _], _| [i], |_, _, _| i64::MAX, None);
    assert_eq!(sum.unwrap_err().kind(), ErrorKind::Overflow);
    let absent = Absent {
        number: &|_, _| i64::MAX / 4,
        involves: [&[0]],
    };
    let sum = queries.sum(0, "len", rows(8), |[i, _], _| [i], |_, _, _| 0, Some(absent));
    assert_eq!(sum.unwrap_err().kind(), ErrorKind::Overflow);
    let numbers = queries.enumerate(0, "slot", [], |_, _| [], |[i, j], _| [i, j], |_, _, _| (0, i64::MAX));
    assert_eq!(numbers.unwrap_err().kind(), ErrorKind::Overflow);
    let slots = queries.slot(0, "time", usize::MAX, [], |_, _| [], |_, _| [], |_, _| []);
    assert_eq!(slots.unwrap_err().kind(), ErrorKind::Limit);
    let schedule = |queries: &mut Queries<i32, 2, 2>| {
        queries.sum(
            0,
            "len",
            rows(8),
            |[i, _], _| [i],
            |_, [i, _], _| [i64::MAX / 2, i64::MAX - 1][i as usize],
            None,
        )?;
        queries.schedule(1, "lane", 0, 1, |[i], _| [i])
    };
    assert_eq!(
        schedule(&mut counting(8, &[[0, 0], [1, 0]])).unwrap_err().subject(),
        "query `lane`"
    );
}

#[test]
fn duplicates_are_resolved_as_the_source_says() {
    let mut triplets = Triplets::new([2, 2]);
    for (at, value) in [([1, 0], 1), ([0, 1], 2), ([1, 0], 4), ([1, 1], 8)] {
        triplets.push(at, value).unwrap();
    }
    for (policy, value) in [(Duplicates::Sum, 5), (Duplicates::First, 1), (Duplicates::Last, 4)] {
        let queries = queries::<2, 0>(&triplets.clone().duplicates(policy));
        assert_eq!(
            queries.into_parts(),
            (vec![[0, 1], [1, 0], [1, 1]], vec![2, value, 8], vec![[]; 3])
        );
    }
    let error = queries_by_dims::<_, 2, 0>("Test", &triplets.duplicates(Duplicates::Reject))
        .err()
        .unwrap();
    assert_eq!(
        (error.kind(), error.found()),
        (ErrorKind::Duplicate, "coordinate [1, 0] twice")
    );
}
