unisparse::sparse_format! {
    pub format Hash = |i, j| (bucket: hash(i), row: i, col: j) { trim(col); }
}

fn main() {}
