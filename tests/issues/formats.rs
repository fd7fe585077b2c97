//! Formats that the cases need and the library does not declare.

use unisparse::prelude::*;

sparse_format! {
    /// A sparse vector.
    pub format Vector = |i| (i) { trim(i); }
    /// A dense vector.
    pub format FullVector = |i| (i) {}
    /// A dense matrix, row by row.
    pub format Full = |i, j| (row: i, col: j) {}
    /// A dense matrix, column by column.
    pub format FullColumns = |i, j| (col: j, row: i) {}
    /// Coordinates, column by column.
    pub format CooColumns = |i, j| (col: j, row: i) { trim(col..=row); }
    /// Coordinates of four dims.
    pub format Coo4 = |i, j, k, l| (i, j, k, l) { trim(i..=l); }
    /// Compressed fibers of four dims.
    pub format Csf4 = |i, j, k, l| (i, j, k, l) { merge(i, j, k); trim(i..=l); }
    /// Compressed fibers of three dims in the other orders of the dims.
    pub format Csf021 = |i, j, k| (i, k, j) { merge(i, k); trim(i..=j); }
    pub format Csf102 = |i, j, k| (j, i, k) { merge(j, i); trim(j..=k); }
    pub format Csf120 = |i, j, k| (j, k, i) { merge(j, k); trim(j..=i); }
    pub format Csf201 = |i, j, k| (k, i, j) { merge(k, i); trim(k..=j); }
    pub format Csf210 = |i, j, k| (k, j, i) { merge(k, j); trim(k..=i); }
    /// Columns by pairs of rows, of which at most one has an element.
    pub format RowPairs = |i, j| (col: j, pair: i / 2, half: i % 2) { merge(col); trim(pair..=half); }
}
