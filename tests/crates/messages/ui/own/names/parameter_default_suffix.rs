unisparse::sparse_format! {
    pub format Blocks<const B: usize = 4usize> = |i, j| (brow: i / B, col: j, r: i % B) { trim(col); }
}

fn main() {}
