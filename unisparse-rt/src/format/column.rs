//! Finds an `idx` array that holds one dim's coordinate of every element, so that elements are counted without a traversal.

use super::encoding::{Atom, Encoding, Form, Storage};
use super::kind::Kind;
use super::level::Tree;

/// Counts the elements by their coordinates in a dim, shifted right by `shift` bits, without visiting them, and returns
/// `true`, if an `idx` array holds the dim's coordinates of all elements.
///
/// # Panics
/// If there is no count for a coordinate.
pub fn count_coordinates<F: Tree<N, M>, const N: usize, const M: usize>(
    tensor: &F,
    dim: usize,
    shift: u32,
    counts: &mut [u32],
) -> bool {
    let level = if F::HOLES {
        None
    } else {
        column(&F::ENCODINGS[0], &F::STORAGE[0], dim)
    };
    match level.and_then(|level| tensor.arrays()[level].idx) {
        Some(coordinates) => {
            coordinates.count_each(shift, counts);
            true
        }
        None => false,
    }
}

/// Returns the level whose `idx` array holds the coordinate of each element in a dim.
const fn column(encoding: &Encoding, storage: &Storage, dim: usize) -> Option<usize> {
    let levels = storage.levels;
    let mut level = levels.len();
    // The levels from `level` on have one position for each element.
    while level > 0 {
        level -= 1;
        let is_parallel = level + 1 == levels.len()
            || levels[level + 1].kind.is_determined()
            || matches!(levels[level].kind, Kind::Indexed { copied: true, .. });
        if !is_parallel {
            return None;
        }
        if matches!(only_dim(&encoding.levels[level].form), Some(of) if of == dim)
            && matches!(levels[level].kind, Kind::Indexed { .. } | Kind::Aligned)
            && levels[level].invariant_over.is_empty()
        {
            return Some(level);
        }
    }
    None
}

/// Returns the dim that a form is equal to.
pub(crate) const fn only_dim(form: &Form) -> Option<usize> {
    match form.terms {
        [(Atom::Dim(dim), 1)] if form.constant == 0 => Some(*dim),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::encoding::{LevelForm, LevelStorage};

    const fn level(dim: usize) -> LevelForm {
        const DIMS: [Form; 3] = [
            Form {
                terms: &[(Atom::Dim(0), 1)],
                constant: 0,
            },
            Form {
                terms: &[(Atom::Dim(1), 1)],
                constant: 0,
            },
            Form {
                terms: &[(Atom::Dim(1), 1)],
                constant: 3,
            },
        ];
        LevelForm {
            name: "",
            text: "",
            form: DIMS[dim],
            merged: true,
            trimmed: true,
        }
    }

    fn levels_of(forms: &'static [LevelForm], kinds: &[Kind]) -> [Option<usize>; 2] {
        let encoding = Encoding {
            name: "",
            dims: &["i", "j"],
            levels: forms,
            queries: &[],
            packs: &[],
            partition: None,
        };
        let levels: Vec<LevelStorage> = kinds
            .iter()
            .map(|&kind| LevelStorage {
                kind,
                invariant_over: &[],
                ptr: None,
                idx: None,
            })
            .collect();
        let storage = Storage {
            levels: levels.leak(),
            value_width: 8,
            holes: false,
            sorted: true,
        };
        [0, 1].map(|dim| column(&encoding, &storage, dim))
    }

    const ENTRIES: Kind = Kind::Indexed {
        pointed: true,
        copied: false,
        full: false,
    };
    const COPIED: Kind = Kind::Indexed {
        pointed: false,
        copied: true,
        full: false,
    };

    #[test]
    fn columns_are_arrays_with_one_entry_for_each_element() {
        static ROWS: [LevelForm; 2] = [level(0), level(1)];
        static MOVED: [LevelForm; 2] = [level(0), level(2)];
        assert_eq!(levels_of(&ROWS, &[Kind::Dense, ENTRIES]), [None, Some(1)]);
        assert_eq!(levels_of(&ROWS, &[ENTRIES, ENTRIES]), [None, Some(1)]);
        assert_eq!(levels_of(&ROWS, &[COPIED, ENTRIES]), [Some(0), Some(1)]);
        assert_eq!(levels_of(&ROWS, &[ENTRIES, Kind::Aligned]), [Some(0), Some(1)]);
        assert_eq!(levels_of(&ROWS, &[ENTRIES, Kind::Dense]), [None, None]);
        assert_eq!(levels_of(&MOVED, &[COPIED, ENTRIES]), [Some(0), None]);
    }
}
