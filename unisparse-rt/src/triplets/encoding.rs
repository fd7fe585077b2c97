//! The encodings of triplets: coordinate lists in no known order, with at most 16 dims as in declared formats.

use super::{Triplets, TripletsView};
use crate::element::Index;
use crate::format::{Array, Atom, Encoded, Encoding, Form, Kind, LevelForm, LevelStorage, Storage};

/// Names for the dims of triplets, which are unnamed.
pub(super) const DIMS: [&str; 16] = [
    "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x",
];

const TERMS: [&[(Atom, i64)]; 16] = [
    &[(Atom::Dim(0), 1)],
    &[(Atom::Dim(1), 1)],
    &[(Atom::Dim(2), 1)],
    &[(Atom::Dim(3), 1)],
    &[(Atom::Dim(4), 1)],
    &[(Atom::Dim(5), 1)],
    &[(Atom::Dim(6), 1)],
    &[(Atom::Dim(7), 1)],
    &[(Atom::Dim(8), 1)],
    &[(Atom::Dim(9), 1)],
    &[(Atom::Dim(10), 1)],
    &[(Atom::Dim(11), 1)],
    &[(Atom::Dim(12), 1)],
    &[(Atom::Dim(13), 1)],
    &[(Atom::Dim(14), 1)],
    &[(Atom::Dim(15), 1)],
];

const LEVELS: [LevelForm; 16] = {
    let level = LevelForm {
        name: "",
        text: "",
        form: Form {
            terms: &[],
            constant: 0,
        },
        merged: false,
        trimmed: true,
    };
    let mut levels = [level; 16];
    let mut dim = 0;
    while dim < 16 {
        levels[dim].name = DIMS[dim];
        levels[dim].text = DIMS[dim];
        levels[dim].form.terms = TERMS[dim];
        dim += 1;
    }
    levels
};

/// Returns the storage of a level that holds the coordinates of one dim.
const fn stored<I: Index>() -> LevelStorage {
    LevelStorage {
        kind: Kind::Indexed {
            pointed: false,
            copied: true,
            full: false,
        },
        invariant_over: &[],
        ptr: None,
        idx: Some(Array::of::<I>("coordinates")),
    }
}

/// Returns the encoding for `N` dims.
const fn encoding<const N: usize>(name: &'static str) -> Encoding {
    Encoding {
        name,
        dims: DIMS.split_at(N).0,
        levels: LEVELS.split_at(N).0,
        queries: &[],
        packs: &[],
        partition: None,
    }
}

const fn storage<T>(levels: &'static [LevelStorage]) -> Storage {
    Storage {
        levels,
        value_width: size_of::<T>(),
        holes: false,
        sorted: false,
    }
}

impl<T, const N: usize> Encoded for Triplets<T, N> {
    const ENCODINGS: &'static [Encoding] = &[encoding::<N>("Triplets")];
    const STORAGE: &'static [Storage] = &[storage::<T>(&[stored::<usize>(); N])];
}

impl<T, const N: usize, I: Index> Encoded for TripletsView<'_, T, N, I> {
    const ENCODINGS: &'static [Encoding] = &[encoding::<N>("TripletsView")];
    const STORAGE: &'static [Storage] = &[storage::<T>(&[stored::<I>(); N])];
}
