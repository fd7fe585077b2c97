#![deny(warnings)]
use unisparse::prelude::*;

sparse_format! {
    pub format Rows = |i, j| (row: i, col: j)
        where {
            len = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
            _kept = sum(value != 0 => 1, _ => 0).group_by(j);
        } { merge(row); trim(col); }
}

fn main() {}
