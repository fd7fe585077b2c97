//! The kind of matrix in which a format is written.

use crate::format::{Atom, Encoded, Encoding, Form, Storage};

/// A kind of sparse matrix or array of scipy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NpzKind {
    /// `csr`: compressed rows. Of one or two dims.
    Csr,
    /// `csc`: compressed columns. Of two dims.
    Csc,
    /// `coo`: coordinates. Of any number of dims.
    Coo,
    /// `bsr`: dense blocks of this number of rows and columns, which have to divide those of the matrix. Of two dims.
    Bsr([usize; 2]),
    /// `dia`: diagonals. Of two dims.
    Dia,
}

impl NpzKind {
    /// Returns the kind whose arrays are nearest to those of a format, for tensors of this shape: by the index map and the arrays
    /// of its levels, whatever its name.
    ///
    /// Compressed rows are `Csr`, compressed columns `Csc`, dense blocks `Bsr` if they divide the shape, dense diagonals `Dia`, and
    /// all others `Coo`, as slots that hold the place in a block.
    #[must_use]
    pub fn nearest<F: Encoded>(shape: &[usize]) -> NpzKind {
        match (F::ENCODINGS, F::STORAGE) {
            ([encoding], [storage]) if encoding.dims.len() == 2 => of(encoding, storage, shape),
            _ => NpzKind::Coo,
        }
    }

    /// Returns the word in the file.
    pub(super) fn word(self) -> &'static str {
        match self {
            NpzKind::Csr => "csr",
            NpzKind::Csc => "csc",
            NpzKind::Coo => "coo",
            NpzKind::Bsr(_) => "bsr",
            NpzKind::Dia => "dia",
        }
    }
}

fn of(encoding: &Encoding, storage: &Storage, shape: &[usize]) -> NpzKind {
    let (Some(first), Some(second)) = (encoding.levels.first(), encoding.levels.get(1)) else {
        return NpzKind::Coo;
    };
    // Without an array, all coordinates of the first level are there.
    let is_listed = storage.levels[0].idx.is_some();
    // The values below a node of a level are dense if no level between has an array.
    let is_dense_below = |level: usize| storage.levels[level + 1..].iter().all(|level| level.idx.is_none());
    match (quotient(&first.form), quotient(&second.form)) {
        (Some((0, 1)), Some((1, 1))) if !is_listed => NpzKind::Csr,
        (Some((1, 1)), Some((0, 1))) if !is_listed => NpzKind::Csc,
        (Some((0, rows)), Some((1, cols)))
            if storage.holes && is_dense_below(1) && shape[0] % rows == 0 && shape[1] % cols == 0 =>
        {
            NpzKind::Bsr([rows, cols])
        }
        _ if storage.holes && is_dense_below(0) && is_diagonal(&first.form) => NpzKind::Dia,
        _ => NpzKind::Coo,
    }
}

/// Returns `dim` and `n` of `dim / n`.
fn quotient(form: &Form) -> Option<(usize, usize)> {
    let dim = |form: &Form| match (form.terms, form.constant) {
        ([(Atom::Dim(dim), 1)], 0) => Some(*dim),
        _ => None,
    };
    match (form.terms, form.constant) {
        ([(Atom::Quotient(of, by), 1)], 0) => Some((dim(of)?, usize::try_from(*by).ok()?)),
        _ => Some((dim(form)?, 1)),
    }
}

/// Returns whether this is `j - i`.
fn is_diagonal(form: &Form) -> bool {
    let factor = |dim| {
        form.terms
            .iter()
            .find(|(atom, _)| *atom == Atom::Dim(dim))
            .map(|&(_, factor)| factor)
    };
    form.terms.len() == 2 && form.constant == 0 && factor(0) == Some(-1) && factor(1) == Some(1)
}
