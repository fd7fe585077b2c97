unisparse::sparse_format! {
    pub format Csr = |i, j| (row: i, col: j) { 0; trim(col); }
}

fn main() {}
