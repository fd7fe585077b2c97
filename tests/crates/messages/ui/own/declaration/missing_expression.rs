unisparse::sparse_format! {
    pub format Csr = |i, j| (row: , col: j) { merge(row); trim(col); }
}

fn main() {}
