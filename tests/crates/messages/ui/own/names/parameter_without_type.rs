unisparse::sparse_format! {
    pub format Blocks<const B> = |i, j| (brow: i / B, col: j, r: i % B) { trim(col); }
}

fn main() {}
