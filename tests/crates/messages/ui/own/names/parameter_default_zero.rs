unisparse::sparse_format! {
    pub format Blocks<const B: usize = 0> = |i, j| (brow: i / B, col: j, r: i % B) { trim(col); }
}

fn main() {}
