use unisparse::prelude::*;

sparse_format! {
    format Rows<const B: usize = 2> = |i, j| (block: i / B, row: i % B, col: j) { merge(block, row); trim(col); }
    convert Rows<f64, 2> -> Csr, Rows<0> -> Csc, Csr<1> -> Rows, Bcsr<2> -> Rows<2u8>;
}

fn main() {}
