unisparse::sparse_format! {
    pub format Csr = |i, j| (row: i, col: j) { mrege(row); trim(col); }
}

fn main() {}
