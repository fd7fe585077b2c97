use unisparse::prelude::*;

mod rows {
    unisparse::sparse_format! {
        pub(crate) format Rows = |i, j| (row: i, col: j) { merge(row); trim(col); }
    }
}
use rows::Rows;

sparse_format! {
    format Blocks<const B: usize = 2> = |i, j| (block: i / B, row: i % B, col: j) { merge(block, row); trim(col); }
    convert Rows -> rows::Rows, Blocks -> Blocks, Blocks<2> -> Blocks, Blocks<2> -> Blocks<2>, Blocks<2> -> Blocks<3>;
}

fn main() {}
