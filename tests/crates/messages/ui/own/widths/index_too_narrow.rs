unisparse::sparse_format! {
    pub format Blocks = |i, j| (brow: i / 300, col: j, r: i % 300) { trim(col..=r); index(r: u8); }
}

fn main() {}
