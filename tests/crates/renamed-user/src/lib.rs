//! A crate that renames the dependency: nothing here is called `unisparse`.
#![deny(warnings, missing_docs, unreachable_pub, unused, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use tensors::prelude::*;

sparse_format! {
    /// Columns.
    pub format Columns = |i, j| (col: j, row: i) { merge(col); trim(row); }
}

sparse_kernel! {
    /// A kernel over formats of three crates.
    pub fn shifted: y[i] = A[i, j] * x[j] + beta * z[i]
        where A: Columns | Csr | ext_formats::Rows | ::ext_formats::Striped;
}

sparse_kernel! {
    impl ext_formats::scaled for Columns;
}
