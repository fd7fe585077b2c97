unisparse::sparse_format! {
    pub format Csr = |i, j| (row: i, col: j) { merge(0); trim(1u8); }
}

fn main() {}
