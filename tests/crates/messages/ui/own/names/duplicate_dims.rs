unisparse::sparse_format! {
    pub format Square = |i, i| (row: i, col: i) { trim(col); }
}

fn main() {}
