//! The formats: their index maps and queries, and the queries once more in the plainest way.

use std::collections::{BTreeMap, BTreeSet};

use super::{Format, INDEXED, QUERIES, SlotClauses, below, enumeration, form, invariant, level, level_form};
use crate::array::Domain;
use crate::convert::query::{Absent, Queries};
use crate::error::Error;
use crate::format::{Atom, Kind, Level, LevelForm, Query};

type Evaluated<'s> = Queries<'s, f64, 2, QUERIES>;

pub(super) const I: Atom = Atom::Dim(0);
pub(super) const J: Atom = Atom::Dim(1);
const SLOT: Atom = Atom::Query(2);
const BROW: Atom = Atom::Quotient(&form(&[(I, 1)]), 2);
const BCOL: Atom = Atom::Quotient(&form(&[(J, 1)]), 2);
/// A query that no level needs.
const UNUSED: Query = enumeration(&[], &[]);

const COUNTED: Kind = Kind::Counted { pointed: false };
const POINTED: Kind = Kind::Counted { pointed: true };

/// `len = sum(value != 0 => 1, _ => 0).group_by(i)` as query 0.
fn lengths([rows, _]: [i64; 2], queries: &mut Evaluated<'_>) -> Result<(), Error> {
    queries.sum(
        0,
        "len",
        [Some(below(rows))],
        |[i, _], _| [i],
        |_, _, _| 1,
        None::<Absent<'_, 1>>,
    )
}

/// `rank = reorder(len, ..).group_by(i / sigma).traverse_by(i)` as query 1.
fn ranks(queries: &mut Evaluated<'_>, descending: bool, sigma: i64) -> Result<(), Error> {
    queries.reorder::<1, 1, 1>(1, "rank", 0, descending, |[i], _| [i.div_euclid(sigma)], |[i], _| [i])
}

/// `slot = enumerate(value == 0 => .., _ => 0).group_by(i / size).traverse_by(j / size)` as query 2.
fn slots([rows, _]: [i64; 2], queries: &mut Evaluated<'_>, size: i64) -> Result<(), Error> {
    let groups = [Some(below(rows))];
    queries.enumerate(
        2,
        "slot",
        groups,
        |[i, _], _| [i / size],
        |[_, j], _| [j / size],
        |_, _, _| (1, 0),
    )
}

fn naive_length(coordinates: &[[usize; 2]], row: usize) -> i64 {
    coordinates.iter().filter(|at| at[0] == row).count() as i64
}

fn naive_rank(coordinates: &[[usize; 2]], rows: usize, row: usize, descending: bool, sigma: usize) -> i64 {
    let sign = if descending { -1 } else { 1 };
    let key = |row: usize| (sign * naive_length(coordinates, row), row);
    let others = (0..rows).filter(|other| other / sigma == row / sigma);
    others.filter(|&other| key(other) < key(row)).count() as i64
}

fn naive_slot(coordinates: &[[usize; 2]], [i, j]: [usize; 2], size: usize) -> i64 {
    let before = coordinates
        .iter()
        .filter(|at| at[0] / size == i / size && at[1] / size < j / size);
    before.map(|at| at[1] / size).collect::<BTreeSet<_>>().len() as i64
}

/// Lengths, ranks and slots of all elements.
fn naive_all([rows, _]: [usize; 2], coordinates: &[[usize; 2]], descending: bool, sigma: usize) -> Vec<Vec<i64>> {
    let results = |&at: &[usize; 2]| {
        let rank = naive_rank(coordinates, rows, at[0], descending, sigma);
        vec![naive_length(coordinates, at[0]), rank, naive_slot(coordinates, at, 1)]
    };
    coordinates.iter().map(results).collect()
}

/// `(slot, row: i, col: j)`, `slot` merged and trimmed.
#[derive(Clone)]
pub(super) struct Ell;

impl Format<3> for Ell {
    const NAME: &'static str = "Ell";
    const HOLES: bool = true;
    const LEVELS: [Level; 3] = [
        level("slot", "", COUNTED, true),
        level("row", "slot", Kind::Dense, false),
        level("col", "row", Kind::Aligned, false),
    ];
    fn domains([rows, cols]: [i64; 2], sizes: &[usize; 3]) -> [Domain; 3] {
        [below(sizes[0] as i64), below(rows), below(cols)]
    }
    fn evaluate(shape: [i64; 2], queries: &mut Evaluated<'_>) -> Result<(), Error> {
        slots(shape, queries, 1)
    }
    const FORMS: &'static [LevelForm] = &[level_form(&[(SLOT, 1)]), level_form(&[(I, 1)]), level_form(&[(J, 1)])];
    const NUMBERS: &'static [Query] = &[UNUSED, UNUSED, enumeration(&[form(&[(I, 1)])], &[form(&[(J, 1)])])];
    const SLOTS: Option<SlotClauses> = Some(|[i, j]| ([i], [j]));
    fn encode([i, j]: [i64; 2], queries: &[i64]) -> [i64; 3] {
        [queries[2], i, j]
    }
    fn decode(&[_, row, col]: &[i64; 3]) -> Option<[i64; 2]> {
        Some([row, col])
    }
    fn naive(_: [usize; 2], coordinates: &[[usize; 2]]) -> Vec<Vec<i64>> {
        coordinates
            .iter()
            .map(|&at| vec![0, 0, naive_slot(coordinates, at, 1)])
            .collect()
    }
}

/// `(window: i / 4, chunk: rank / 2, slot, lane: rank % 2, row: i, col: j)`, `slot` trimmed, all above merged.
#[derive(Clone)]
pub(super) struct Sell;

impl Format<6> for Sell {
    const NAME: &'static str = "Sell";
    const HOLES: bool = true;
    const LEVELS: [Level; 6] = [
        level("window", "", Kind::Dense, false),
        level("chunk", "window", Kind::Dense, true),
        level("slot", "chunk", POINTED, true),
        level("lane", "slot", Kind::Dense, false),
        invariant("row", "lane", &[2]),
        level("col", "lane", Kind::Aligned, false),
    ];
    fn domains([rows, cols]: [i64; 2], sizes: &[usize; 6]) -> [Domain; 6] {
        let chunk = below(sizes[1] as i64);
        [
            below((rows + 3) / 4),
            chunk,
            Domain::open(false),
            below(2),
            below(rows),
            below(cols),
        ]
    }
    fn evaluate(shape: [i64; 2], queries: &mut Evaluated<'_>) -> Result<(), Error> {
        lengths(shape, queries)?;
        ranks(queries, true, 4)?;
        slots(shape, queries, 1)
    }
    fn encode([i, j]: [i64; 2], queries: &[i64]) -> [i64; 6] {
        [i / 4, queries[1] / 2, queries[2], queries[1] % 2, i, j]
    }
    fn decode(&[window, _, _, _, row, col]: &[i64; 6]) -> Option<[i64; 2]> {
        (window == row / 4).then_some([row, col])
    }
    fn naive(shape: [usize; 2], coordinates: &[[usize; 2]]) -> Vec<Vec<i64>> {
        naive_all(shape, coordinates, true, 4)
    }
}

/// `(slot, rank, row: i, col: j)`, `slot` merged, both trimmed.
#[derive(Clone)]
pub(super) struct Jds;

impl Format<4> for Jds {
    const NAME: &'static str = "Jds";
    const HOLES: bool = false;
    const LEVELS: [Level; 4] = [
        level("slot", "", COUNTED, true),
        level("rank", "slot", POINTED, true),
        invariant("row", "rank", &[0]),
        level("col", "rank", Kind::Aligned, false),
    ];
    fn domains([rows, cols]: [i64; 2], sizes: &[usize; 4]) -> [Domain; 4] {
        [below(sizes[0] as i64), Domain::open(false), below(rows), below(cols)]
    }
    fn evaluate(shape: [i64; 2], queries: &mut Evaluated<'_>) -> Result<(), Error> {
        lengths(shape, queries)?;
        ranks(queries, true, i64::MAX)?;
        slots(shape, queries, 1)
    }
    fn encode([i, j]: [i64; 2], queries: &[i64]) -> [i64; 4] {
        [queries[2], queries[1], i, j]
    }
    fn decode(&[_, _, row, col]: &[i64; 4]) -> Option<[i64; 2]> {
        Some([row, col])
    }
    fn naive(shape: [usize; 2], coordinates: &[[usize; 2]]) -> Vec<Vec<i64>> {
        naive_all(shape, coordinates, true, usize::MAX)
    }
}

/// `(window: j / 4, slot, pe: i / 2 % 2, pair: i / 2 / 2, half: i % 2, col: j % 4)`, `slot` padded.
#[derive(Clone)]
pub(super) struct Serpens;

impl Format<6> for Serpens {
    const NAME: &'static str = "Serpens";
    const HOLES: bool = true;
    const LEVELS: [Level; 6] = [
        level("window", "", Kind::Dense, false),
        level("slot", "window", POINTED, true),
        level("pe", "slot", Kind::Dense, false),
        level("pair", "pe", Kind::Aligned, false),
        level("half", "pe", Kind::Aligned, false),
        level("col", "pe", Kind::Aligned, false),
    ];
    fn domains([rows, cols]: [i64; 2], _: &[usize; 6]) -> [Domain; 6] {
        let (window, pair) = (below((cols + 3) / 4), below((rows + 3) / 4));
        [window, Domain::open(false), below(2), pair, below(2), below(4)]
    }
    fn evaluate([_, cols]: [i64; 2], queries: &mut Evaluated<'_>) -> Result<(), Error> {
        let groups = [Some(below((cols + 3) / 4)), Some(below(2))];
        let group = |[i, j]: [i64; 2], _| [j / 4, i / 2 % 2];
        queries.slot(0, "slot", 3, groups, group, |[i, _], _| [i / 4], |[i, j], _| [j, i])
    }
    fn encode([i, j]: [i64; 2], queries: &[i64]) -> [i64; 6] {
        [j / 4, queries[0], i / 2 % 2, i / 4, i % 2, j % 4]
    }
    fn decode(&[window, _, pe, pair, half, col]: &[i64; 6]) -> Option<[i64; 2]> {
        Some([pair * 4 + pe * 2 + half, window * 4 + col])
    }
    fn naive(_: [usize; 2], coordinates: &[[usize; 2]]) -> Vec<Vec<i64>> {
        let mut order: Vec<usize> = (0..coordinates.len()).collect();
        order.sort_by_key(|&at| [coordinates[at][1], coordinates[at][0]]);
        let mut taken = BTreeSet::new();
        let mut next = BTreeMap::new();
        let mut results = vec![Vec::new(); order.len()];
        for at in order {
            let [i, j] = coordinates[at];
            let (group, key) = ([j / 4, i / 2 % 2], i / 4);
            let from = next.get(&(group, key)).copied().unwrap_or(0);
            let slot = (from..).find(|&slot| taken.insert((group, slot))).unwrap();
            next.insert((group, key), slot + 3);
            results[at] = vec![slot, 0, 0];
        }
        results
    }
}

/// `(slot, brow: i / 2, bcol: j / 2, r: i % 2, c: j % 2)`, `slot` trimmed.
#[derive(Clone)]
pub(super) struct Bell;

impl Format<5> for Bell {
    const NAME: &'static str = "Bell";
    const HOLES: bool = true;
    const LEVELS: [Level; 5] = [
        level("slot", "", COUNTED, true),
        level("brow", "slot", Kind::Dense, false),
        level("bcol", "brow", Kind::Aligned, false),
        level("r", "brow", Kind::Dense, false),
        level("c", "r", Kind::Dense, false),
    ];
    fn domains([rows, cols]: [i64; 2], sizes: &[usize; 5]) -> [Domain; 5] {
        [
            below(sizes[0] as i64),
            below((rows + 1) / 2),
            below((cols + 1) / 2),
            below(2),
            below(2),
        ]
    }
    fn evaluate(shape: [i64; 2], queries: &mut Evaluated<'_>) -> Result<(), Error> {
        slots(shape, queries, 2)
    }
    const FORMS: &'static [LevelForm] = &[
        level_form(&[(SLOT, 1)]),
        level_form(&[(BROW, 1)]),
        level_form(&[(BCOL, 1)]),
        level_form(&[(I, 1), (BROW, -2)]),
        level_form(&[(J, 1), (BCOL, -2)]),
    ];
    const NUMBERS: &'static [Query] = &[
        UNUSED,
        UNUSED,
        enumeration(&[form(&[(BROW, 1)])], &[form(&[(BCOL, 1)])]),
    ];
    const SLOTS: Option<SlotClauses> = Some(|[i, j]| ([i / 2], [j / 2]));
    fn encode([i, j]: [i64; 2], queries: &[i64]) -> [i64; 5] {
        [queries[2], i / 2, j / 2, i % 2, j % 2]
    }
    fn decode(&[_, brow, bcol, r, c]: &[i64; 5]) -> Option<[i64; 2]> {
        Some([brow * 2 + r, bcol * 2 + c])
    }
    fn naive(_: [usize; 2], coordinates: &[[usize; 2]]) -> Vec<Vec<i64>> {
        coordinates
            .iter()
            .map(|&at| vec![0, 0, naive_slot(coordinates, at, 2)])
            .collect()
    }
}

/// `(rank, row: i, col: j)`: an aligned level inside a chain of entries.
macro_rules! ranked {
    ($format:ident, $name:literal, descending: $descending:literal, full: $full:literal) => {
        #[derive(Clone)]
        pub(super) struct $format;

        impl Format<3> for $format {
            const NAME: &'static str = $name;
            const HOLES: bool = $full;
            const LEVELS: [Level; 3] = [
                level(
                    "rank",
                    "",
                    Kind::Indexed {
                        pointed: false,
                        copied: true,
                        full: $full,
                    },
                    true,
                ),
                level("row", "rank", Kind::Aligned, false),
                level("col", "rank", INDEXED, false),
            ];
            fn domains([rows, cols]: [i64; 2], _: &[usize; 3]) -> [Domain; 3] {
                [Domain::open(false), below(rows), below(cols)]
            }
            fn evaluate(shape: [i64; 2], queries: &mut Evaluated<'_>) -> Result<(), Error> {
                lengths(shape, queries)?;
                ranks(queries, $descending, i64::MAX)
            }
            fn encode([i, j]: [i64; 2], queries: &[i64]) -> [i64; 3] {
                [queries[1], i, j]
            }
            fn decode(&[_, row, col]: &[i64; 3]) -> Option<[i64; 2]> {
                Some([row, col])
            }
            fn naive(shape: [usize; 2], coordinates: &[[usize; 2]]) -> Vec<Vec<i64>> {
                naive_all(shape, coordinates, $descending, usize::MAX)
            }
        }
    };
}

ranked!(Ranked, "Ranked", descending: true, full: false);
// Rows without elements come first here: their ranks are holes.
ranked!(RankedFull, "RankedFull", descending: false, full: true);

/// `(total, len, row: i, col: j)` with `total` of all elements: aligned at the root, above a measured dense level.
#[derive(Clone)]
pub(super) struct Total;

impl Format<4> for Total {
    const NAME: &'static str = "Total";
    const HOLES: bool = false;
    const LEVELS: [Level; 4] = [
        level("total", "", Kind::Aligned, true),
        level("len", "", Kind::Dense, true),
        level(
            "row",
            "len",
            Kind::Indexed {
                pointed: true,
                copied: true,
                full: false,
            },
            false,
        ),
        level("col", "row", INDEXED, false),
    ];
    fn domains([rows, cols]: [i64; 2], sizes: &[usize; 4]) -> [Domain; 4] {
        [Domain::open(false), below(sizes[1] as i64), below(rows), below(cols)]
    }
    fn evaluate(shape: [i64; 2], queries: &mut Evaluated<'_>) -> Result<(), Error> {
        lengths(shape, queries)?;
        queries.sum(1, "total", [], |_, _| [], |_, _, _| 1, None::<Absent<'_, 0>>)
    }
    fn encode([i, j]: [i64; 2], queries: &[i64]) -> [i64; 4] {
        [queries[1], queries[0], i, j]
    }
    fn decode(&[_, _, row, col]: &[i64; 4]) -> Option<[i64; 2]> {
        Some([row, col])
    }
    fn naive(_: [usize; 2], coordinates: &[[usize; 2]]) -> Vec<Vec<i64>> {
        let results = |&[i, _]: &[usize; 2]| vec![naive_length(coordinates, i), coordinates.len() as i64];
        coordinates.iter().map(results).collect()
    }
}

/// `(row: i, short: 2 - len, col: j)`: a measured level that can be negative, aligned below a dense one.
#[derive(Clone)]
pub(super) struct Signed;

impl Format<3> for Signed {
    const NAME: &'static str = "Signed";
    const HOLES: bool = false;
    const LEVELS: [Level; 3] = [
        level("row", "", Kind::Dense, false),
        level("short", "row", Kind::Aligned, true),
        level(
            "col",
            "row",
            Kind::Indexed {
                pointed: true,
                copied: false,
                full: false,
            },
            false,
        ),
    ];
    fn domains([rows, cols]: [i64; 2], _: &[usize; 3]) -> [Domain; 3] {
        [below(rows), Domain::open(true), below(cols)]
    }
    fn evaluate(shape: [i64; 2], queries: &mut Evaluated<'_>) -> Result<(), Error> {
        lengths(shape, queries)
    }
    fn encode([i, j]: [i64; 2], queries: &[i64]) -> [i64; 3] {
        [i, 2 - queries[0], j]
    }
    fn decode(&[row, _, col]: &[i64; 3]) -> Option<[i64; 2]> {
        Some([row, col])
    }
    fn naive(shape: [usize; 2], coordinates: &[[usize; 2]]) -> Vec<Vec<i64>> {
        naive_all(shape, coordinates, true, usize::MAX)
    }
}
