unisparse::sparse_format! {
    pub format Keyed = |i, j| (type: i, col: j) { trim(col); }
}

fn main() {}
