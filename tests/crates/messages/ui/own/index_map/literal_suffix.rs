unisparse::sparse_format! {
    pub format Blocks = |i, j| (brow: i / 4usize, col: j, r: i % 4) { trim(col); }
}

fn main() {}
