//! Random formats, and their orders of all coordinates of a box.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::{encoding, level};
use crate::format::encoding::{Atom, Encoding, Form, Query, QueryKind};
use crate::format::order::{Relation, relate, relate_dims};

/// Shapes of small boxes of two or three dims.
const BOXES: [&[usize]; 3] = [&[6, 7], &[7, 5], &[4, 5, 3]];

fn leak<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

/// Generates random forms over `dims` dims and `queries` queries, with quotients up to `depth` deep.
fn forms(dims: usize, queries: usize, depth: usize) -> BoxedStrategy<Form> {
    let atom = (0..dims + queries).prop_map(move |at| match at.checked_sub(dims) {
        None => Atom::Dim(at),
        Some(query) => Atom::Query(query),
    });
    let atom = if depth == 0 {
        atom.boxed()
    } else {
        let quotient = (forms(dims, queries, depth - 1), 1..5_i64)
            .prop_map(|(form, divisor)| Atom::Quotient(Box::leak(Box::new(form)), divisor));
        prop_oneof![2 => atom, 3 => quotient].boxed()
    };
    let factor = prop_oneof![4 => Just(1_i64), 1 => Just(-1), 1 => Just(2), 1 => -3..4_i64];
    let sum = (prop::collection::vec((atom, factor), 1..3), -2..3_i64).prop_map(|(terms, constant)| Form {
        terms: leak(terms),
        constant,
    });
    // Remainders as formats write them: x - d * floor(x / d).
    let remainder = (0..dims, 2..5_i64).prop_map(|(dim, divisor)| {
        let dividend: &'static Form = Box::leak(Box::new(Form {
            terms: leak(vec![(Atom::Dim(dim), 1)]),
            constant: 0,
        }));
        Form {
            terms: leak(vec![(Atom::Dim(dim), 1), (Atom::Quotient(dividend, divisor), -divisor)]),
            constant: 0,
        }
    });
    let dim = (0..dims).prop_map(|dim| Form {
        terms: leak(vec![(Atom::Dim(dim), 1)]),
        constant: 0,
    });
    prop_oneof![2 => dim, 2 => sum, 1 => remainder].boxed()
}

/// A format and the tables of its queries, which hold a number for each value of the group or for each element.
#[derive(Debug, Clone)]
struct Random {
    encoding: Encoding,
    tables: Vec<Vec<i64>>,
}

/// Generates formats; if `complete`, all dims are appended as levels, so that no two elements are equal in all levels.
fn formats(dims: usize, complete: bool) -> impl Strategy<Value = Random> {
    (0..3_usize).prop_flat_map(move |queries| {
        let query = (0..4_usize, forms(dims, 0, 1), prop::collection::vec(0..4_i64, 64));
        let levels = prop::collection::vec(forms(dims, queries, 2), 1..4);
        let order = Just((0..dims).collect::<Vec<_>>()).prop_shuffle();
        (levels, prop::collection::vec(query, queries), order).prop_map(move |(mut levels, queries, order)| {
            if complete {
                levels.extend(order.iter().map(|&dim| Form {
                    terms: leak(vec![(Atom::Dim(dim), 1)]),
                    constant: 0,
                }));
            }
            let kinds = [QueryKind::Sum, QueryKind::Reorder, QueryKind::Schedule, QueryKind::Slot];
            let declared = queries.iter().map(|&(kind, group, _)| Query {
                name: "",
                text: "",
                kind: kinds[kind],
                groups: leak(vec![group]),
                traverse: &[],
                key: &[],
                distance: 0,
                first: None,
            });
            Random {
                encoding: Encoding {
                    dims: [&["i", "j"][..], &["i", "j", "k"]][dims - 2],
                    ..encoding(leak(levels.into_iter().map(level).collect()), leak(declared.collect()))
                },
                tables: queries.into_iter().map(|(.., table)| table).collect(),
            }
        })
    })
}

impl Random {
    fn evaluate(&self, form: &Form, coordinate: &[usize]) -> i64 {
        let term = |&(atom, factor): &(Atom, i64)| {
            factor
                * match atom {
                    Atom::Dim(dim) => coordinate[dim] as i64,
                    Atom::Query(number) => self.query(number, coordinate),
                    Atom::Quotient(form, divisor) => self.evaluate(form, coordinate).div_euclid(divisor),
                }
        };
        form.constant + form.terms.iter().map(term).sum::<i64>()
    }

    /// Evaluates a query: some function of the group, or of the element.
    fn query(&self, number: usize, coordinate: &[usize]) -> i64 {
        let query = &self.encoding.queries[number];
        let of = if query.kind == QueryKind::Slot {
            coordinate.iter().fold(0, |all, &at| all * 8 + at as i64)
        } else {
            self.evaluate(&query.groups[0], coordinate)
        };
        let table = &self.tables[number];
        table[of.rem_euclid(table.len() as i64) as usize]
    }

    fn levels(&self, coordinate: &[usize]) -> Vec<i64> {
        let levels = self.encoding.levels.iter();
        levels.map(|level| self.evaluate(&level.form, coordinate)).collect()
    }
}

fn coordinates(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |all, &extent| {
        let with = |coordinate: Vec<usize>| (0..extent).map(move |at| [&coordinate[..], &[at]].concat());
        all.into_iter().flat_map(with).collect()
    })
}

/// Computes the exact relation of the elements in this order to the first `depth` target levels.
fn measure(levels: &[Vec<i64>], depth: usize) -> Relation {
    let ascends = |from: usize, to: usize| {
        let mut last = std::collections::HashMap::new();
        levels.iter().all(|levels| {
            let before = last.insert(&levels[..from], &levels[from..to]);
            before.is_none_or(|before| before <= &levels[from..to])
        })
    };
    let implied = (0..=depth).rev().find(|&implied| ascends(0, implied)).unwrap();
    let sorted = (implied..=depth).find(|&sorted| ascends(sorted, depth)).unwrap();
    Relation { implied, sorted }
}

/// Checks that relations are always sound. Prints how often they are exact, and requires `implied` to be exact in 70 %.
#[test]
fn what_is_said_is_true() {
    let mut runner = TestRunner::new(Config {
        cases: 4000,
        max_shrink_iters: 2000,
        failure_persistence: None,
        ..Config::default()
    });
    let pairs = (0..BOXES.len()).prop_flat_map(|which| {
        let dims = BOXES[which].len();
        let sorted_by = prop::option::of(Just((0..dims).collect::<Vec<_>>()).prop_shuffle());
        (
            Just(BOXES[which]),
            formats(dims, true),
            formats(dims, false),
            sorted_by,
            0..4_usize,
            any::<u64>(),
        )
    });
    let exact = std::cell::RefCell::new([0; 4]);
    let checked = runner.run(&pairs, |(shape, source, target, sorted_by, given, seed)| {
        let mut elements = coordinates(shape);
        // Ties in any order.
        elements.sort_by_key(|coordinate| {
            coordinate
                .iter()
                .fold(seed, |all, &at| (all ^ at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        });
        let depth = target.encoding.levels.len();
        let said = match &sorted_by {
            None => {
                elements.sort_by_cached_key(|coordinate| source.levels(coordinate));
                relate(&source.encoding, &target.encoding, depth)
            }
            Some(dims) => {
                let dims = &dims[..given.min(dims.len())];
                elements.sort_by_key(|coordinate| dims.iter().map(|&dim| coordinate[dim]).collect::<Vec<_>>());
                relate_dims(dims, &target.encoding, depth)
            }
        };
        let levels: Vec<Vec<i64>> = elements.iter().map(|coordinate| target.levels(coordinate)).collect();
        let so = measure(&levels, depth);
        prop_assert!(said.implied <= said.sorted && said.sorted <= depth);
        prop_assert!(said.implied <= so.implied, "said {said:?}, so {so:?}");
        // Levels that ascend below a prefix also ascend below a longer one, so `sorted` may be more than needed.
        let mut last = std::collections::HashMap::new();
        for levels in &levels {
            let (prefix, rest) = levels.split_at(said.sorted);
            if let Some(before) = last.insert(prefix, rest) {
                prop_assert!(before <= rest, "said {said:?}, so {so:?}");
            }
        }
        let mut counts = exact.borrow_mut();
        counts[0] += 1;
        counts[1] += usize::from(said.implied == so.implied);
        counts[2] += usize::from(said == so);
        counts[3] += usize::from(so.implied > 0);
        Ok(())
    });
    let [all, implied, both, some] = exact.into_inner();
    println!("of {all} pairs: implied exact in {implied}, both in {both}; something implied in {some}");
    if let Err(error) = checked {
        panic!("{error}");
    }
    assert!(implied * 10 > all * 7, "{implied} of {all}");
}
