//! The formats that kernels are checked over, with arguments small enough that small tensors fill several blocks.

use unisparse::prelude::*;

sparse_format! {
    /// Every coordinate of a vector, stored or not.
    pub format Whole = |i| (i) {}
    /// The coordinates of a vector that hold an element.
    pub format Entries = |i| (i) { trim(0); }
    /// A vector in blocks of four.
    pub format Chunks = |i| (block: i / 4, lane: i % 4) { merge(block); trim(block); }

    /// Coordinates of three dims.
    pub format Coordinates = |i, j, k| (x: i, y: j, z: k) { trim(x..=z); }
    /// The last dim outermost.
    pub format LastFirst = |i, j, k| (z: k, x: i, y: j) { merge(z, x); trim(z..=y); }
    /// Blocks of two by two by two.
    pub format Bricks = |i, j, k| (a: i / 2, b: j / 2, c: k / 2, x: i % 2, y: j % 2, z: k % 2) { merge(a, b, c); trim(a..=c); }
    /// Rows of the first dim, all of the second, entries of the third.
    pub format Slabs = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(z); }

    /// Every coordinate of a matrix, stored or not.
    pub format Grid = |i, j| (row: i, col: j) {}
    /// Antidiagonals of elements.
    pub format Anti = |i, j| (anti: i + j, row: i) { merge(anti); trim(anti..=row); }
}

/// The type of a tensor of integers in a format.
macro_rules! tensor {
    (Bcsr) => { Bcsr<i64, 2, 3> };
    (Sell) => { Sell<i64, 2, 4> };
    (Csb) => { Csb<i64, 4> };
    (Bdia) => { Bdia<i64, 3> };
    (HiCoo) => { HiCoo<i64, 4> };
    (Cisr) => { Cisr<i64, 2> };
    (C2sr) => { C2sr<i64, 3> };
    (BdiaCsr) => { BdiaCsr<i64, 3> };
    (BellCoo) => { BellCoo<i64, 2> };
    ($format:ident) => { $format<i64> };
}
pub(crate) use tensor;

pub(crate) type Blocks<T> = Bcsr<T, 2, 3>;
pub(crate) type Scheduled<T> = Cisr<T, 2>;
