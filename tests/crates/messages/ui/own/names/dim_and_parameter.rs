unisparse::sparse_format! {
    pub format Blocks<const i: usize = 2> = |i, j| (row: i, col: j) { trim(col); }
}

fn main() {}
