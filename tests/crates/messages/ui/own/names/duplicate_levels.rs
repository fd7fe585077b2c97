unisparse::sparse_format! {
    pub format Twice = |i, j| (row: i, row: j) { trim(1); }
}

fn main() {}
