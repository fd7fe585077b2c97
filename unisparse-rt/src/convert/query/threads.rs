//! Queries on enough elements for several threads: the results do not depend on the number of threads.

use super::{Absent, Queries, Tables};
use crate::array::Domain;
use crate::convert::assemble::by_dims::queries_by_dims;
use crate::error::ErrorKind;
use crate::machine::parallel::PIECE;
use crate::source::Duplicates;
use crate::triplets::Triplets;

const EXTENT: usize = 5000;

fn below(size: usize) -> Option<Domain> {
    Some(Domain { lo: 0, size })
}

/// Creates elements in no particular order, with some duplicate coordinates.
fn elements(count: usize) -> Triplets<i32, 2> {
    let (mut triplets, mut state) = (Triplets::new([EXTENT, EXTENT]).duplicates(Duplicates::Last), 7u64);
    for number in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let at = [(state >> 20) as usize % EXTENT, (state >> 40) as usize % EXTENT];
        triplets.push(at, number as i32 % 5 - 2).unwrap();
    }
    triplets
}

/// Evaluates every function, over few, many and measured groups, with and without sorting.
fn evaluate(triplets: &Triplets<i32, 2>) -> Queries<'static, i32, 2, 11> {
    let mut queries = queries_by_dims("Test", triplets).unwrap();
    let one = |_, _, _| 1;
    let arm = |value: i32, [i, _]: [i64; 2], _| if value < 0 { (0, 1 + i) } else { (1, 0) };
    let missing = |[i]: [i64; 1], _: &Tables| i % 2;
    let absent = Absent {
        number: &missing,
        involves: [&[0]],
    };
    let numbers = |_, [i, j]: [i64; 2], _| i + 2 * j;
    queries
        .sum(0, "rows", [below(EXTENT)], |[i, _], _| [i], numbers, Some(absent))
        .unwrap();
    queries.sum(1, "cols", [None], |[_, j], _| [j], one, None).unwrap();
    queries
        .sum(2, "diagonals", [None, below(2)], |[i, j], _| [j - i, i % 2], one, None)
        .unwrap();
    // More groups than a full table may have, and nearly as many as elements.
    let wide = [below(EXTENT), below(EXTENT * EXTENT)];
    queries
        .sum(3, "wide", wide, |[i, j], _| [i / 2, j * EXTENT as i64], one, None)
        .unwrap();
    queries
        .reorder(4, "rank", 0, true, |[i], _| [i / 64], |[i], _| [-i])
        .unwrap();
    queries.schedule(5, "lane", 1, 7, |[j], _| [j % 10]).unwrap();
    queries
        .enumerate(6, "slot", [below(EXTENT)], |[i, _], _| [i], |[_, j], _| [j / 2], arm)
        .unwrap();
    queries
        .enumerate(7, "depth", [None], |_, results| [results[5]], |[_, j], _| [-j], arm)
        .unwrap();
    queries
        .slot(
            8,
            "time",
            3,
            [None],
            |[_, j], _| [j / 4],
            |[i, _], _| [i % 9],
            |at, _| at,
        )
        .unwrap();
    queries
        .slot(
            9,
            "turn",
            2,
            [below(1)],
            |_, _| [0],
            |[i, _], _| [i % 9],
            |[i, j], _| [j, i],
        )
        .unwrap();
    queries
        .slot(10, "place", 2, [None], |[i, _], _| [i], |at, _| at, |[_, j], _| [-j])
        .unwrap();
    queries
}

fn on<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(work)
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let triplets = elements(6 * PIECE);
    let groups = |queries: &Queries<i32, 2, 11>| {
        let sums = |group: i64| [0, 1, 4, 5].map(|query| queries.state.tables.at(query, &[group]));
        (0..EXTENT as i64).map(sums).collect::<Vec<_>>()
    };
    let expected = on(1, || evaluate(&triplets));
    // The elements span several pieces.
    assert!(expected.list().1.len() > 5 * PIECE);
    let (expected_groups, expected) = (groups(&expected), expected.into_parts());
    for threads in [2, 5] {
        let found = on(threads, || {
            assert_eq!(crate::machine::parallel::pieces(expected.1.len()), threads);
            evaluate(&triplets)
        });
        assert!(groups(&found) == expected_groups, "groups on {threads} threads");
        // Not `assert_eq`, which would print all of them.
        assert!(found.into_parts() == expected, "elements on {threads} threads");
    }
}

#[test]
fn numbers_of_a_group_go_on_from_piece_to_piece() {
    let triplets = elements(4 * PIECE);
    for (threads, width) in [(1, 1), (1, 2500), (2, 1), (2, 1700), (3, 4000), (3, EXTENT as i64)] {
        let mut queries = queries_by_dims::<_, 2, 1>("Test", &triplets).unwrap();
        let number = || {
            let key = |[i, j]: [i64; 2], _| [i, j / 2];
            queries.enumerate(
                0,
                "slot",
                [None],
                |[i, _], _| [i / width],
                key,
                |_, [i, _], _| (0, i % 3),
            )
        };
        on(threads, number).unwrap();
        let (coordinates, _, results) = queries.into_parts();
        let mut last = None;
        for ([i, j], [number]) in coordinates.into_iter().map(|at| at.map(|at| at as i64)).zip(results) {
            let (group, key) = (i / width, [i, j / 2]);
            let count = match last {
                Some((before, before_key, count)) if before == group => count + i64::from(before_key != key),
                _ => 0,
            };
            assert_eq!(
                number,
                i % 3 + count,
                "({i}, {j}), {threads} threads, groups of {width} rows"
            );
            last = Some((group, key, count));
        }
    }
}

#[test]
fn any_number_of_threads_refuses_the_same() {
    let mut triplets = elements(3 * PIECE);
    triplets.push([0, 3], 1).unwrap();
    triplets.push([EXTENT - 1, 3], 1).unwrap();
    let refused = |threads| {
        on(threads, || {
            let mut queries = queries_by_dims::<_, 2, 1>("Test", &triplets).unwrap();
            // The sum overflows only when the partial sums of both threads are added.
            let half = |_, [i, j]: [i64; 2], _| {
                let end = [i, j] == [0, 3] || [i, j] == [EXTENT as i64 - 1, 3];
                i64::from(end) * (i64::MAX / 2 + 1)
            };
            let sum = queries
                .sum(0, "len", [None], |_, _| [0], half, None)
                .map_err(|error| error.kind());
            // The limit is exceeded in every row, and the numbers overflow in the last rows.
            queries.limit(1 << 20);
            let first = queries.slot(0, "time", 1 << 16, [None], |[i, _], _| [i], |_, _| [0], |_, _| [0]);
            let huge = |_, [i, _]: [i64; 2], _| (0, if i < 4900 { 0 } else { i64::MAX });
            let last = queries.enumerate(0, "slot", [None], |[i, _], _| [i], |[_, j], _| [j], huge);
            let kinds = [first, last].map(|result| result.map_err(|error| error.kind()));
            (sum, kinds)
        })
    };
    let expected = refused(1);
    assert_eq!(expected.0, Err(ErrorKind::Overflow));
    assert_eq!(expected.1, [Err(ErrorKind::Limit), Err(ErrorKind::Overflow)]);
    assert_eq!([2, 5].map(refused), [expected; 2]);
}

#[test]
fn sums_fit_on_any_number_of_threads_if_their_totals_do() {
    let triplets = elements(4 * PIECE);
    let count = on(1, || {
        queries_by_dims::<_, 2, 1>("Test", &triplets).unwrap().list().1.len()
    });
    // The sum of about half of the elements fits, that of more does not: those before `border`, those after it, or those of one thread of two.
    let number = i64::MAX / (count as i64 * 47 / 100);
    for (border, sign) in [(2200, -1), (2200, 1), (2800, -1), (2800, 1)] {
        let summed = |threads| {
            let signed = |_, [i, _]: [i64; 2], _| if i < border { sign * number } else { -sign * number };
            on(threads, || {
                let mut queries = queries_by_dims::<_, 2, 1>("Test", &triplets).unwrap();
                queries.sum(0, "total", [None], |_, _| [0], signed, None).unwrap();
                queries.into_parts()
            })
        };
        let (coordinates, _, totals) = summed(1);
        let before = coordinates.iter().filter(|at| (at[0] as i64) < border).count() as i128;
        let total = i128::from(sign * number) * (2 * before - count as i128);
        assert!(
            totals.iter().all(|&[found]| i128::from(found) == total),
            "{border}, {sign}"
        );
        assert!(
            [2, 5].map(|threads| summed(threads).2 == totals) == [true; 2],
            "{border}, {sign}"
        );
    }
}
