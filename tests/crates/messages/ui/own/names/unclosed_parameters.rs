unisparse::sparse_format! {
    pub format Blocks<const B: usize = 2 = |i, j| (i / B, j, i % B) { trim(1); }
}

fn main() {}
