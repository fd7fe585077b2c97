//! Remembers how orders relate to formats: to find it takes longer than to convert a hundred elements.
//!
//! As constants, these relations took the compiler a tenth of a second for each format.

use std::cell::RefCell;
use std::collections::HashMap;

use super::strategy::Sorted;
use crate::format::{Encoding, Storage};

/// An order of elements.
#[derive(PartialEq, Eq, Hash)]
enum By {
    /// By dimensions, of which each is four bits, for coordinates that may be unique.
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

/// Returns the lexicographic order of these dimensions.
pub(super) fn by_dims(dims: &[usize], unique: bool, target: (&'static Encoding, &'static Storage)) -> Sorted {
    let find = || Sorted::by_dims(dims, unique, target);
    if dims.len() > 16 {
        return find();
    }
    let dims = dims.iter().fold(0, |all, &dim| all << 4 | dim as u64);
    remembered(By::Dims(dims, unique), target, find)
}

/// Returns the lexicographic order of the levels of `source`, with unique coordinates.
pub(super) fn by_levels(source: &'static Encoding, target: (&'static Encoding, &'static Storage)) -> Sorted {
    remembered(By::Levels(source), target, || Sorted::by(source, target))
}

fn remembered(by: By, target: (&'static Encoding, &'static Storage), find: impl FnOnce() -> Sorted) -> Sorted {
    KNOWN.with_borrow_mut(|known| {
        let key = (by, target.0 as *const _, target.1 as *const _);
        *known.entry(key).or_insert_with(find)
    })
}
