//! The formats of Binsparse: levels of dense and sparse arrays, over the dims in some order.

use crate::format::{Atom, Encoded, Encoding, Kind, Storage};

/// A level of a [`BinsparseFormat`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BinsparseLevel {
    /// Every coordinate of this many dims, in row-major order.
    Dense(usize),
    /// The coordinates of this many dims below which something is stored, as one list for each dim.
    Sparse(usize),
}

impl BinsparseLevel {
    /// Returns the number of dims.
    #[must_use]
    pub fn dims(self) -> usize {
        match self {
            Dense(dims) | Sparse(dims) => dims,
        }
    }
}

use BinsparseLevel::{Dense, Sparse};

/// A format of Binsparse: levels from the root down, and the order in which they hold the dims.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::io::{BinsparseFormat, BinsparseLevel};
/// let levels = [BinsparseLevel::Dense(1), BinsparseLevel::Sparse(1)];
/// let csc = BinsparseFormat::new(levels, [1, 0]).unwrap();
/// assert_eq!(csc.name(), Some("CSC"));
/// assert_eq!(BinsparseFormat::named("CSC"), Some(csc));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BinsparseFormat {
    levels: Vec<BinsparseLevel>,
    order: Vec<usize>,
}

/// The formats that have a name: first their own, then other names for the same.
const NAMED: [(&str, &[BinsparseLevel], &[usize]); 12] = [
    ("DVEC", &[Dense(1)], &[0]),
    ("CVEC", &[Sparse(1)], &[0]),
    ("DMATR", &[Dense(1), Dense(1)], &[0, 1]),
    ("DMATC", &[Dense(1), Dense(1)], &[1, 0]),
    ("CSR", &[Dense(1), Sparse(1)], &[0, 1]),
    ("CSC", &[Dense(1), Sparse(1)], &[1, 0]),
    ("DCSR", &[Sparse(1), Sparse(1)], &[0, 1]),
    ("DCSC", &[Sparse(1), Sparse(1)], &[1, 0]),
    ("COOR", &[Sparse(2)], &[0, 1]),
    ("COOC", &[Sparse(2)], &[1, 0]),
    ("DMAT", &[Dense(1), Dense(1)], &[0, 1]),
    ("COO", &[Sparse(2)], &[0, 1]),
];

impl BinsparseFormat {
    /// Returns the format of these levels, which hold the dims in this order: `[1, 0]` is by column. `None` if a level has no
    /// dims, or the order is not one of all dims of the levels.
    #[must_use]
    pub fn new(levels: impl Into<Vec<BinsparseLevel>>, order: impl Into<Vec<usize>>) -> Option<Self> {
        let (levels, order) = (levels.into(), order.into());
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let dims = levels
            .iter()
            .try_fold(0_usize, |dims, level| dims.checked_add(level.dims()))?;
        let is_order = sorted.into_iter().eq(0..dims);
        (is_order && levels.iter().all(|level| level.dims() > 0)).then_some(BinsparseFormat { levels, order })
    }

    /// Returns the format that the specification calls so: `CSR`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let (_, levels, order) = NAMED.iter().find(|(known, ..)| *known == name)?;
        Some(BinsparseFormat {
            levels: levels.to_vec(),
            order: order.to_vec(),
        })
    }

    /// Returns the format whose arrays are nearest to those of a declared format: by its index map and the arrays of its levels,
    /// whatever its name.
    ///
    /// Levels that are the dims in some order, without holes, become levels of Binsparse, as of `Csr`, `Dcsc`, `Coo` and `Csf`.
    /// All others, such as blocks and diagonals, become lists of coordinates, since Binsparse has no levels that are not dims.
    #[must_use]
    pub fn nearest<F: Encoded>() -> Self {
        let levels = match (F::ENCODINGS, F::STORAGE) {
            ([encoding], [storage]) if !storage.holes => of(encoding, storage),
            _ => None,
        };
        let dims = F::ENCODINGS.first().map_or(0, |encoding| encoding.dims.len());
        levels.unwrap_or_else(|| Self::coordinates(dims))
    }

    /// Returns the format of one list of coordinates for each of as many dims.
    #[must_use]
    pub fn coordinates(dims: usize) -> Self {
        BinsparseFormat {
            levels: (dims > 0).then_some(Sparse(dims)).into_iter().collect(),
            order: (0..dims).collect(),
        }
    }

    /// Returns the name that the specification gives to this format.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        let is_this = |(_, levels, order): &&(&str, &[_], &[_])| *levels == self.levels && *order == self.order;
        NAMED.iter().find(is_this).map(|(name, ..)| *name)
    }

    /// Returns the levels from the root down.
    #[must_use]
    pub fn levels(&self) -> &[BinsparseLevel] {
        &self.levels
    }

    /// Returns the dims in the order in which the levels hold them.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }
}

/// Returns the levels of a format whose levels are its dims.
fn of(encoding: &Encoding, storage: &Storage) -> Option<BinsparseFormat> {
    let mut order = Vec::new();
    let (mut levels, mut open) = (Vec::new(), None);
    for (form, stored) in encoding.levels.iter().zip(storage.levels) {
        let ([(Atom::Dim(dim), 1)], 0) = (form.form.terms, form.form.constant) else {
            return None;
        };
        order.push(*dim);
        match (stored.kind, open) {
            (Kind::Dense, None) => levels.push(Dense(1)),
            // The coordinates of a level that is copied stand beside those of the next.
            (
                Kind::Indexed {
                    copied, full: false, ..
                },
                _,
            ) => {
                let dims = open.unwrap_or(0) + 1;
                open = copied.then_some(dims);
                if open.is_none() {
                    levels.push(Sparse(dims));
                }
            }
            _ => return None,
        }
    }
    levels.extend(open.map(Sparse));
    BinsparseFormat::new(levels, order).filter(|format| format.order.len() == encoding.dims.len())
}
