unisparse::sparse_format! {
    pub format Blocks<const B: usize = 2, const B: usize = 4> =
        |i, j| (brow: i / B, col: j, r: i % B) { trim(col); }
}

fn main() {}
