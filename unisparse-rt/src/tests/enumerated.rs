//! Elements that are numbered while they are visited, against the same elements numbered by a query.

use std::ops::Range;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use proptest::prelude::*;

use super::formats::{Bell, Ell, I, J};
use super::{Format, Tensor, level_form};
use crate::array::IndexArray;
use crate::convert::assemble::Assembly;
use crate::convert::assemble::enumerated::is_known;
use crate::error::ErrorKind;
use crate::format::{Encoding, Order};
use crate::limit::Limit;
use crate::machine::parallel::PIECE;
use crate::source::{Elements, Source};
use crate::triplets::Triplets;

fn on<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(work)
}

fn is_enumerated<S: Format<M>, const M: usize>(source: &impl Source<2, Scalar = f64>) -> bool {
    let slots = S::SLOTS.unwrap();
    let levels = Assembly::<Tensor<S, M>, _, 2, M>::enumerated(source, Limit::none(), slots, |slot| [0, 0, slot]);
    levels.unwrap().is_some()
}

/// Asserts that both ways give the same arrays.
fn agree<S: Format<M>, const M: usize>(source: &impl Source<2, Scalar = f64>) {
    let found: Tensor<S, M> = source.convert_within(Limit::none()).unwrap();
    let expected = Tensor::<S, M>::assemble_with_queries(source, Limit::none()).unwrap();
    assert_eq!((found.shape, found.sizes), (expected.shape, expected.sizes));
    for (found, expected) in found.idx.iter().zip(&expected.idx) {
        let all = |array: &crate::array::Indices<i32>| (0..array.len()).map(|at| array.at(at)).collect::<Vec<_>>();
        // Not `assert_eq`, which would print all of them.
        assert!(found.as_ref().map(all) == expected.as_ref().map(all));
    }
    assert!(found.values == expected.values);
}

proptest! {
    #[test]
    fn elements_in_order_are_enumerated(
        rows in 1usize..20,
        cols in 1usize..20,
        cells in proptest::collection::btree_set((0usize..20, 0usize..20), 0..80),
        flipped in proptest::option::of(0usize..80),
    ) {
        let cells = cells.into_iter().filter(|&(i, j)| i < rows && j < cols);
        let mut cells: Vec<([usize; 2], f64)> = cells.zip(1..).map(|((i, j), value)| ([i, j], f64::from(value))).collect();
        let sorted = Triplets::try_from_triplets([rows, cols], cells.iter().copied()).unwrap();
        prop_assert!(is_enumerated::<Ell, 3>(&sorted));
        agree::<Ell, 3>(&sorted);
        agree::<Bell, 5>(&sorted);
        // By columns, and with two neighbours exchanged.
        cells.sort_by_key(|&([i, j], _)| [j, i]);
        agree::<Ell, 3>(&Triplets::try_from_triplets([rows, cols], cells.iter().copied()).unwrap());
        cells.sort_by_key(|&(at, _)| at);
        if let Some(at) = flipped.filter(|at| at + 1 < cells.len()) {
            cells.swap(at, at + 1);
            let flipped = Triplets::try_from_triplets([rows, cols], cells).unwrap();
            prop_assert!(!is_enumerated::<Ell, 3>(&flipped));
            agree::<Ell, 3>(&flipped);
        }
    }
}

#[test]
fn groups_go_on_from_piece_to_piece() {
    let count = 3 * PIECE;
    // Short rows; rows that are longer than a piece; one row.
    for width in [7, PIECE + 999, count] {
        let cells = (0..count).map(|at| ([at / width, at % width], at as f64));
        let triplets = Triplets::try_from_triplets([count.div_ceil(width), width], cells).unwrap();
        on(3, || {
            assert!(is_enumerated::<Ell, 3>(&triplets));
            agree::<Ell, 3>(&triplets);
        });
    }
}

/// Elements by rows that are cut at these places, whatever the number of pieces; the type says that they come by rows if it is `KNOWN`.
struct Cut<const KNOWN: bool> {
    shape: [usize; 2],
    cells: Vec<([usize; 2], f64)>,
    borders: Vec<usize>,
}

/// The order of the elements of [`Cut`].
const BY_ROWS: Encoding = Encoding {
    name: "Cut",
    dims: &["i", "j"],
    levels: &[level_form(&[(I, 1)]), level_form(&[(J, 1)])],
    queries: &[],
    packs: &[],
    partition: None,
};

impl<const KNOWN: bool> Source<2> for Cut<KNOWN> {
    type Scalar = f64;
    const ORDER: Order = if KNOWN { Order::By(&BY_ROWS) } else { Order::Unknown };
    fn shape(&self) -> [usize; 2] {
        self.shape
    }
    fn count(&self) -> usize {
        self.cells.len()
    }
    fn sorted_by(&self) -> Option<([usize; 2], bool)> {
        Some(([0, 1], true))
    }
    fn for_each(&self, visit: impl FnMut([usize; 2], f64)) {
        self.for_each_between(0..self.cells.len(), visit);
    }
    fn borders(&self, _: usize) -> Vec<usize> {
        self.borders.clone()
    }
    fn for_each_between(&self, piece: Range<usize>, mut visit: impl FnMut([usize; 2], f64)) {
        self.cells[piece].iter().for_each(|&(at, value)| visit(at, value));
    }
}

proptest! {
    #[test]
    fn pieces_may_be_cut_anywhere(
        cells in proptest::collection::btree_set((0usize..4, 0usize..9), 0..40),
        cuts in proptest::collection::vec(0usize..40, 0..6),
    ) {
        let cells: Vec<([usize; 2], f64)> = cells.into_iter().zip(1..).map(|((i, j), value)| ([i, j], f64::from(value))).collect();
        let mut borders: Vec<usize> = cuts.into_iter().map(|cut| cut.min(cells.len())).collect();
        borders.extend([0, cells.len()]);
        borders.sort_unstable();
        let cut = Cut::<false> { shape: [4, 9], cells: cells.clone(), borders: borders.clone() };
        prop_assert!(is_enumerated::<Ell, 3>(&cut));
        agree::<Ell, 3>(&cut);
        agree::<Bell, 5>(&cut);
        let cut = Cut::<true> { shape: [4, 9], cells, borders };
        prop_assert!(is_enumerated::<Ell, 3>(&cut));
        agree::<Ell, 3>(&cut);
        agree::<Bell, 5>(&cut);
    }
}

#[test]
fn an_order_is_known_if_its_levels_are_the_fields_of_the_enumeration() {
    const fn is_known_for<S: Format<M>, const M: usize, const KNOWN: bool>() -> bool {
        is_known::<Tensor<S, M>, Cut<KNOWN>, 2, M>()
    }
    const { assert!(is_known_for::<Ell, 3, true>()) };
    const { assert!(!is_known_for::<Ell, 3, false>()) };
    // Several elements of a row have one place.
    const { assert!(!is_known_for::<Bell, 5, true>()) };
}

#[test]
fn a_number_that_does_not_fit_is_left_to_the_queries() {
    let triplets = Triplets::try_from_triplets([1, 2], [([0, 0], 1.0), ([0, 1], 2.0)]).unwrap();
    let huge = |slot: i64| [0, 0, slot.saturating_add(i64::MAX - 1)];
    let slots = Ell::SLOTS.unwrap();
    let levels = Assembly::<Tensor<Ell, 3>, _, 2, 3>::enumerated(&triplets, Limit::none(), slots, huge);
    assert!(levels.unwrap().is_none());
}

/// A source that gives a coordinate outside the shape after some visits.
struct Changing {
    left: AtomicUsize,
}

impl Source<2> for Changing {
    type Scalar = f64;
    fn shape(&self) -> [usize; 2] {
        [2, 3]
    }
    fn count(&self) -> usize {
        1
    }
    fn sorted_by(&self) -> Option<([usize; 2], bool)> {
        Some(([0, 1], true))
    }
    fn for_each(&self, mut visit: impl FnMut([usize; 2], f64)) {
        let inside = self
            .left
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
            .is_ok();
        visit([1, if inside { 2 } else { 7 }], 1.0);
    }
}

#[test]
fn an_element_outside_the_shape_is_refused() {
    let outside = Changing {
        left: AtomicUsize::new(0),
    };
    let found = outside.convert::<Tensor<Ell, 3>>();
    assert_eq!(found.map(|_| ()).unwrap_err().kind(), ErrorKind::OutOfBounds);
}

#[test]
fn coordinates_of_a_source_that_changes_are_checked() {
    let mut refused = 0;
    for visits in 0..9 {
        let changing = || Changing {
            left: AtomicUsize::new(visits),
        };
        let is_inside = |at: [usize; 2]| assert_eq!(at, [1, 2]);
        let ell = catch_unwind(|| changing().convert::<Tensor<Ell, 3>>());
        let bell = catch_unwind(|| changing().convert::<Tensor<Bell, 5>>());
        let triplets = catch_unwind(|| changing().convert::<Triplets<f64, 2>>());
        refused += [ell.is_err(), bell.is_err(), triplets.is_err()]
            .into_iter()
            .filter(|&is| is)
            .count();
        let (ell, bell, triplets) = (ell.ok(), bell.ok(), triplets.ok());
        refused += usize::from(matches!(ell, Some(Err(_))));
        refused += usize::from(matches!(bell, Some(Err(_)))) + usize::from(matches!(triplets, Some(Err(_))));
        ell.into_iter()
            .flatten()
            .for_each(|ell| Elements::new(&ell).for_each(|(at, _)| is_inside(at)));
        bell.into_iter()
            .flatten()
            .for_each(|bell| Elements::new(&bell).for_each(|(at, _)| is_inside(at)));
        triplets
            .into_iter()
            .flatten()
            .for_each(|triplets| triplets.iter().for_each(|(at, _)| is_inside(at)));
    }
    assert!((6..27).contains(&refused), "{refused} of 27");
}
