unisparse::sparse_format! {
    pub format Dok = |i, j| (row: i, col: j) { trim(row..=col); pack(row..=col); }
}

fn main() {}
