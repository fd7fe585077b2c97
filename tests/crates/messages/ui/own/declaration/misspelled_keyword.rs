unisparse::sparse_format! {
    pub fromat Csr = |i, j| (row: i, col: j) { merge(row); trim(col); }
}

fn main() {}
