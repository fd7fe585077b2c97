unisparse::sparse_format! {
    pub format Banked = |i, j| (row: i, col: j) { merge(row); trim(col); partition(row); }
}

fn main() {}
