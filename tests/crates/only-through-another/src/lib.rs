//! A crate that does not depend on `unisparse`, and uses the re-export of another crate.
#![deny(warnings, missing_docs, unreachable_pub, unused, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use ext_formats::Striped;
use ext_formats::sparse::{sparse_format, sparse_kernel};

sparse_format! {
    /// Diagonals.
    pub format Diagonals = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); }
}

ext_formats::declare_rows!(pub(crate) Local);
ext_formats::declare_rows!(pub Public);

sparse_kernel! {
    /// A kernel over formats of this crate and of others.
    pub fn weighted: y[i] += A[i, j] * x[j] * w[i] where A: Diagonals | Striped | Public | Local;
}

/// Returns the result of a kernel over a private format.
///
/// # Errors
/// None for these entries.
pub fn local(entries: &[([usize; 2], f64)]) -> Result<Vec<([usize; 2], f64)>, ext_formats::sparse::Error> {
    Ok(Local::try_from_triplets([4, 4], entries.iter().copied())?
        .iter()
        .collect())
}
