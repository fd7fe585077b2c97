unisparse::sparse_format! {
    pub format T = |i, j| (row: i, col: j) { trim(col); }
}

fn main() {}
