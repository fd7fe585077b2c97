use unisparse::prelude::*;

sparse_format! {
    format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
    convert Rows -> Csf, Csf -> Rows, Csr -> Rows;
}

fn main() {}
