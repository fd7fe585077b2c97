unisparse::sparse_format! {
    pub format Blocks<const B: usize = 4> = |i, j| (brow: i / (B - 1), col: j, r: i % (B - 1)) { trim(col); }
}

fn main() {}
