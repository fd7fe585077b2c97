unisparse::sparse_format! {
    pub format Flat = |i, j| (flat: i * j, col: j) { trim(flat); }
}

fn main() {}
