//! Formats declared after a kernel that join it, with each other and with those it was declared for.

use core::any::Any;

use unisparse::prelude::*;

use crate::checks::{Format, Integers, cast, equal_shapes, of_two, over, two};
use crate::elementwise::add;
use crate::formats::tensor;
use crate::oracle::sum;

sparse_format! {
    /// Diagonals within each pair of rows.
    format Late = |i, j| (block: i / 2, diff: j - i, lane: i % 2) { merge(block); trim(diff); }
}

sparse_kernel! {
    impl add for A: Late | Csr, B: Late | Coo, C: Late;
    impl add for A: Late, B: Csr, C: Csr;
}

of_two! {
    sums<2, 2, 2>: add over [equal_shapes([0, 3]), equal_shapes([1, 7]), equal_shapes([6, 6]), equal_shapes([9, 4])], sum;
}

#[test]
fn sums_with_formats_that_join() {
    over!(sums: [Late Csr] [Late Coo] [Late]);
    over!(sums: [Late] [Csr] [Csr]);
}
