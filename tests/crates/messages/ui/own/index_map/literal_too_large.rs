unisparse::sparse_format! {
    pub format Blocks = |i, j| (brow: i / 4294967296, col: j, r: i % 4294967296) { trim(col); }
}

fn main() {}
