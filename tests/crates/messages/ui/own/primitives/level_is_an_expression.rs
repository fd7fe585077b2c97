unisparse::sparse_format! {
    pub format Csr = |i, j| (row: i, col: j) { merge(0); trim(0 + 1); }
}

fn main() {}
