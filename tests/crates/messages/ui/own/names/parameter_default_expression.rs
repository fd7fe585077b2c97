unisparse::sparse_format! {
    pub format Blocks<const B: usize = SIZE> = |i, j| (brow: i / B, col: j, r: i % B) { trim(col); }
}

fn main() {}
