unisparse::sparse_format! {
    pub format Csr = |i, j| (row: i, col: j) { merge(i); trim(col); }
}

fn main() {}
