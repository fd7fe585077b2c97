unisparse::sparse_format! {
    pub format Csr = |i, j| (row: i, col: j) { merge(row, col); trim(col); }
}

fn main() {}
