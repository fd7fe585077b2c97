unisparse::sparse_format! {
    pub format Clash = |i, j| (j: i, j) { trim(1); }
}

fn main() {}
