//! Orders of loops as numbers: kernels whose loops have one order share the code that makes their sparse outputs.

use crate::format::{Atom, Encoding, Form, LevelForm};

/// Maximum number of dims of a sparse output: the number of a dim has four bits.
const MOST: usize = 16;

/// Names of dims in errors.
const NAMES: [&str; MOST] = [
    "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x",
];

const TERMS: [[(Atom, i64); 1]; MOST] = {
    let mut terms = [[(Atom::Dim(0), 1)]; MOST];
    let mut dim = 1;
    while dim < MOST {
        terms[dim] = [(Atom::Dim(dim), 1)];
        dim += 1;
    }
    terms
};

/// Returns the order of loops over these dims, outermost first, as a number: four bits for each loop, the outermost
/// lowest.
///
/// # Panics
/// If there are more than 16 dims, or one is not below their number.
#[must_use]
pub const fn loop_order<const N: usize>(dims: [usize; N]) -> u64 {
    assert!(N <= MOST);
    let (mut order, mut level) = (0, 0);
    while level < N {
        assert!(dims[level] < N);
        order |= (dims[level] as u64) << (4 * level);
        level += 1;
    }
    order
}

/// The order of `N` loops that [`loop_order`] gave this number.
pub(super) struct Loops<const N: usize, const ORDER: u64>;

impl<const N: usize, const ORDER: u64> Loops<N, ORDER> {
    /// The dim of each loop, outermost first.
    pub(super) const DIMS: [usize; N] = {
        let (mut dims, mut level) = ([0; N], 0);
        while level < N {
            dims[level] = (ORDER >> (4 * level) & 15) as usize;
            level += 1;
        }
        dims
    };

    const LEVELS: [LevelForm; N] = {
        let mut levels = [Self::level(0); N];
        let mut level = 1;
        while level < N {
            levels[level] = Self::level(level);
            level += 1;
        }
        levels
    };

    /// Encoding with one trimmed level for each dim.
    ///
    /// The level before the last is merged, those above it are not: all of these have one entry for each fiber, and only the
    /// last level has pointers.
    pub(super) const ENCODING: &'static Encoding = &Encoding {
        name: "the loops",
        dims: NAMES.split_at(N).0,
        levels: &Self::LEVELS,
        queries: &[],
        packs: &[],
        partition: None,
    };

    const fn level(level: usize) -> LevelForm {
        let dim = Self::DIMS[level];
        LevelForm {
            name: NAMES[dim],
            text: NAMES[dim],
            form: Form {
                terms: &TERMS[dim],
                constant: 0,
            },
            merged: level + 2 == N,
            trimmed: true,
        }
    }
}
