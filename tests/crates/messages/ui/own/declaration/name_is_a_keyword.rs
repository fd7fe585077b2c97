unisparse::sparse_format! {
    pub format type = |i, j| (row: i, col: j) { merge(row); trim(col); }
}

fn main() {}
