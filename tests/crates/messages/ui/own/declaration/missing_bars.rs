unisparse::sparse_format! {
    pub format Csr = (row: i, col: j) { merge(row); trim(col); }
}

fn main() {}
