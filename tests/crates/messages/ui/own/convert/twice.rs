use unisparse::prelude::*;

sparse_format! {
    format Rows<const B: usize = 2> = |i, j| (block: i / B, row: i % B, col: j) { merge(block, row); trim(col); }
    convert Csr -> Rows, Rows<2> -> Csr, Csr -> Rows, Rows<3> -> Csr, Rows < 2 > -> Csr;
}

fn main() {}
