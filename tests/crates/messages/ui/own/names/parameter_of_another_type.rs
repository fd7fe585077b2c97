unisparse::sparse_format! {
    pub format Blocks<const B: u8 = 2> = |i, j| (brow: i / B, col: j, r: i % B) { trim(col); }
}

fn main() {}
