unisparse::sparse_format! {
    pub format Borrowed<'a> = |i, j| (row: i, col: j) { trim(col); }
}

fn main() {}
