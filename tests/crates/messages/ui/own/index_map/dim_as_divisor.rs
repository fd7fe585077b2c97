unisparse::sparse_format! {
    pub format Odd = |i, j| (row: i / j, col: j) { trim(col); }
}

fn main() {}
