unisparse::sparse_format! {
    pub format Rows = |i, j| (row: i) { trim(row); }
}

fn main() {}
