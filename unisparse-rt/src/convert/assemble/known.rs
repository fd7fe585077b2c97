//! Remembers how orders relate to formats. Finding a relation takes a proof over the coefficients of two index maps, which would be
//! most of the time of a conversion of few elements.
//!
//! As constants, these relations took the compiler a tenth of a second for each format.

use std::cell::RefCell;
use std::collections::HashMap;

use super::depths::target;
use super::sorted::Sorted;
use crate::format::{Encoding, Order, Storage, Tree};
use crate::report::step;
use crate::source::Source;

impl Sorted {
    /// Returns the order that the type of a source guarantees, or else the one found by scanning it.
    pub(super) fn of<F: Tree<N, M>, S: Source<N>, const N: usize, const M: usize>(source: &S) -> Self {
        match S::ORDER {
            Order::By(source) => by_levels(source, target::<F, N, M>()),
            Order::ByTransposed(_) | Order::Unknown => Self::found::<F, S, N, M>(source),
        }
    }

    /// As [`of`](Sorted::of), without a report of the step: if the elements are not converted in the way that is tried, the order
    /// is looked at again.
    pub(super) fn tried<F: Tree<N, M>, S: Source<N>, const N: usize, const M: usize>(source: &S) -> Self {
        match S::ORDER {
            Order::By(source) => by_levels(source, target::<F, N, M>()),
            Order::ByTransposed(_) | Order::Unknown => Self::by_sorted(source.sorted_by(), target::<F, N, M>()),
        }
    }

    /// Returns the order found by scanning the source.
    pub(super) fn found<F: Tree<N, M>, S: Source<N>, const N: usize, const M: usize>(source: &S) -> Self {
        let _step = step("look at the order");
        Self::by_sorted(source.sorted_by(), target::<F, N, M>())
    }

    fn by_sorted<const N: usize>(
        order: Option<([usize; N], bool)>,
        target: (&'static Encoding, &'static Storage),
    ) -> Self {
        Self::by_known(order.as_ref().map(|(dims, unique)| (&dims[..], *unique)), target)
    }

    /// Returns this order of dims, if they are known, and of coordinates that may be unique.
    fn by_known(order: Option<(&[usize], bool)>, target: (&'static Encoding, &'static Storage)) -> Self {
        match order {
            Some((dims, unique)) => by_dims(dims, unique, target),
            None => Self::by_dims(&[], false, target),
        }
    }
}

/// An order of elements.
#[derive(PartialEq, Eq, Hash)]
enum By {
    /// By dims, of which each is four bits, for coordinates that may be unique.
    Dims(u64, bool),
    /// By the levels of a format.
    Levels(*const Encoding),
}

thread_local! {
    /// The relation of an order to the encoding and the storage of a format.
    ///
    /// It grows with the number of formats that a program declares, and of orders in which their sources come.
    static KNOWN: RefCell<HashMap<(By, *const Encoding, *const Storage), Sorted>> = RefCell::default();
}

/// Returns the lexicographic order of these dims.
fn by_dims(dims: &[usize], unique: bool, target: (&'static Encoding, &'static Storage)) -> Sorted {
    let find = || Sorted::by_dims(dims, unique, target);
    if dims.len() > 16 {
        return find();
    }
    let dims = dims.iter().fold(0, |all, &dim| all << 4 | dim as u64);
    remembered(By::Dims(dims, unique), target, find)
}

/// Returns the lexicographic order of the levels of `source`, with unique coordinates.
fn by_levels(source: &'static Encoding, target: (&'static Encoding, &'static Storage)) -> Sorted {
    remembered(By::Levels(source), target, || Sorted::by(source, target))
}

fn remembered(by: By, target: (&'static Encoding, &'static Storage), find: impl FnOnce() -> Sorted) -> Sorted {
    KNOWN.with_borrow_mut(|known| {
        let key = (by, target.0 as *const _, target.1 as *const _);
        *known.entry(key).or_insert_with(find)
    })
}
