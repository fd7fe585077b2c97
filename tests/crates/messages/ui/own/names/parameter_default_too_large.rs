unisparse::sparse_format! {
    pub format Blocks<const B: usize = 99999999999999999999> =
        |i, j| (brow: i / B, col: j, r: i % B) { trim(col); }
}

fn main() {}
