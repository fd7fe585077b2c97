//! Const assertions on the relations of stock formats, and random formats checked against sorted boxes of coordinates.

mod oracle;

use super::{Relation, relate, relate_dims};
use crate::format::encoding::{Atom, Encoding, Form, LevelForm, Query, QueryKind};

/// Shorthand for a form without a constant.
const fn form(terms: &'static [(Atom, i64)]) -> Form {
    Form { terms, constant: 0 }
}

const fn level(form: Form) -> LevelForm {
    LevelForm {
        name: "",
        text: "",
        form,
        merged: false,
        trimmed: true,
    }
}

const fn encoding(levels: &'static [LevelForm], queries: &'static [Query]) -> Encoding {
    Encoding {
        name: "",
        dims: &["i", "j"],
        levels,
        queries,
        packs: &[],
        partition: None,
    }
}

macro_rules! levels {
    ($($terms:tt),*) => { &[$(level(form(&$terms))),*] };
}

const I: Atom = Atom::Dim(0);
const J: Atom = Atom::Dim(1);
const FI: Form = form(&[(I, 1)]);
const FJ: Form = form(&[(J, 1)]);

const CSR: Encoding = encoding(levels!([(I, 1)], [(J, 1)]), &[]);
const CSC: Encoding = encoding(levels!([(J, 1)], [(I, 1)]), &[]);
const DIA: Encoding = encoding(levels!([(J, 1), (I, -1)], [(I, 1)]), &[]);
const DIA_BY_COLUMN: Encoding = encoding(levels!([(J, 1), (I, -1)], [(J, 1)]), &[]);

/// Blocks of R by C.
const fn blocks<const R: i64, const C: i64>() -> Encoding {
    const {
        encoding(
            const {
                levels!(
                    [(Atom::Quotient(&FI, R), 1)],
                    [(Atom::Quotient(&FJ, C), 1)],
                    [(I, 1), (Atom::Quotient(&FI, R), -R)],
                    [(J, 1), (Atom::Quotient(&FJ, C), -C)]
                )
            },
            &[],
        )
    }
}

/// Rows distributed over B banks.
const fn banks<const B: i64>() -> Encoding {
    const {
        encoding(
            const {
                levels!(
                    [(I, 1), (Atom::Quotient(&FI, B), -B)],
                    [(Atom::Quotient(&FI, B), 1)],
                    [(J, 1)]
                )
            },
            &[],
        )
    }
}

const LEN: Query = Query {
    name: "len",
    text: "sum(value != 0 => 1, _ => 0).group_by(i)",
    kind: QueryKind::Sum,
    groups: &[FI],
    traverse: &[],
    key: &[],
    distance: 0,
    first: None,
};
const RANK: Query = Query {
    name: "rank",
    text: "reorder(len, descending).traverse_by(i)",
    kind: QueryKind::Reorder,
    groups: &[FI],
    traverse: &[FI],
    key: &[],
    distance: 0,
    first: None,
};
const SLOT: Query = Query {
    name: "slot",
    text: "enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j)",
    kind: QueryKind::Enumerate,
    groups: &[FI],
    traverse: &[FJ],
    key: &[],
    distance: 0,
    first: None,
};
const BANK: Query = Query {
    name: "bank",
    text: "schedule(len, BANKS).traverse_by(i)",
    kind: QueryKind::Schedule,
    groups: &[FI],
    traverse: &[FI],
    key: &[],
    distance: 0,
    first: None,
};

const CISR: Encoding = encoding(levels!([(Atom::Query(1), 1)], [(I, 1)], [(J, 1)]), &[LEN, BANK]);
const ELL: Encoding = encoding(levels!([(Atom::Query(1), 1)], [(I, 1)], [(J, 1)]), &[LEN, SLOT]);
const JDS: Encoding = encoding(
    levels!([(Atom::Query(2), 1)], [(Atom::Query(1), 1)], [(I, 1)], [(J, 1)]),
    &[LEN, RANK, SLOT],
);
/// Rows by rank: Jds without its slots.
const RANKED: Encoding = encoding(levels!([(Atom::Query(1), 1)], [(I, 1)], [(J, 1)]), &[LEN, RANK]);

const fn is(relation: Relation, implied: usize, sorted: usize) -> bool {
    relation.implied == implied && relation.sorted == sorted
}

const ALL: usize = usize::MAX;

// Rows, columns and diagonals.
const _: () = assert!(is(relate(&CSR, &CSR, ALL), 2, 2));
const _: () = assert!(is(relate(&CSR, &CSC, ALL), 0, 1));
const _: () = assert!(is(relate(&CSC, &CSR, 1), 0, 1));
const _: () = assert!(is(relate(&CSR, &DIA, ALL), 0, 1));
const _: () = assert!(is(relate(&CSR, &DIA_BY_COLUMN, ALL), 0, 1));
const _: () = assert!(is(relate(&CSC, &DIA, ALL), 0, 1));
const _: () = assert!(is(relate(&DIA, &DIA_BY_COLUMN, ALL), 2, 2));
const _: () = assert!(is(relate(&DIA, &CSR, ALL), 0, 1));
const _: () = assert!(is(relate(&DIA, &CSC, ALL), 0, 2));
// Blocks.
const _: () = assert!(is(relate(&CSR, &blocks::<2, 2>(), 2), 1, 2));
const _: () = assert!(is(relate(&CSR, &blocks::<2, 2>(), 4), 1, 2));
const _: () = assert!(is(relate(&CSR, &blocks::<64, 64>(), 4), 1, 2));
const _: () = assert!(is(relate(&CSC, &blocks::<2, 2>(), 2), 0, 1));
const _: () = assert!(is(relate(&CSC, &blocks::<2, 2>(), 4), 0, 3));
const _: () = assert!(is(relate(&blocks::<2, 2>(), &CSR, ALL), 0, 1));
const _: () = assert!(is(relate(&blocks::<2, 2>(), &CSC, ALL), 0, 1));
const _: () = assert!(is(relate(&blocks::<2, 3>(), &blocks::<2, 3>(), ALL), 4, 4));
const _: () = assert!(is(relate(&blocks::<4, 6>(), &blocks::<2, 3>(), 1), 0, 1));
const _: () = assert!(is(relate(&blocks::<2, 3>(), &blocks::<4, 6>(), 2), 1, 2));
// Blocks of one element, and of one row.
const _: () = assert!(is(relate(&CSR, &blocks::<1, 1>(), ALL), 4, 4));
const _: () = assert!(is(relate(&blocks::<1, 1>(), &CSR, ALL), 2, 2));
const _: () = assert!(is(relate(&CSR, &blocks::<1, 8>(), ALL), 4, 4));
const _: () = assert!(is(relate(&blocks::<1, 8>(), &CSR, ALL), 2, 2));
// Banks.
const _: () = assert!(is(relate(&banks::<2>(), &CSR, ALL), 0, 1));
const _: () = assert!(is(relate(&CSR, &banks::<2>(), ALL), 0, 1));
const _: () = assert!(is(relate(&banks::<4>(), &banks::<2>(), ALL), 0, 2));
const _: () = assert!(is(relate(&banks::<2>(), &banks::<4>(), ALL), 0, 1));
const _: () = assert!(is(relate(&CSC, &banks::<2>(), ALL), 0, 2));
// Queries: known to be functions of their groups, unrelated to each other.
const _: () = assert!(is(relate(&CSR, &CISR, ALL), 0, 1));
const _: () = assert!(is(relate(&CISR, &CSR, ALL), 0, 1));
const _: () = assert!(is(relate(&CISR, &RANKED, ALL), 0, 2));
const _: () = assert!(is(relate(&CSR, &RANKED, ALL), 0, 1));
const _: () = assert!(is(relate(&CSR, &ELL, ALL), 0, 1));
const _: () = assert!(is(relate(&CSR, &JDS, ALL), 0, 2));
const _: () = assert!(is(relate(&ELL, &CSR, ALL), 0, 2));
// Orders by dims, some of which are omitted.
const _: () = assert!(is(relate_dims(&[0, 1], &CSR, ALL), 2, 2));
const _: () = assert!(is(relate_dims(&[1, 0], &CSR, ALL), 0, 1));
const _: () = assert!(is(relate_dims(&[0], &CSR, ALL), 1, 2));
const _: () = assert!(is(relate_dims(&[1], &CSC, ALL), 1, 2));
const _: () = assert!(is(relate_dims(&[], &CSC, ALL), 0, 2));
const _: () = assert!(is(relate_dims(&[0, 1], &blocks::<2, 2>(), 4), 1, 2));

/// Factors so large that their products overflow: nothing is known, and nothing overflows.
#[test]
fn forms_that_do_not_fit_are_unknown() {
    const LARGE: i64 = i64::MAX - 1;
    const STEEP: Encoding = encoding(levels!([(I, LARGE), (J, 3)], [(I, 3), (J, LARGE)]), &[]);
    const STEEPER: Encoding = encoding(levels!([(I, i64::MIN), (J, 3)], [(I, i64::MIN + 1), (J, LARGE)]), &[]);
    const PAIRS: [Relation; 3] = [
        relate(&STEEP, &STEEPER, ALL),
        relate(&STEEPER, &STEEP, ALL),
        relate(&STEEP, &STEEP, ALL),
    ];
    for relation in PAIRS {
        assert!(
            relation.sorted >= relation.implied && relation.sorted <= 2,
            "{relation:?}"
        );
    }
}

/// More unknowns than `ATOMS`.
#[test]
fn too_many_atoms_are_unknown() {
    let levels: Vec<LevelForm> = (2..40)
        .map(|divisor| {
            let terms = vec![(Atom::Quotient(&FI, divisor), 1)];
            level(form(Box::leak(terms.into_boxed_slice())))
        })
        .collect();
    let many = encoding(Box::leak(levels.into_boxed_slice()), &[]);
    assert_eq!(relate(&CSR, &many, 3), Relation { implied: 3, sorted: 3 });
    let all = many.levels.len();
    assert_eq!(relate(&CSR, &many, all), Relation::unknown(all));
    assert_eq!(relate(&many, &CSR, 2), Relation::unknown(2));
}

/// Every order of three dims against every other.
#[test]
fn permutations_of_three_dims() {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let of = |order: [usize; 3]| {
        let levels = order.map(|dim| level(form(Box::leak(vec![(Atom::Dim(dim), 1)].into_boxed_slice()))));
        Encoding {
            dims: &["i", "j", "k"],
            ..encoding(Box::leak(levels.to_vec().into_boxed_slice()), &[])
        }
    };
    for source in orders {
        for target in orders {
            let relation = relate(&of(source), &of(target), ALL);
            assert_eq!(relation, relate_dims(&source, &of(target), ALL));
            let implied = (0..3).take_while(|&at| source[at] == target[at]).count();
            // After removing the first `given` levels of the target from the source, the remaining dims are in target order.
            let rest = |given: usize| {
                source
                    .iter()
                    .filter(|dim| !target[..given].contains(dim))
                    .eq(&target[given..])
            };
            let implied = if implied == 2 { 3 } else { implied };
            let sorted = (implied..=3).find(|&given| rest(given)).unwrap();
            assert_eq!(relation, Relation { implied, sorted }, "{source:?} {target:?}");
        }
    }
}
