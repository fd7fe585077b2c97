use unisparse::prelude::*;

sparse_format! {
    convert Csr -> Rows
    format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
}

fn main() {}
