use unisparse::prelude::*;

sparse_format! {
    format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
    pub convert Csr -> Rows;
    pub(crate) convert Csc -> Rows;
}

fn main() {}
