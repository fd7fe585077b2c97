unisparse::sparse_format! {
    pub format Blocks<const B: usize = 4> =
        |i, j| (brow: i / B, r: i % 4, col: j) { trim(col); }
}

fn main() {}
