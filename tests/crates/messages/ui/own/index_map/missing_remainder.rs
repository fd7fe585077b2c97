unisparse::sparse_format! {
    pub format Blocks = |i, j| (brow: i / 4, col: j) { merge(brow); trim(col); }
}

fn main() {}
