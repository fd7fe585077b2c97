use unisparse::prelude::*;

sparse_format! {
    format Rows = |i, j| (row: i) { trim(row); }
    convert Csr -> Rows, Rows -> Csf;
}

fn main() {}
